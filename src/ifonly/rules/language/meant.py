"""What a line that is no rule may have been meant to say, in the words of the language.

People write `age can only increase` and `debt <= 25% of income`. Each rewriting below replaces one
such way of speaking; they are applied one after the other until the line can be read. A name or a
level that a rewriting spoils makes a line that cannot, so that none of them needs the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from ifonly.rules.language.names import KEYWORDS, QUOTED

LONGEST = 200
"""The most characters of a line that is rewritten: what a person writes is shorter."""
MODAL = ("can", "may", "could", "might", "must", "should", "shall", "will")
"""What stands before a verb in English, and never in a rule."""
_CAN, _MUST = f"(?:{'|'.join(MODAL[:4])})", f"(?:{'|'.join(MODAL[4:])}|has to|needs to)"
_NOT = rf"(?:(?:{_MUST}|{_CAN}|does|is) not|cannot|\w+n't|never)"
_SAME = "(?:fixed|constant|unchanged|the same)"
_OPPOSITE = {"increase": "only decreases", "decrease": "only increases", "change": "fixed"}
_QUOTED = rf"(?<!\w)(?:{QUOTED.pattern})"
_HIDDEN = "[\ue000-\uf8ff]"
"""A character of no meaning, which stands for what is in quotes while a line is rewritten."""
_NUMBER = r"(?<![\w.])([0-9]+(?:\.[0-9]+)?|\.[0-9]+)"


def meant(line: str, names: Sequence[str]) -> Iterator[str]:
    """Lines that may be meant, each nearer to the language than the one before.

    >>> list(meant("debt must be <= 25% of income", ["debt", "income"]))
    ['debt is <= 25% of income', 'debt <= 25% of income', 'debt <= 0.25 * income']
    """
    if len(line) > LONGEST or re.search(_HIDDEN, line):
        return
    quoted = re.findall(_QUOTED, line)
    hidden = iter(map(chr, range(0xE000, 0xF8FF)))
    line = re.sub(_QUOTED, lambda _: next(hidden), line)
    plain = sorted((name for name in names if name in line), key=len, reverse=True)
    known = "|".join([*map(re.escape, plain), _HIDDEN])
    for pattern, to in REWRITINGS:
        rewritten = re.sub(pattern.replace("NAME", known), to, line)
        if rewritten != line:
            line = rewritten
            yield re.sub(_HIDDEN, lambda found: quoted[ord(found[0]) - 0xE000], line)


def _share(found: re.Match[str]) -> str:
    """A percentage as a factor."""
    return f"{Decimal(found[1]) / 100:f} * "


REWRITINGS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (rf"\b{_NOT} (?:be )?(increase|decrease|change)[sd]?\b", lambda found: _OPPOSITE[found[1]]),
    (rf"\b{_NOT} be\b", "is not"),
    (rf"\b(?:{_MUST} )?(?:be|is|stays?|remains?) {_SAME}(?!\w)", "fixed"),
    (rf"\b{_MUST} be\b", "is"),
    (rf"\b{_CAN} (?=increase|decrease)", "only "),  # what can increase need not
    (rf"\b(?:{_MUST}|{_CAN}(?= only| change by)) ", ""),
    (r"\b(increase|decrease|change)(?!\w)", r"\1s"),
    (r"\bis (?=at |in |between |not |[<>=])", ""),
    (rf"{_NUMBER} ?(?:%|percent) of ", _share),
    (rf"{_NUMBER} ?(?!(?:{'|'.join(KEYWORDS)}|features?)\b)(?=[^\W\d]|{_HIDDEN})", r"\1 * "),
    # A limit of a change demands none, and 'increases by at most' does.
    (r"(?<!\w)(NAME) only (increases|decreases) (?=by at most)", r"\1 only \2 and \1 changes "),
    (r"\bat most\b", "<="),
    (r"\bat least\b", ">="),
)
"""Patterns, and what stands in their place, in the order in which they are applied."""
