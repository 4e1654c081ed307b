"""A notice states what was found, escapes all that is not the template, and lacks no field."""

from __future__ import annotations

import html
import re
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ifonly
from ifonly.errors import FileError, OptionError
from ifonly.render.letter import BUILT_IN, Template

HOSTILE = "<script>alert(1)</script> & *b* [x](y) `c` {{ outcome }}\u202e\x1b[31m"
FIELDS = {
    "applicant": "Ada Example\n1 Main Street",
    "lender": "The Lender",
    "date": date(2026, 11, 16),
    "reference": "A-17",
    "contact": "desk@lender.example",
    "legal_notice": "Text of the law.",
    "record": "f" * 64,
}


def asked(name: str = "pay", level: str = "a", rules: Any = ()) -> ifonly.Answers:
    data = pd.DataFrame({name: [10, 30, 50, 70], "job": [level, "b", "b", level]})
    model = ifonly.as_model(lambda f: f.iloc[:, 0] / 100 + 0.2 * (f["job"] == "b"), classes=[0, 1])
    space = ifonly.Space.infer(data, labels={0: f"no {level}", 1: "yes"})
    return ifonly.explain(model, data[:1], data=data, space=space, k=2, rules=rules)


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("template", sorted(BUILT_IN))
def test_a_letter_states_outcome_reasons_ways_plan_and_validity(template: str) -> None:
    answers = asked(rules=["job fixed"])
    letter = answers.notice(
        0, template, valid_until=date(2027, 5, 31), fields=FIELDS if template == "credit" else None
    )
    text = Tags(letter).text if template != "markdown" else letter
    text = " ".join(text.split())
    assert "no a" in text
    for reason in answers.reasons(0):
        assert reason.sentence.lower() in text.lower()
    assert text.count("A reason you cannot act on.") == 1
    for sentence in answers.sentences()[0]:
        assert sentence in text
    assert str(answers.plan(0)).partition(". ")[2] in text
    assert "This holds until 2027-05-31." in text
    assert "{{" not in text


@pytest.mark.parametrize("template", sorted(BUILT_IN))
def test_nothing_of_the_data_or_the_caller_is_taken_for_markup(template: str) -> None:
    answers = asked(name=HOSTILE, level=HOSTILE)
    codes = [
        {"feature": name, "code": HOSTILE, "sentence": f"{HOSTILE.replace('{{ outcome }}', '')} "}
        for name in (HOSTILE, "job")
    ]
    calm = asked().notice(0, template, fields=FIELDS, valid_until="May")
    fields = dict.fromkeys(FIELDS, HOSTILE)
    letter = answers.notice(0, template, codes=codes, fields=fields, valid_until=HOSTILE)
    assert "\u202e" not in letter
    assert "\x1b" not in letter
    if template == "markdown":
        assert not re.search(r"(?<!\\)[<*`\[]", letter)
        return
    assert set(Tags(letter).tags) <= set(Tags(calm).tags) | {"span"}
    assert "<script" not in letter
    assert html.escape("<script>") in letter


def test_a_field_that_nobody_gives_is_an_error_that_names_it() -> None:
    answers = asked()
    with pytest.raises(OptionError, match="field 'lender'") as caught:
        answers.notice(0, "credit")
    assert "fields={'lender': ...}" in str(caught.value)
    with pytest.raises(OptionError, match="field 'resons'") as caught:
        answers.notice(0, "{{resons}}")
    assert "Did you mean 'reasons'?" in str(caught.value)
    with pytest.raises(OptionError, match="field 'valid_until'") as caught:
        answers.notice(0, "{{ valid_until }}")
    assert "Give valid_until=" in str(caught.value)
    with pytest.raises(OptionError, match="'ways' is filled by ifonly"):
        answers.notice(0, fields={"ways": "mine"})


@pytest.mark.parametrize("until", ["", 5, "  "])
def test_a_day_that_is_none_is_refused(until: Any) -> None:
    with pytest.raises(OptionError, match="valid_until is"):
        asked().notice(0, valid_until=until)


def test_templates_are_files_texts_or_names(tmp_path: Path) -> None:
    answers = asked()
    (tmp_path / "own.html").write_text("<p>{{ outcome }} {{ mine }}</p>")
    noon = datetime(2027, 5, 31, 12, tzinfo=UTC)
    out = tmp_path / "letter.html"
    given = {"fields": {"mine": "a < b"}, "valid_until": noon}
    assert answers.notice(0, tmp_path / "own.html", path=out, **given) is None
    assert out.read_text() == "<p><bdi>no a</bdi> a &lt; b</p>"
    assert answers.notice(0, "{{outcome}} {{mine}}", **given) == "no a a \\< b"
    with pytest.raises(FileError, match="cannot be read"):
        answers.notice(0, "nowhere.html")
    with pytest.raises(OptionError, match="template is a int"):
        answers.notice(0, 5)  # type: ignore[arg-type]


def test_a_row_without_ways_or_without_reasons_has_a_letter_that_says_so() -> None:
    letter = asked(rules=["job fixed", "pay fixed"]).notice(0)
    assert "No change can give yes." in letter
    assert "There is nothing to put in order." in letter
    data = pd.DataFrame({"pay": [10, 90]})
    rich = ifonly.as_model(lambda f: f["pay"] > 50, classes=["no", "yes"])
    good = ifonly.explain(rich, data[1:], data=data, k=1, target="yes").notice(0)
    assert "The outcome is yes, as wanted." in good


def test_built_in_letters_load_nothing_and_print_on_paper() -> None:
    for name in ("html", "credit"):
        text = Template.of(name).text
        assert "@page" in text
        assert "@media print" in text
        assert not re.search(r"https?:|src=|<link|<script|url\(", text)
