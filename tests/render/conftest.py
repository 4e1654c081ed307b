"""Rows to show: with answers, without, of a classifier and of a regressor."""

from __future__ import annotations

import pytest

from ifonly.render.view import AnswerView, Change, RowView


@pytest.fixture
def row() -> RowView:
    """Three features, of which two answers change two; every text wants escaping."""
    return RowView(
        query=0,
        name="<b>7</b>",
        values={"age": 22, "job & <role>": '"clerk" <1>', "city": "Unchanged"},
        prediction="<=50K",
        score=0.2,
        wanted=">50K",
        status="found",
        note="",
        answers=(
            AnswerView((Change("age", 22, 34),), ">50K", 0.71, 1.2),
            AnswerView(
                (Change("age", 22, 20), Change("job & <role>", '"clerk" <1>', "<script>")),
                ">50K",
                0.6,
                1.5,
            ),
        ),
    )


@pytest.fixture
def priced() -> RowView:
    """A row of a regressor."""
    answer = AnswerView((Change("rooms", 2, 4),), 260.5, 260.5, 1.0)
    return RowView(
        1, 1, {"rooms": 2}, 210.0, 210.0, (250.0, 300.0), "partial", "A note.", (answer,)
    )


@pytest.fixture
def hopeless() -> RowView:
    """A row without answers."""
    values = {"rooms": 2}
    return RowView(2, 2, values, "no", 0.1, "yes", "infeasible", "Nothing <may> change.", ())
