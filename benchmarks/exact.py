"""Solving: nearest answers proved, the default engine beside them, the paper's linear models."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import ifonly
from exhaustive import nearest
from ifonly.answers.certificates import PROVED
from ifonly.models import Dense
from mixed_integer import against_mixed_integer
from proving import COLUMNS, LIMIT, NOTE, Proved, prove
from published import SETS, Published, published
from record import Record
from regret import regret
from settings import EXACTLY
from solved_trees import trees

CERTIFIED = (
    "certify agrees: the share of rows for which certify, which starts from the engine's answer, "
    "proves the same distance."
)


def main(record: Record) -> None:
    """Fill the record."""
    record.facts["versions"] |= {name: version(name) for name in ("highspy", "ortools")}
    problems = {name: linear(name) for name in SETS}
    linear_models(record, problems)
    networks(record)
    regret(record)
    trees(record)
    against_mixed_integer(record, problems)


def linear(name: str) -> Published:
    """The published linear model with its rows; for LendingClub one that is trained here."""
    problem = by_distance(published(name, "linear"))
    if name != "lending_club":
        return problem
    train, _ = ifonly.datasets.load(name).split()
    units = problem.space.units(problem.space.codes(train.features))
    fitted = LogisticRegression(class_weight="balanced", max_iter=1000).fit(units, train.outcome)
    classes = tuple(fitted.classes_.tolist())
    return replace(
        problem, model=Dense([(fitted.coef_.T, fitted.intercept_)], problem.space, classes)
    )


def by_distance(problem: Published) -> Published:
    """The problem in which the price is the distance."""
    return replace(problem, space=replace(problem.space, sparsity=0))


def linear_models(record: Record, problems: dict[str, Published]) -> None:
    """All published rows, to proved optimality."""
    found, certified = {}, {}
    for name, problem in problems.items():
        rows = problem.rows[:25] if record.quick else problem.rows
        found[name], certified[name] = _proved(problem, rows)
    right = _accuracy(problems["lending_club"])
    record.table(
        "Linear models: the nearest answer, proved",
        ("set", *COLUMNS, "certify agrees"),
        [[name, *one.line(), certified[name]] for name, one in found.items()],
        f"{NOTE} {CERTIFIED} LendingClub's published linear weights decide no better than chance; "
        "its model is a logistic regression with balanced classes trained here, which is right on "
        f"{right:.3f} of the test part.",
    )
    _checks(record, "linear models", found, certified)
    compas = found["compas"].answers
    off = float(np.abs(compas.distance()[:, 0] / nearest(problems["compas"], compas.x) - 1).max())
    record.check(
        "COMPAS: the nearest answers are those of an enumeration of all points",
        off < 1e-6,
        f"largest difference {off:.1e} of the distance, {len(compas.x)} rows",
    )


def networks(record: Record) -> None:
    """Rows of the published networks, to proved optimality."""
    found, certified = {}, {}
    for name, count in (("adult", 100), ("german_credit", 50)):
        problem = by_distance(published(name))
        found[name], certified[name] = _proved(
            problem, problem.rows[: 8 if record.quick else count]
        )
    record.table(
        "Published networks: the nearest answer, proved",
        ("set", *COLUMNS, "certify agrees"),
        [[name, *one.line(), certified[name]] for name, one in found.items()],
        f"{NOTE} {CERTIFIED}",
    )
    _checks(record, "networks", found, certified)


def _proved(problem: Published, rows: pd.DataFrame) -> tuple[Proved, float]:
    """What is proved of rows, and the share of them on which `certify` proves the same."""
    engine = ifonly.explain(
        problem.model, rows, space=problem.space, k=1, certify=LIMIT, method=EXACTLY
    )
    found = prove(problem.model, rows, engine, LIMIT, space=problem.space)
    bound = pd.DataFrame(engine.certificates())["bound"][found.done].to_numpy()
    return found, float((np.abs(bound / found.nearest - 1) <= PROVED).mean())


def _checks(
    record: Record, kind: str, found: dict[str, Proved], certified: dict[str, float]
) -> None:
    share = {name: float(one.done.mean()) for name, one in found.items()}
    record.check(f"{kind}: every row is proved", min(share.values()) == 1, _listed(share))
    refuted = {name: float(one.refuted) for name, one in found.items()}
    record.check(
        f"{kind}: no proof is refuted by a nearer answer, and certify proves the same",
        not sum(refuted.values()) and min(certified.values()) == 1,
        f"refuted: {_listed(refuted)}; the same: {_listed(certified)}",
    )
    gaps = {name: float(np.median(one.gap)) for name, one in found.items()}
    record.check(
        f"{kind}: the engine's median gap is at most 1 %",
        max(gaps.values()) <= 0.01,
        _listed(gaps),
    )
    within = {name: float((one.gap <= 0.05).mean()) for name, one in found.items()}
    record.check(
        f"{kind}: the engine is within 5 % of the nearest for at least 95 % of rows",
        min(within.values()) >= 0.95,
        _listed(within),
    )


def _accuracy(problem: Published) -> float:
    """The share of the test part on which a model is right."""
    _, test = ifonly.datasets.load(problem.name).split()
    scores = problem.model.scores(problem.space.codes(test.features))
    classes = np.array(problem.model.classes)
    return float((classes[scores.argmax(axis=1)] == test.outcome.to_numpy()).mean())


def _listed(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {figure:.3f}" for name, figure in figures.items())
