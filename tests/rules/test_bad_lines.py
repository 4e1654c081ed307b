"""A line that cannot be read is refused with what was expected, what stands there, and where.

`bad_lines.txt` lists them: a line, the mark under the place, the reason and the hint.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ifonly.errors import RuleError
from ifonly.rules import parse
from ifonly.space import Space

TABLE = Path(__file__).with_name("bad_lines.txt").read_text(encoding="utf-8")
BLOCKS = [block.split("\n") for block in TABLE.strip("\n").split("\n\n")]
SOUP = """age at start between 30 and 60 3 income at most least occupation in is not Sales none,
yet only increases changes by education : -> takes 2 of => = < + - * ( ) if then forbid race gender
change together or not at all features steps causes " ' , HS-grad"""


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block[0])
def test_a_bad_line_is_shown_with_the_place_and_a_hint(block: list[str], people: Space) -> None:
    line, mark, told, hint = block
    message = refused(line, people, hint.removeprefix("Hint: ").removesuffix("…"))
    reason, shown, below = message.split("\n")
    assert reason in (told, f"The rule '{line}' cannot be understood: {told}")
    assert (shown, below) == (f"    {line}", f"    {mark}")


@pytest.mark.parametrize("line", ["", "   "])
def test_an_empty_line_is_no_rule(line: str, people: Space) -> None:
    assert refused(line, people, "Write a rule") == (
        "The rule '' cannot be understood: the line is empty."
    )


def test_an_error_reads_as_a_person_would_say_it(people: Space) -> None:
    with pytest.raises(RuleError) as caught:
        parse(" age betwen 30 and 60", people)
    assert str(caught.value) == (
        "The rule 'age betwen 30 and 60' cannot be understood: "
        "after 'age', 'betwen' is not a verb of a rule.\n"
        "    age betwen 30 and 60\n"
        "        ^\n"
        "\n"
        "Hint: Did you mean 'between'?"
    )


def test_brackets_without_end_are_refused(people: Space) -> None:
    refused("(" * 20_000 + "age fixed", people, "Make it shorter")


@given(words=st.lists(st.sampled_from(SOUP.split()), max_size=9))
@example(words=["not"] * 9)
@settings(max_examples=300, deadline=None)
def test_any_words_make_a_rule_or_an_error_with_a_hint(words: list[str], people: Space) -> None:
    line = " ".join(words)
    try:
        rule = parse(line, people)
    except RuleError as error:
        told, hint = error.message, error.hint
    else:
        told, hint = "^", str(rule)
        assert repr(parse(str(rule), people)) == repr(rule)
    assert hint
    assert told.endswith("^") or not words


def refused(line: str, space: Space, hint: str) -> str:
    """The message of the error that a line gives."""
    with pytest.raises(RuleError) as caught:
        parse(line, space)
    assert caught.value.hint.startswith(hint)
    return caught.value.message
