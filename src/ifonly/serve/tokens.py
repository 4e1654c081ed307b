"""Who may ask: tokens, of which a file has the hashes, with a quota and a sight each.

One line per token, its parts separated by spaces:

    NAME  SHA256  QUOTA  SCORES  ROWS
    desk  9f86d081884c7d65…  1000/hour  rounded  no-rows

A quota is a number of rows per second, minute, hour or day, or '-': a request costs one row, and
every row more that it asks about; a point of a curve is a row. Scores are 'full', 'rounded' or
'hidden'. What stands after the hash may be left out. A line that begins with # is a comment. A
token is 32 random bytes, so that no slower hash is needed.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from ifonly.errors import FileError, OptionError, absent, nearest
from ifonly.serve.denied import Denied
from ifonly.serve.exchange import Sight

UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
SCORES = ("full", "rounded", "hidden")
ROWS = ("no-rows", "rows")
CHECKED = 1.0
"""How many seconds pass before a file of tokens is looked at again."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Quota:
    """So many rows in so many seconds."""

    rows: int
    seconds: int

    @classmethod
    def of(cls, text: str) -> Quota | None:
        """The quota of a text; none for '-'.

        >>> Quota.of("600/minute")
        Quota(rows=600, seconds=60)
        """
        if text == "-":
            return None
        found = re.fullmatch(r"([1-9][0-9]{0,11})/(second|minute|hour|day)", text)
        if not found:
            raise OptionError(f"{text!r:.60} is not a quota.", "Write 600/minute, or - for none.")
        return cls(int(found[1]), UNITS[found[2]])


@dataclass(frozen=True)
class Token:
    """Somebody who asks: a name, what they may see, and how much they may ask."""

    name: str
    sight: Sight = field(default_factory=Sight)
    quota: Quota | None = None


ANYONE = Token("anyone")
"""Who asks where no tokens are needed."""


class Spent:
    """How much each token has used of its quota: a bucket that fills again as time passes.

    A request is let in while something is left, and what it costs is taken off when it is known:
    a large one leaves a debt, which those after it wait for.
    """

    def __init__(self) -> None:
        self._left: dict[str, tuple[float, float]] = {}

    def let_in(self, token: Token) -> None:
        """Take one row, or refuse."""
        if token.quota is not None and (left := self._now(token, token.quota)) < 1:
            wait = math.ceil((1 - left) * token.quota.seconds / token.quota.rows)
            raise Denied(
                "quota",
                f"The quota of {token.quota.rows} rows in {token.quota.seconds} s is used up.",
                f"Ask again in {wait} s.",
                Retry_After=str(wait),
            )
        self.take(token, 1)

    def take(self, token: Token, rows: float) -> None:
        """Take off what a request has cost."""
        if token.quota is not None:
            self._left[token.name] = (self._now(token, token.quota) - rows, time.monotonic())

    def _now(self, token: Token, quota: Quota) -> float:
        left, since = self._left.get(token.name, (quota.rows, 0.0))
        return min(quota.rows, left + (time.monotonic() - since) * quota.rows / quota.seconds)


class Tokens:
    """The tokens of a file, which is read again when it changes: a line taken out is refused."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stat = _stat(path)
        self._known = read_tokens(path)
        self._looked = time.monotonic()

    def find(self, secret: str) -> Token | None:
        """The token of a secret; every line is compared, in a time that says nothing."""
        self._look()
        own = hashlib.sha256(secret.encode()).hexdigest()
        found = [token for hashed, token in self._known if hmac.compare_digest(hashed, own)]
        return found[0] if found else None

    def _look(self) -> None:
        if time.monotonic() - self._looked < CHECKED:
            return
        self._looked = time.monotonic()
        try:
            stat = _stat(self._path)
            if stat != self._stat:
                self._known, self._stat = read_tokens(self._path), stat
        except FileError:
            self._known, self._stat = [], (0, 0, 0)  # who may ask is not known: nobody may


def read_tokens(path: Path) -> list[tuple[str, Token]]:
    """The hashes and tokens of a file.

    Raises
    ------
    FileError
        It cannot be read; the line is named.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise absent(path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{str(path)!r} cannot be read as a file of tokens: {error}.") from None
    known: list[tuple[str, Token]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            hashed, token = _parsed(line)
            if token.name in {one.name for _, one in known}:
                raise OptionError(f"The name {token.name!r} stands twice.", "Take one out.")
        except OptionError as error:
            where = f"{str(path)!r}, line {number}"
            raise FileError(f"{where}: {error.message}", error.hint) from None
        known.append((hashed, token))
    if not known:
        raise FileError(
            f"{str(path)!r} has no token.", "Make one: ifonly tokens new NAME prints its line."
        )
    return known


def new_token(
    name: str, quota: str = "-", scores: str = "full", rows: str = "no-rows"
) -> tuple[str, str]:
    """A fresh secret, and the line for the file of tokens.

    Parameters
    ----------
    name
        Who will use it, for the log.
    quota, scores, rows
        As in the file.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> secret, line = new_token("desk", "600/minute", "rounded")
    >>> len(secret), line.split()[2:]
    (43, ['600/minute', 'rounded', 'no-rows'])
    """
    secret = secrets.token_urlsafe(32)
    hashed = hashlib.sha256(secret.encode()).hexdigest()
    line = " ".join((name, hashed, quota, scores, rows))
    _parsed(line)
    return secret, line


def _parsed(line: str) -> tuple[str, Token]:
    """The hash and the token of a line; no message shows the hash."""
    parts = line.split()
    if len(parts) < 2 or len(parts) > 5:
        hint = "Write NAME SHA256 QUOTA SCORES ROWS."
        raise OptionError(f"There are {len(parts)} parts, and not 2 to 5.", hint)
    name, hashed, quota, scores, rows = (*parts, *("-", "full", "no-rows")[len(parts) - 2 :])
    if not _NAME.fullmatch(name):
        raise OptionError(f"{name!r:.60} is no name of a token.", "Use letters, digits, - and _.")
    if not re.fullmatch("[0-9a-f]{64}", hashed):
        hint = "Make a line with: ifonly tokens new NAME."
        raise OptionError("The second part is not a SHA-256 in 64 hexadecimal digits.", hint)
    sight = Sight(
        scores=cast(Literal["full", "rounded", "hidden"], _one_of(scores, SCORES)),
        rows=_one_of(rows, ROWS) == "rows",
    )
    return hashed, Token(name, sight, Quota.of(quota))


def _one_of(word: str, known: Iterable[str]) -> str:
    if word not in known:
        raise OptionError(f"{word!r:.60} is not known here.", nearest(word, known))
    return word


def _stat(path: Path) -> tuple[int, int, int]:
    try:
        seen = path.stat()
    except OSError:
        raise absent(path) from None
    return seen.st_mtime_ns, seen.st_size, seen.st_ino
