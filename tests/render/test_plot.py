"""The picture: what changes, by how much, and the scores; made without global state."""

from __future__ import annotations

import subprocess
import sys
import warnings
from dataclasses import replace

import pytest
from matplotlib.figure import Figure

from ifonly.errors import MissingExtra
from ifonly.render.plot import figure
from ifonly.render.plot_importance import bars
from ifonly.render.view import AnswerView, Change, RowView


def texts(made: Figure) -> list[str]:
    """Every text of a figure."""
    found = [text.get_text() for axes in made.axes for text in axes.texts]
    return found + [text.get_text() for text in made.texts]


def drawn(made: Figure) -> None:
    """Draw everything: what cannot be drawn fails here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made.canvas.draw()


def test_it_shows_changed_features_with_their_old_and_new_values(row: RowView) -> None:
    shown = texts(figure(row))
    for text in ("age", "22", "34  (+12)", "20  (−2)", "<script>", "answer 2"):
        assert text in shown
    assert "city" not in shown
    assert any("what would give >50K" in text for text in shown)


def test_a_bar_is_as_long_as_the_change_is_large(row: RowView) -> None:
    table, _ = figure(row).axes
    up, down = (bar.patches[0].get_width() for bar in table.containers)
    assert up > 0 > down
    assert down / up == pytest.approx(-2 / 12)


def test_scores_are_bars_with_the_row_s_own_as_a_dashed_line(row: RowView) -> None:
    _, scores = figure(row).axes
    assert [bar.get_height() for bar in scores.patches] == [0.71, 0.6]
    (dashed,) = [line for line in scores.lines if line.get_linestyle() == "--"]
    assert list(dashed.get_ydata()) == [0.2, 0.2]
    assert {"0.71", "0.60", "0.20"} <= set(texts(figure(row)))


def test_it_says_how_far_answers_meet_demands(row: RowView) -> None:
    shares = [0.889, *[1.0] * (len(row.answers) - 1)]
    pairs = zip(row.answers, shares, strict=True)
    answers = tuple(replace(answer, agreeing=share) for answer, share in pairs)
    text = " ".join(texts(figure(replace(row, answers=answers))))
    assert "Other models that agree: 88 %" in text
    assert "tolerance" not in text


def test_a_predicted_number_stands_on_the_row_s_own(priced: RowView) -> None:
    _, scores = figure(priced).axes
    (bar,) = scores.patches
    assert (bar.get_y(), bar.get_height()) == (210.0, 50.5)
    assert len(scores.collections) == 1  # the wanted range


def test_a_row_without_answers_says_why(hopeless: RowView) -> None:
    made = figure(hopeless)
    assert "Nothing <may> change." in " ".join(" ".join(texts(made)).split())
    drawn(made)


def test_many_answers_with_long_names_keep_inside_their_columns() -> None:
    names = [f"a feature with a long name and ${place}$" for place in range(15)]
    values = {name: float(place) if place % 2 else "old" for place, name in enumerate(names)}
    level = "an extraordinarily_long/level-name without any end to it at all"
    changes = tuple(
        Change(name, value, value + 12345.25 if isinstance(value, float) else level)
        for name, value in values.items()
    )
    answers = (AnswerView(changes, "yes", 0.9, 2.0),) * 10
    made = figure(RowView(0, 0, values, "no", 0.1, "yes", "found", "", answers))
    drawn(made)
    table = made.axes[0]
    column = (table.get_xlim()[1] - table.texts[2].get_position()[0]) / 9.5
    to_inches = table.transData.inverted()
    for text in table.texts:
        box = text.get_window_extent().transformed(to_inches)
        if text.get_ha() == "center":
            assert box.width < column


@pytest.mark.parametrize("value", [None, True, "", "no-break" * 10])
def test_odd_values_can_be_drawn(value: object) -> None:
    answer = AnswerView((Change("odd", value, "new"),), "yes", 0.9, 1.0)
    drawn(figure(RowView(0, 0, {"odd": value}, "no", 0.1, "yes", "found", "", (answer,))))


@pytest.mark.parametrize("text", ["$", "a $b^2$ c", r"$\frac$", r"\alpha_{", "%s {}", "two\nlines"])
def test_text_of_the_data_is_drawn_as_it_is(text: str) -> None:
    answer = AnswerView((Change(text, text, f"{text}!"),), text, 0.9, 1.0)
    view = RowView(0, text, {text: text}, text, 0.1, text, "found", text, (answer,))
    lone = replace(view, answers=(), status="not_found")
    for made in (figure(view), figure(lone), bars([text, "other"], [0.5, 0.1], [0.2, 0.0])):
        drawn(made)


def test_a_notebook_can_show_it_without_pyplot(row: RowView) -> None:
    assert figure(row)._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


def test_it_leaves_pyplot_alone() -> None:
    code = (
        "import sys\n"
        "from ifonly.render.plot import figure\n"
        "from ifonly.render.view import AnswerView, Change, RowView\n"
        "answer = AnswerView((Change('a', 1, 2),), 'yes', 0.9, 1.0)\n"
        "figure(RowView(0, 0, {'a': 1}, 'no', 0.1, 'yes', 'found', '', (answer,)))\n"
        "assert 'matplotlib.figure' in sys.modules\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_without_matplotlib_it_says_what_to_install(
    row: RowView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for view in (row, replace(row, answers=(), status="not_found")):
        with pytest.raises(MissingExtra, match=r"pip install 'ifonly\[plot\]'"):
            figure(view)
