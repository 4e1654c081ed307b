"""Numbers are written one way everywhere, and what is no probability is not shown as one."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import LinearSVC

import ifonly
from ifonly import Space
from ifonly.cli import terminal
from ifonly.errors import OptionError
from ifonly.render.plot import figure
from ifonly.render.text import sentence
from ifonly.render.view import AnswerView, Change, value_text

RNG = np.random.default_rng(0)
DATA = pd.DataFrame({"pay": RNG.integers(10_000, 90_000, 200), "debt": RNG.integers(0, 9999, 200)})
RICH = DATA["pay"] - 2 * DATA["debt"] > 40_000
POOR = DATA[~RICH][:1]


def explain(model: Any, **options: Any) -> ifonly.Answers:
    space = Space.infer(DATA, thousands=options.pop("thousands", ","))
    return ifonly.explain(model, POOR, data=DATA, space=space, k=2, plausible=False, **options)


def lend(frame: pd.DataFrame) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp((40_000 - frame["pay"] + 2 * frame["debt"]) / 9_000)))


LENDER = ifonly.as_model(lend, classes=["no", "yes"])


def pages(answers: ifonly.Answers) -> list[str]:
    """Every rendering of answers as text."""
    view = answers.views()[0]
    drawn = [text.get_text() for axes in figure(view).axes for text in axes.texts]
    tables = terminal.plain(terminal.rows([view]))
    html = re.sub(r"<details.*|<style>.*?</style>|<[^>]+>", "", answers.to_html(), flags=re.S)
    plan = str(answers.plan(0))
    return [" ".join(answers.sentences()[0]), " ".join(drawn), tables, html, plan]


@pytest.mark.parametrize("thousands", [",", " ", "", "\u202f"])
def test_thousands_are_apart_as_the_space_says(thousands: str) -> None:
    answers = explain(LENDER, thousands=thousands)
    pay = int(POOR["pay"].iloc[0])
    for text in pages(answers):
        assert f"{pay:,}".replace(",", thousands) in text
    assert answers.frame()["pay"].dtype == DATA["pay"].dtype
    again = ifonly.Answers.from_json(answers.to_json())
    assert again.sentences() == answers.sentences()
    asked = ifonly.explain_again(answers.record, LENDER, POOR, data=DATA)
    assert asked.sentences() == answers.sentences()


@pytest.mark.parametrize("thousands", [".", ",,", None, 1])
def test_thousands_that_mislead_are_refused(thousands: Any) -> None:
    with pytest.raises(OptionError, match="thousands"):
        Space.infer(DATA, thousands=thousands)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9999, "9999"),
        (1234.5, "1234.5"),
        (10_000, "10,000"),
        (12345.678, "12,345.678"),
        (-2e4, "-20,000"),
    ],
)
def test_numbers_of_five_digits_have_thousands(value: float, text: str) -> None:
    assert value_text(value) == text


def test_a_margin_is_not_shown_as_a_probability() -> None:
    scaled = DATA / [10_000, 1_000]
    model = LinearSVC(C=0.1).fit(scaled, RICH)
    row = scaled[~model.predict(scaled)][:1]
    answers = ifonly.explain(model, row, data=scaled, k=2, plausible=False)
    view = answers.views()[0]
    assert view.score == pytest.approx(model.decision_function(row)[0])
    frame = answers.frame()[list(DATA.columns)]
    margins = [answer.score for answer in view.answers]
    assert margins == pytest.approx(model.decision_function(frame))
    assert view.threshold == 0
    assert "(margin " in answers.sentences()[0][0]
    assert "its margin for" in answers.to_html()
    assert 'class="meter"' not in answers.to_html()
    assert "margin" in terminal.plain(terminal.answers(view))
    figure(view).canvas.draw()


def test_labels_have_no_score_at_all() -> None:
    model = ifonly.as_model(
        lambda f: np.where(lend(f) > 0.5, "yes", "no"), classes=["no", "yes"], gives="labels"
    )
    answers = explain(model)
    assert ": yes." in answers.sentences()[0][0]
    assert len(answers.plot(0).axes) == 1
    assert "1.00" not in " ".join(pages(answers))
    again = ifonly.Answers.from_json(answers.to_json())
    assert again.sentences() == answers.sentences()


@pytest.mark.parametrize(
    ("options", "line"),
    [({"target": "yes"}, 0.5), ({"target": "yes", "threshold": 0.7}, 0.7)],
)
def test_the_plot_marks_the_threshold(options: dict[str, Any], line: float) -> None:
    answers = explain(LENDER, **options)
    made = answers.plot(0)
    (dotted,) = [one for one in made.axes[1].lines if one.get_linestyle() == ":"]
    assert list(dotted.get_ydata()) == [line, line]
    assert any(f"the threshold, {line:.2f}" in text.get_text() for text in made.texts)


def test_the_threshold_of_the_first_class_is_what_is_left() -> None:
    granted = DATA[lend(DATA) >= 0.7][:1]
    answers = ifonly.explain(LENDER, granted, data=DATA, k=1, threshold=0.7, plausible=False)
    assert answers.views()[0].threshold == pytest.approx(0.3)


def test_a_predicted_number_has_no_threshold() -> None:
    model = ifonly.as_model(lambda f: f["pay"] - 2.0 * f["debt"], task="regression")
    answers = explain(model, target=(50_000, 60_000))
    assert answers.views()[0].threshold is None
    assert re.search(r": 5\d,\d{3}\.$", answers.sentences()[0][0])


def test_a_sentence_lists_six_changes_at_most() -> None:
    many = tuple(Change(f"f{place}", 0, 1) for place in range(18))
    said = sentence(AnswerView(many, "yes", 0.9, 1.0))
    assert said.endswith("f5 1 (not 0) and 12 more: yes (0.90).")
    assert said.count("(not") == 6
    follows = tuple(Change(f"g{place}", 0, 1, follows=True) for place in range(4))
    said = sentence(AnswerView((*many[:4], *follows), "yes", 0.9, 1.0))
    assert said.count("(not") == 6
    assert said.endswith("g1 1 (not 0) and 2 more: yes (0.90).")
    said = sentence(AnswerView((*many[:6], *follows), "yes", 0.9, 1.0))
    assert said.endswith(", so that 4 more would change: yes (0.90).")
