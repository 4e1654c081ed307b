"""The HTML page and the notebook fragment: whole, escaped, and only what changes."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from html.parser import HTMLParser

import pandas as pd

import ifonly
from ifonly.render.html import fragment, page
from ifonly.render.text import sentence, without_answers
from ifonly.render.view import RowView

RECORD = {"seed": 0, "rules": ["<i>age</i> fixed"], "weights": {}, "threshold": None}
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Collects texts, and holds every tag to its end tag."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(content)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_parses_and_has_every_row_and_answer(
    row: RowView, priced: RowView, hopeless: RowView
) -> None:
    read = Reader(page([row, priced, hopeless], RECORD))
    text = "".join(read.texts)
    assert read.tags.count("article") == 3
    for view in (row, priced, hopeless):
        assert f"Row {view.name}" in text
        assert all(sentence(answer) in text for answer in view.answers)
    assert without_answers(hopeless) in text
    assert "A note." in text


def test_an_answer_shows_what_changes_before_and_after(row: RowView) -> None:
    article = page([row], RECORD).partition("<article>")[2].partition("</article>")[0]
    text = " ".join(" ".join(Reader(f"<div>{article}</div>").texts).split())
    assert "age 22 → 34" in text
    assert "prediction >50K score 0.71 distance 1.20" in text
    assert "Unchanged" not in text


def test_everything_that_comes_from_data_is_escaped(row: RowView) -> None:
    for content in (page([row], RECORD), fragment([row], total=1)):
        assert "<script>" not in content
        assert "<b>7</b>" not in content
        assert "<i>" not in content.replace("<i style", "")
        assert escape("job & <role>") in content


def test_the_page_fetches_nothing(row: RowView, priced: RowView) -> None:
    content = page([row, priced], RECORD)
    assert not re.search(r"https?:|src=|url\(|@import|<link", content)


def test_the_page_has_a_light_and_a_dark_style(row: RowView) -> None:
    assert "@media (prefers-color-scheme: dark)" in page([row], RECORD)


def test_the_page_says_what_produced_the_answers(row: RowView) -> None:
    record = page([row], RECORD).partition("<details")[2]
    for name in RECORD:
        assert f"><bdi>{name}</bdi></th>" in record
    assert "&lt;i&gt;age&lt;/i&gt; fixed" in record


def test_the_fragment_shows_only_changed_features(row: RowView) -> None:
    content = fragment([row], total=1)
    assert "<th><bdi>city</bdi></th>" not in content
    assert "<th><bdi>age</bdi></th>" in content
    assert "Unchanged" not in content
    texts = [text for text in Reader(content).texts if text.strip()]
    assert texts[texts.index("1") + 1 :][:2] == ["34", "—"]


def test_the_fragment_tells_how_many_rows_it_leaves_out(row: RowView, hopeless: RowView) -> None:
    assert "and 5 more rows." in fragment([row, hopeless], total=7)
    assert "more row" not in fragment([row], total=1)
    assert "Nothing &lt;may&gt; change." in fragment([hopeless], total=1)


def test_the_style_of_the_fragment_touches_nothing_else(row: RowView) -> None:
    style = fragment([row], total=1).partition("<style>")[2].partition("</style>")[0]
    selectors = [one for part in re.findall(r"([^{}]+){", style) for one in part.split(",")]
    assert all(selector.strip().startswith(".ifonly") for selector in selectors)


def test_scores_beyond_their_range_stay_on_the_bar(row: RowView) -> None:
    assert "width:100.0%" in page([replace(row, score=1.5)], RECORD)


def test_answers_show_themselves_in_a_notebook() -> None:
    data = pd.DataFrame({"income": [1000, 3000, 5000], "job": ["a", "b", "a"]})
    model = ifonly.as_model(lambda frame: frame["income"] > 4000, classes=["no", "yes"])
    answers = ifonly.explain(model, data[:2], data=data, k=1)
    shown = answers._repr_html_()
    assert str(answers.changes()["after"][0]) in shown
    assert "job" not in shown
    Reader(shown)
    Reader(answers.to_html())
