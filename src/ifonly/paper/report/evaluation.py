"""Anyone's counterfactuals, measured as the paper measures: one HTML page that opens offline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ifonly import metrics
from ifonly.metrics.boundary import adapted_to, met, places_of, wanted_goal
from ifonly.paper.authors.facts import SET_METRICS
from ifonly.paper.report import figures
from ifonly.paper.runs.machine import machine
from ifonly.render import page_parts as pages
from ifonly.render.html import isolated
from ifonly.render.page_parts import Section, not_run, picture, table, text
from ifonly.space.table.carry import tagged

MOST_ROWS = 200
"""How many rows the page shows one by one."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The metrics of counterfactuals, each row's and their means, and the boundary they predict."""

    k: int
    per_row: pd.DataFrame
    means: pd.DataFrame
    boundary: pd.DataFrame
    judged: bool
    """Whether a model has said which counterfactuals are valid."""


def evaluated(sets: Any, model: Any = None, *, within: str = "sphere", seed: int = 0) -> Evaluation:
    """The metrics of Answers or of Sets from elsewhere; a model judges them and its boundary."""
    valid, boundary = sets.filled, pd.DataFrame()
    if model is not None:
        adapted = adapted_to(sets, model)
        points = tagged(sets.points, places_of(sets, adapted))
        valid = sets.filled & met(adapted, wanted_goal(sets, adapted), points)
        boundary = metrics.boundary(sets, model, within=within, seed=seed)
    far = {"distance": sets.distance(), "price": sets.price()}
    table_of = metrics.set_metrics(sets.metric, sets.x, sets.points, valid, sets.filled, **far)
    per_row = pd.DataFrame({"query": np.arange(len(sets.x)), **table_of})
    return Evaluation(
        sets.k, per_row, metrics.summary(per_row, sets.k), boundary, judged=model is not None
    )


def page(evaluation: Evaluation, name: str) -> str:
    """The page of an evaluation; `name` says what was evaluated."""
    facts = machine()
    judged = (
        "Validity is the model's own word."
        if evaluation.judged
        else "No model was asked: every counterfactual counts as valid."
    )
    lead = (
        f'<p class="note">{isolated(name)}: {len(evaluation.per_row)} rows, {evaluation.k} '
        f"counterfactuals asked for. {judged} {facts['date']}, "
        f"ifonly {facts['versions']['ifonly']}.</p>"
    )
    return pages.page("Counterfactuals, evaluated", lead, _sections(evaluation))


def _sections(evaluation: Evaluation) -> list[Section]:
    means = evaluation.means.rename(columns={"all": "all rows", "full": "rows with all k"})
    means = means.rename_axis("metric").reset_index()
    means.insert(1, "in the paper", [SET_METRICS.get(str(one), "") for one in means["metric"]])
    shown = evaluation.per_row[:MOST_ROWS]
    rest = len(evaluation.per_row) - len(shown)
    return [
        Section("sets", "Validity, proximity and diversity", [table(means, "Means")]),
        Section("boundary", "The local decision boundary", _boundary(evaluation)),
        Section(
            "rows",
            "Row by row",
            [table(shown), text(f"… and {rest} more rows.") if rest else ""],
        ),
    ]


def _boundary(evaluation: Evaluation) -> list[str]:
    if evaluation.boundary.empty:
        return [not_run("the boundary needs the model.", "Give --model FILE.")]
    names = ["precision", "recall", "f1", "accuracy", "share"]
    means = evaluation.boundary.groupby("radius")[names].mean().reset_index()
    chart = figures.rendered(figures.guessing(evaluation.boundary))
    caption = (
        "What a 1-nearest-neighbour guess from each row and its counterfactuals predicts for "
        "points sampled around it."
    )
    return [picture(chart["svg"], "boundary", caption), table(means, "Means over all rows")]
