"""Draw the picture of the guide 'Answers that hold up': `python scripts/draw_tolerance.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import ifonly

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "tolerance.svg"
OFF = {"income": 1000, "loan": 500}
"""By how much the two numbers may be off."""
RULES = (
    "only income, loan change",
    "income changes by at most 20%",
    "loan changes by at most 20%",
)


def main() -> None:
    """Write the picture: the row, its nearest answer, and the one with a tolerance."""
    lender = ifonly.datasets.make_lender(1000, seed=0)
    encode = make_column_transformer(
        (OneHotEncoder(), ["education", "job"]), remainder="passthrough"
    )
    model = make_pipeline(encode, GradientBoostingClassifier(n_estimators=40, random_state=0))
    model.fit(lender.frame, lender.outcome)
    applicants = ifonly.datasets.make_lender(100, seed=1).frame
    row = applicants[model.predict(applicants) == "refused"][45:46]
    explainer = ifonly.Explainer(model, data=lender.frame, rules=RULES)
    nearest = explainer.explain(row, k=1).frame()
    held = explainer.explain(row, k=1, tolerance=OFF).frame()

    mpl.rcParams |= {"svg.hashsalt": "tolerance", "font.size": 9, "svg.fonttype": "none"}
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.add_subplot(xlabel="income", ylabel="loan")
    _shade(axes, model, row)
    for frame, name, mark in (
        (row, "the row: refused", "o"),
        (nearest, "nearest answer", "X"),
        (held, "answer with a tolerance", "P"),
    ):
        axes.scatter(frame["income"], frame["loan"], marker=mark, s=60, label=name, zorder=3)
    axes.add_patch(_box(held))
    axes.legend(loc="upper right", framealpha=1)
    figure.savefig(PICTURE, metadata={"Date": None})


def _shade(axes: Axes, model: object, row: pd.DataFrame) -> None:
    """Shade the incomes and loans with which the model would accept the row."""
    incomes = np.linspace(24_000, 33_000, 160)
    loans = np.linspace(11_500, 18_500, 120)
    across, up = np.meshgrid(incomes, loans)
    frame = pd.concat([row] * across.size, ignore_index=True)
    frame["income"], frame["loan"] = across.ravel(), up.ravel()
    accepted = np.asarray(model.predict(frame) == "approved").reshape(across.shape)  # type: ignore[attr-defined]
    axes.contourf(across, up, accepted, levels=[0.5, 1.5], colors=["#cfe3d4"])
    axes.set(xlim=incomes[[0, -1]], ylim=loans[[0, -1]])


def _box(held: pd.DataFrame) -> Rectangle:
    """What the changed numbers may end up as."""
    (income, wide), (loan, high) = ((float(held[name].iloc[0]), off) for name, off in OFF.items())
    corner = income - wide, loan - high
    return Rectangle(corner, 2 * wide, 2 * high, fill=False, linewidth=1.5, zorder=2)


if __name__ == "__main__":
    main()
