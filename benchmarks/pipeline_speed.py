"""The default engine on fitted pipelines, beside dice-ml's methods for any model and NICE."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

import ifonly
from answered import SHOWN, judged, line, means, ours
from cost import cost
from peers import ask, columns_of, figures_of, frame_of
from pipelines import Fitted, fitted
from record import Record
from settings import FORMER
from timing import around, framed, single_median, singles

K = 4
RANDOM, GENETIC, KDTREE = 12, 90, 25
"""How many times dice-ml's rows a second are claimed on pipelines."""
DEFAULT = {"random": 8, "genetic": 60, "kdtree": 15}
"""The same of the default choice."""
SINGLE = {"forest": 0.5, "xgboost": 0.2}
"""The most of dice-ml random's time that a single row may take."""


def main(record: Record, name: str) -> None:
    """A fitted pipeline, against dice-ml's methods for any model, and NICE at k = 1."""
    fit = fitted(name, 20 if record.quick else 200)
    rows, predict, q = fit.rows, fit.pipeline.predict, len(fit.rows)
    explainer = ifonly.Explainer(fit.pipeline, data=fit.train, method=FORMER)
    chosen = ifonly.Explainer(fit.pipeline, data=fit.train)
    asks = {"former": partial(explainer.explain, k=K), "default": partial(chosen.explain, k=K)}
    batch: dict[str, Any] = {by: partial(framed, one, rows) for by, one in asks.items()}
    alone = singles(asks, rows, 5 if record.quick else 20)
    wide = explainer.explain(rows, k=K, diversity=0.85)
    results = {"ifonly, former choice": explainer.explain(rows, k=K), "ifonly, 0.85": wide}
    results["ifonly, default"] = chosen.explain(rows, k=K)
    mine = {by: _table(answers, rows, predict) for by, answers in results.items()}
    lines: list[list[Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pipeline.joblib"
        joblib.dump(fit.pipeline, path)
        for method, wanted in (("random", RANDOM), ("genetic", GENETIC), ("kdtree", KDTREE)):
            limit, repeats = (8, 2) if record.quick else (90, 4)
            task = _task(fit, path, method, K, limit)
            peer, took = around(partial(ask, "dice", "dice_tabular", task), batch | alone, repeats)
            _same_scores(peer, fit)
            done, each = len(peer["answers"]), float(np.mean(peer["seconds"]))
            single = float(np.median(peer["seconds"]))
            our_each, our_single = took["former"] / q, single_median(took, "former")
            faster = each / (took["default"] / q)
            record.check(
                f"{name}: by default, {DEFAULT[method]} times dice-ml {method}'s rows a second",
                faster >= DEFAULT[method],
                f"{faster:.1f}; a single row {1e3 * single_median(took, 'default'):.0f} ms",
            )
            given = frame_of(peer["answers"], fit.train)
            theirs = judged(given, rows[:done], fit.space, K, predict)
            lines.append([f"dice-ml {method}", done, 1e3 * each, 1e3 * single])
            lines[-1] += line(means(theirs))
            lines.append([f"ifonly beside {method}", q, 1e3 * our_each, 1e3 * our_single])
            lines[-1] += line(means(mine["ifonly, former choice"][:done]))
            record.check(
                f"{name}: {wanted} times dice-ml {method}'s rows a second in a batch of {q}",
                each / our_each >= wanted,
                f"{each / our_each:.1f}",
            )
            if method == "random":
                record.check(
                    f"{name}: a single row in at most {SINGLE[name]} of dice-ml random's time",
                    our_single <= SINGLE[name] * single,
                    f"{1e3 * our_single:.0f} and {1e3 * single:.0f} ms",
                )
                _wider(record, name, theirs, mine)
        if name == "forest":
            nearest(record, fit, path)
    lines += _whole(record, name, mine, q)
    _check_cost(record, name, cost(explainer, rows, K), q)
    record.table(
        f"Adult, {name} pipeline, k = 4",
        ("by", "rows", "ms per row", "single row, ms", *SHOWN),
        lines,
        "dice-ml takes rows one by one, as many as its time allows; ifonly all at once, the former "
        "choice, frames and judging included, timed before and after each method, quality on "
        "the same rows. The last lines: all rows, also with diversity=0.85 and by default.",
    )


def _whole(record: Record, name: str, mine: dict[str, pd.DataFrame], q: int) -> list[list[Any]]:
    """The lines of all rows, each checked for gaps."""
    lines: list[list[Any]] = []
    for by, table in mine.items():
        figures = means(table)
        lines.append([by, q, "", "", *line(figures)])
        record.check(
            f"{name}: {by}: every row full, every answer valid by the pipeline's own predict",
            figures["full"] == figures["unique"] == 1,
            f"{figures['full']:.4f}, {figures['valid']:.4f}",
        )
    return lines


def _check_cost(record: Record, name: str, spent: dict[str, float], q: int) -> None:
    record.check(
        f"{name}: at most 3 ms per row outside the model",
        spent["outside"] <= 3,
        f"{spent['outside']:.2f} of {spent['total']:.2f} ms; {spent['rows']:.0f} model rows and "
        f"{spent['calls']:.0f} calls for {q} rows: {spent['rows'] / q:.0f} model rows per row",
    )


def nearest(record: Record, fit: Fitted, path: Path) -> None:
    """NICE and ifonly at k = 1."""
    rows, predict, q = fit.rows, fit.pipeline.predict, len(fit.rows)
    explainer = ifonly.Explainer(fit.pipeline, data=fit.train, method=FORMER)
    one = partial(explainer.explain, k=1)
    alone = singles({"default": one}, rows, 5 if record.quick else 20)
    batch: dict[str, Any] = {"default": partial(framed, one, rows)}
    lines: list[list[Any]] = []
    for method in ("sparsity", "proximity"):
        limit, repeats = (8, 2) if record.quick else (90, 4)
        task = _task(fit, path, method, 1, limit)
        peer, took = around(partial(ask, "nice", "nice_nearest", task), batch | alone, repeats)
        _same_scores(peer, fit)
        done, each = len(peer["answers"]), float(np.mean(peer["seconds"]))
        theirs = figures_of(peer, rows[:done], fit, 1, predict)
        mine = ours(one(rows[:done]), rows[:done], predict)
        single, our_single = float(np.median(peer["seconds"])), single_median(took, "default")
        lines.append([f"NICE, {method}", done, 1e3 * each, 1e3 * single, *line(theirs)])
        lines.append(["ifonly", done, 1e3 * took["default"] / q, 1e3 * our_single, *line(mine)])
        record.check(
            f"{fit.name}: closer than NICE ({method}) on the mean at k = 1, and no slower",
            mine["distance"] < theirs["distance"] and took["default"] / q <= each,
            f"distance {mine['distance']:.3f} and {theirs['distance']:.3f}; "
            f"{1e3 * took['default'] / q:.1f} and {1e3 * each:.1f} ms per row in a batch; "
            f"a single row {1e3 * our_single:.1f} and {1e3 * single:.1f} ms",
        )
    record.table(
        "Adult, forest pipeline, k = 1, against NICE 0.2.3",
        ("by", "rows", "ms per row", "single row, ms", *SHOWN),
        lines,
        "NICE takes rows one by one.",
    )


def _wider(record: Record, name: str, theirs: pd.DataFrame, mine: dict[str, pd.DataFrame]) -> None:
    """Diversity and distance against dice-ml random, on the rows that it filled.

    A set with gaps or repeats has a det K that says nothing.
    """
    full = theirs["full"].to_numpy()
    rival = means(theirs[full])
    former, wide, _ = (means(table[: len(full)][full]) for table in mine.values())
    record.check(
        f"{name}: a higher det K than dice-ml random at a smaller distance, former choice",
        former["det"] > rival["det"] and former["distance"] < rival["distance"],
        f"det {former['det']:.3f} and {rival['det']:.3f}, distance {former['distance']:.3f} and "
        f"{rival['distance']:.3f}, on the {full.sum()} of {len(full)} rows that it filled",
    )
    record.check(
        f"{name}: a higher pairwise distance at a smaller distance with diversity=0.85",
        wide["pairwise"] > rival["pairwise"] and wide["distance"] < rival["distance"],
        f"pairwise {wide['pairwise']:.3f} and {rival['pairwise']:.3f}, "
        f"distance {wide['distance']:.3f} and {rival['distance']:.3f}, on the same rows",
    )


def _task(fit: Fitted, path: Path, method: str, k: int, limit: float) -> dict[str, Any]:
    """A peer's task: the pipeline's file with its data and rows."""
    return {
        "train": columns_of(fit.train),
        "outcome": fit.outcome.tolist(),
        "continuous": fit.continuous,
        "categorical": fit.categorical,
        "rows": columns_of(fit.rows),
        "pipeline": str(path),
        "method": method,
        "k": k,
        "seconds": limit,
        "seed": 0,
    }


def _same_scores(peer: dict[str, Any], fit: Fitted) -> None:
    """Stop where the peer's pipeline is not ours."""
    if not np.allclose(peer["scores"], fit.pipeline.predict_proba(fit.rows)[:, 1], atol=1e-6):
        raise SystemExit("The peer's pipeline gives other scores on the rows.")


def _table(answers: ifonly.Answers, rows: pd.DataFrame, predict: Any) -> pd.DataFrame:
    """One line per row of ifonly's answers."""
    return judged(pd.DataFrame(answers.frame()), rows, answers.space, K, predict)
