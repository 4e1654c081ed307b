"""Draw the figures of the pages on concepts: `python scripts/draw_concepts.py [NAME ...]`.

Each is drawn from answers to applicants of the lender of `ifonly.datasets`, by boosted trees.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly
from ifonly.search import Engine

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
PLANE = "only income, loan change"
INCOMES, LOANS = np.linspace(24_000, 37_000, 240), np.linspace(10_000, 18_500, 240)
APPLICANT = {"age": 44, "education": "school", "job": "technical", "income": 25_423}
APPLICANT |= {"savings": 11_493, "debt": 6_039, "loan": 16_635}
INK, SHADE, ACCENT, SECOND = "#333333", "#cfe3d4", "#c0392b", "#2c6fbb"


def main(names: list[str]) -> None:
    """Draw the figures of these names, or all."""
    mpl.rcParams |= {"font.size": 9, "svg.fonttype": "none", "axes.spines.top": False}
    mpl.rcParams |= {"axes.spines.right": False}
    for name in names or FIGURES:
        mpl.rcParams["svg.hashsalt"] = name
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        FIGURES[name](figure)
        figure.savefig(PICTURES / f"concept-{name}.svg", metadata={"Date": None})


def distance(figure: Figure) -> None:
    """Lines of equal price around a row, and the nearest answer."""
    axes = _plane(figure)
    row = _applicant()
    space = ifonly.Space.infer(ifonly.datasets.make_lender(1000, seed=0).frame)
    mads = {one.name: one.mad for one in space.features if isinstance(one, ifonly.Continuous)}
    across, up = np.meshgrid(INCOMES, LOANS)
    moved = np.abs(across - row["income"].iloc[0]), np.abs(up - row["loan"].iloc[0])
    far = (moved[0] / mads["income"] + moved[1] / mads["loan"]) / len(mads)
    lines = axes.contour(across, up, far, levels=6, colors=INK, linewidths=0.6)
    axes.clabel(lines, fmt="%.2f", fontsize=7)
    nearest = _explainer("exact").explain(row, k=1, rules=[PLANE]).frame()
    _point(axes, row, "the row", "o", INK)
    _point(axes, nearest, "the nearest answer", "X", ACCENT)
    axes.legend(loc="upper right", framealpha=1)


def good(figure: Figure) -> None:
    """What each promise of an answer does to the changes, the price and the numbers."""
    settings = {
        "neither": Engine(needed=False, tight=False, round_numbers=False),
        "needed": Engine(needed=True, tight=False, round_numbers=False),
        "needed, tight": Engine(needed=True, tight=True, round_numbers=False),
        "needed, tight,\nround": Engine(),
    }
    asked = [_explainer(one).explain(_refused(30), k=4) for one in settings.values()]
    figures = {
        "features changed per answer": [one.metrics()["changed"].mean() for one in asked],
        "price": [one.metrics()["price"].mean() for one in asked],
        "round numbers, %": [100 * _round_share(one) for one in asked],
    }
    for axes, (title, values) in zip(
        figure.subplots(1, 3, sharey=True), figures.items(), strict=True
    ):
        bars = axes.barh(list(settings), values, color=SECOND)
        axes.bar_label(bars, fmt="%.2f" if max(values) < 10 else "%.0f", padding=2)
        axes.set_title(title, fontsize=9)
        axes.margins(x=0.25)
        axes.invert_yaxis() if axes.get_subplotspec().is_first_col() else None


def diversity(figure: Figure) -> None:
    """How far answers are from the row, and from each other, at several settings."""
    settings = (0, 0.2, 0.4, 0.55, 0.7, 0.85, 1)
    tables = [_explainer().explain(_refused(90), k=4, diversity=one).metrics() for one in settings]
    axes = figure.add_subplot(xlabel="diversity (0.55 by default)", ylabel="mean distance")
    names = {"pairwise_distance": "between the answers", "distance": "from the row"}
    for (name, label), colour in zip(names.items(), (SECOND, ACCENT), strict=True):
        axes.plot(settings, [one[name].mean() for one in tables], "-o", color=colour, label=label)
    axes.set_ylim(bottom=0)
    axes.legend(loc="lower right", framealpha=1)


def rules(figure: Figure) -> None:
    """What two rules leave of the plane, and the answers with and without them."""
    axes = _plane(figure)
    row = _applicant()
    income = row["income"].iloc[0]
    lawful = (LOANS[:, None] <= 0.45 * INCOMES) & (np.abs(INCOMES - income) <= 0.1 * income)
    axes.contourf(INCOMES, LOANS, ~lawful, levels=[0.5, 1.5], colors="none", hatches=["////"])
    stated = [PLANE, "income changes by at most 10%", "loan / income <= 0.45"]
    free = _explainer().explain(row, k=3, rules=[PLANE]).frame()
    bound = _explainer().explain(row, k=3, rules=stated).frame()
    _point(axes, row, "the row", "o", INK)
    _point(axes, free, "answers without the two rules", "X", SECOND)
    _point(axes, bound, "answers with them", "P", ACCENT)
    axes.legend(loc="lower right", framealpha=1)


def judge(figure: Figure) -> None:
    """The score along one feature, and what the judge accepts of its grid."""
    row = _applicant()
    answer = _explainer().explain(row, k=1, rules=["only income changes"]).frame()
    grid = np.arange(30_000, 37_000, 100)
    frame = pd.concat([row] * len(grid), ignore_index=True).assign(income=grid)
    score = _model().predict_proba(frame)[:, list(_model().classes_).index("approved")]
    accepted = _model().predict(frame) == "approved"
    axes = figure.add_subplot(xlabel="income", ylabel="the model's score for approved")
    axes.axhline(0.5, color=INK, linewidth=0.8)
    axes.scatter(grid[~accepted], score[~accepted], s=14, color="#999999", label="predict: refused")
    axes.scatter(grid[accepted], score[accepted], s=14, color=SECOND, label="predict: approved")
    if len(answer):
        place = answer["income"].iloc[0], answer["score"].iloc[0]
        axes.scatter(*place, marker="X", s=80, color=ACCENT, zorder=3, label="the answer")
    axes.legend(loc="upper left", framealpha=1)


def certificates(figure: Figure) -> None:
    """The nearest answer that the search found, against the least price that is possible."""
    told = _explainer().explain(_refused(40), k=3, certify=True).certificates()
    axes = figure.add_subplot(
        xlabel="proved bound of every price", ylabel="price of the nearest answer"
    )
    most = 1.05 * told["price"].max()
    axes.plot([0, most], [0, most], color=INK, linewidth=0.8)
    axes.scatter(told["bound"], told["price"], s=22, color=SECOND, alpha=0.8)
    gap = f"half of them below {told['gap'].median():.1%}, all below {told['gap'].max():.1%}"
    axes.set_title(f"Gaps of {len(told)} rows: {gap}", fontsize=9)
    axes.set(xlim=(0, most), ylim=(0, most))


def causes(figure: Figure) -> None:
    """An answer as actions and their consequences."""
    lender = ifonly.datasets.make_lender(1000, seed=0)
    actions = ["age", "education", "job", "savings", "debt", "loan"]
    causal = ifonly.CausalModel(lender.graph, lender.equations, actions=actions)
    row = _applicant()
    stated = ["age only increases", "education increases => age increases by at least 2"]
    asked = ifonly.explain(_model(), row, data=lender.frame, k=1, rules=stated, causes=causal)
    lines = asked.changes()
    mads = {one.name: getattr(one, "mad", 1.0) for one in asked.space.features}
    axes = figure.add_subplot(xlabel="change, in median absolute deviations")
    for line in lines.to_dict("records"):
        number = isinstance(line["before"], int | float)
        size = (line["after"] - line["before"]) / mads[line["feature"]] if number else 0.0
        name = f"{line['feature']}: {line['before']} to {line['after']}"
        bar = axes.barh(name, size, color=SECOND if line["follows"] else ACCENT)
        axes.bar_label(bar, ["follows" if line["follows"] else "action"], padding=3)
    axes.invert_yaxis()
    axes.margins(x=0.25)


def robustness(figure: Figure) -> None:
    """In how many refits that the search has not seen an answer is valid."""
    lender = ifonly.datasets.make_lender(1000, seed=0)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["education", "job"]), remainder=StandardScaler()
    )
    pipeline = make_pipeline(encode, LogisticRegression(max_iter=1000))
    model = pipeline.fit(lender.frame, lender.outcome)
    rows = lender.frame[model.predict(lender.frame) == "refused"][:40]
    refits = ifonly.Refits(pipeline, lender.frame, lender.outcome, n=9)
    explainer, fresh = ifonly.Explainer(model, data=lender.frame), refits.fresh(29)
    options: dict[str, dict[str, Any]] = {
        "plain": {},
        "margin=0.1": {"margin": 0.1},
        "robust=Refits(n=9)": {"robust": refits},
    }
    for axes, (name, option) in zip(
        figure.subplots(1, 3, sharey=True), options.items(), strict=True
    ):
        asked = explainer.explain(rows, k=3, **option)
        share = asked.agreement(fresh)["share"]
        axes.hist(share, bins=np.linspace(0, 1, 11), color=SECOND)
        price = np.nanmean(np.nanmin(np.where(asked.filled, asked.price(), np.nan), axis=1))
        title = f"{name}\nvalid in {share.mean():.0%} of refits\nnearest price {price:.2f}"
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("share of 29 refits")
    figure.axes[0].set_ylabel("answers")


@cache
def _model() -> Any:
    """Boosted trees on the lender's applicants."""
    lender = ifonly.datasets.make_lender(1000, seed=0)
    encode = make_column_transformer(
        (OneHotEncoder(), ["education", "job"]), remainder="passthrough"
    )
    model = make_pipeline(encode, GradientBoostingClassifier(n_estimators=40, random_state=0))
    return model.fit(lender.frame, lender.outcome)


@cache
def _explainer(method: Any = "auto") -> ifonly.Explainer:
    data = ifonly.datasets.make_lender(1000, seed=0).frame
    return ifonly.Explainer(_model(), data=data, method=method)


def _refused(count: int) -> pd.DataFrame:
    """The first refused applicants of others than the model was fitted to."""
    applicants = ifonly.datasets.make_lender(200, seed=1).frame
    return applicants[_model().predict(applicants) == "refused"][:count]


def _applicant() -> pd.DataFrame:
    """The applicant of the figures of the plane."""
    return pd.DataFrame([APPLICANT]).astype(_refused(1).dtypes)


def _plane(figure: Figure) -> Axes:
    """Axes of income and loan, shaded where the model accepts the applicant."""
    axes = figure.add_subplot(xlabel="income", ylabel="loan")
    across, up = np.meshgrid(INCOMES, LOANS)
    frame = pd.concat([_applicant()] * across.size, ignore_index=True)
    frame = frame.assign(income=across.ravel(), loan=up.ravel())
    accepted = np.asarray(_model().predict(frame) == "approved").reshape(across.shape)
    axes.contourf(across, up, accepted, levels=[0.5, 1.5], colors=[SHADE])
    axes.set(xlim=INCOMES[[0, -1]], ylim=LOANS[[0, -1]])
    return axes


def _point(axes: Axes, frame: pd.DataFrame, name: str, mark: str, colour: str) -> None:
    axes.scatter(
        frame["income"], frame["loan"], marker=mark, s=60, label=name, color=colour, zorder=3
    )


def _round_share(answers: ifonly.Answers) -> float:
    """The share of changed numbers that are multiples of 50."""
    after = pd.to_numeric(answers.changes()["after"], errors="coerce").dropna()
    return float((after[after > 200] % 50 == 0).mean())


FIGURES: dict[str, Callable[[Figure], None]] = {
    one.__name__: one
    for one in (distance, good, diversity, rules, judge, certificates, causes, robustness)
}

if __name__ == "__main__":
    main(sys.argv[1:])
