"""The default engine beside dice-ml, jax-relax and NICE, on Adult at k = 4."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

import ifonly
from answered import SHOWN, judged, line, means, measured, ours
from gradient import check_same, framed, network_task
from networks import FrameNetwork, decides, module
from peers import ask, columns_of, frame_of
from pipelines import NAMES, Fitted, fitted
from published import published
from record import Record
from scaling import scaling
from timing import around, seconds

K = 4
RANDOM, GENETIC, KDTREE = 12, 90, 25
"""How many times dice-ml's rows a second are claimed on pipelines."""
SINGLE = {"forest": 0.5, "xgboost": 0.2}
"""The most of dice-ml random's time that a single row may take."""


def main(record: Record) -> None:
    """Fill the record."""
    networks(record)
    for name in NAMES:
        pipelines(record, name)
    grow(record)


def networks(record: Record) -> None:
    """The published network in three forms, against dice-ml's gradient method and jax-relax."""
    problem = published("adult")
    rows = problem.rows[:60] if record.quick else problem.rows
    predict, q = decides(problem), len(rows)
    forms = {"torch module": module(problem), "layers": problem.model}
    forms["DataFrame model"] = FrameNetwork(problem)
    explainers = {form: ifonly.Explainer(m, data=problem.train) for form, m in forms.items()}
    asks = {form: partial(explainer.explain, k=K) for form, explainer in explainers.items()}
    batch: dict[str, Any] = {form: partial(framed, ask, rows) for form, ask in asks.items()}
    singles = _singles(asks, rows, 10 if record.quick else 40)
    limit, repeats = (10, 2) if record.quick else (120, 4)
    dice_task = network_task(problem, rows, K, seconds=limit)
    relax_task = network_task(problem, rows, K, repeats=3)
    dice, first = around(partial(ask, "dice", "dice_gradient", dice_task), batch | singles, repeats)
    relax, second = around(partial(ask, "relax", "relax_diverse", relax_task), batch, repeats)
    check_same(dice["scores"], predict(rows))
    check_same(relax["scores"], predict(rows))
    row = {form: _median(first, singles, form) for form in forms}
    done, dice_row = len(dice["answers"]), float(np.median(dice["seconds"]))
    dice_each, relax_each = float(np.mean(dice["seconds"])), float(np.median(relax["seconds"])) / q
    lines: list[list[Any]] = [
        ["dice-ml gradient", done, 1e3 * dice_each, 1 / dice_each, 1.0, 1e3 * dice_row, 1.0],
        [
            "jax-relax DiverseCF",
            q,
            1e3 * relax_each,
            1 / relax_each,
            dice_each / relax_each,
            "",
            "",
        ],
    ]
    for form in forms:
        each = (first[form] + second[form]) / 2 / q
        lines.append([f"ifonly, {form}", q, 1e3 * each, 1 / each, dice_each / each])
        lines[-1] += [1e3 * row[form], dice_row / row[form]]
        wanted = 1500 if form == "DataFrame model" else 5000
        times, share = dice_each / each, row[form] / dice_row
        record.check(
            f"Network as {form}: {wanted:,} times dice-ml gradient's rows a second in a batch",
            times >= wanted,
            f"{times:,.0f}",
        )
        if form == "DataFrame model":
            continue
        record.check(
            f"Network as {form}: a single row in at most 1/400 of dice-ml gradient's time",
            share <= 1 / 400,
            f"1/{1 / share:,.0f}, {1e3 * row[form]:.1f} ms",
        )
        record.check(
            f"Network as {form}: faster than jax-relax DiverseCF once compiled",
            second[form] / q < relax_each,
            f"{1e3 * second[form] / q:.2f} and {1e3 * relax_each:.2f} ms a row",
        )
    record.table(
        "The published Adult network, k = 4: speed",
        ("by", "rows", "ms a row", "rows/s", "times dice-ml", "single row, ms", "times dice-ml"),
        lines,
        f"ifonly: default settings, a prepared Explainer, frames and judging included. One thread "
        f"for ifonly and dice-ml; jax-relax takes the cores that XLA takes, and compiling "
        f"({relax['compiling']:.1f} s) does not count. Medians, ifonly on both sides of a peer.",
    )
    compared = {
        "dice-ml gradient": _of(dice, rows[:done], problem, predict),
        "ifonly, the same rows": ours(asks["layers"](rows[:done]), rows[:done], predict),
        "jax-relax DiverseCF": _of(relax, rows, problem, predict),
        **{f"ifonly, {form}": ours(ask(rows), rows, predict) for form, ask in asks.items()},
    }
    counts = [done, done, q, q, q, q]
    record.table(
        "The published Adult network, k = 4: quality",
        ("by", "rows", *SHOWN),
        [[by, n, *line(f)] for (by, f), n in zip(compared.items(), counts, strict=True)],
        "Continuous values that jax-relax leaves between whole numbers are rounded.",
    )


def pipelines(record: Record, name: str) -> None:
    """A fitted pipeline, against dice-ml's methods for any model, and NICE at k = 1."""
    fit = fitted(name, 20 if record.quick else 200)
    rows, predict, q = fit.rows, fit.pipeline.predict, len(fit.rows)
    explainer = ifonly.Explainer(fit.pipeline, data=fit.train)
    asks = {"default": partial(explainer.explain, k=K)}
    batch: dict[str, Any] = {"default": partial(framed, asks["default"], rows)}
    singles = _singles(asks, rows, 5 if record.quick else 20)
    wide = ifonly.Explainer(fit.pipeline, data=fit.train, diversity=0.85)
    results = {"ifonly": explainer.explain(rows, k=K), "ifonly, 0.85": wide.explain(rows, k=K)}
    mine = {by: _table(answers, rows, predict) for by, answers in results.items()}
    lines: list[list[Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pipeline.joblib"
        joblib.dump(fit.pipeline, path)
        for method, wanted in (("random", RANDOM), ("genetic", GENETIC), ("kdtree", KDTREE)):
            limit, repeats = (8, 2) if record.quick else (90, 4)
            task = _task(fit, path, method, K, limit)
            peer, took = around(
                partial(ask, "dice", "dice_tabular", task), batch | singles, repeats
            )
            _same_scores(peer, fit)
            done, each = len(peer["answers"]), float(np.mean(peer["seconds"]))
            single = float(np.median(peer["seconds"]))
            our_each, our_single = took["default"] / q, _median(took, singles, "default")
            given = frame_of(peer["answers"], fit.train)
            theirs = judged(given, rows[:done], fit.space, K, predict)
            lines.append([f"dice-ml {method}", done, 1e3 * each, 1e3 * single])
            lines[-1] += line(means(theirs))
            lines.append([f"ifonly beside {method}", q, 1e3 * our_each, 1e3 * our_single])
            lines[-1] += line(means(mine["ifonly"][:done]))
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
    cost = _cost(explainer, rows)
    for by, table in mine.items():
        figures = means(table)
        lines.append([by, q, "", "", *line(figures)])
        record.check(
            f"{name}: {by}: every row full, every answer valid by the pipeline's own predict",
            figures["full"] == figures["unique"] == 1,
            f"{figures['full']:.4f}, {figures['valid']:.4f}",
        )
    record.check(
        f"{name}: at most 3 ms a row outside the model",
        cost["outside"] <= 3,
        f"{cost['outside']:.2f} of {cost['total']:.2f} ms; {cost['rows']:.0f} model rows and "
        f"{cost['calls']:.0f} calls in all for {q} rows: {cost['rows'] / q:.0f} model rows a row",
    )
    record.table(
        f"Adult, {name} pipeline, k = 4",
        ("by", "rows", "ms a row", "single row, ms", *SHOWN),
        lines,
        "dice-ml takes rows one by one, as many as its time allows; ifonly all at once, default "
        "settings, frames and judging included, timed before and after each method, quality on "
        "the same rows. The last lines: all rows, by default and with diversity=0.85.",
    )


def nearest(record: Record, fit: Fitted, path: Path) -> None:
    """NICE and ifonly at k = 1."""
    rows, predict, q = fit.rows, fit.pipeline.predict, len(fit.rows)
    explainer = ifonly.Explainer(fit.pipeline, data=fit.train)
    one = partial(explainer.explain, k=1)
    singles = _singles({"default": one}, rows, 5 if record.quick else 20)
    batch: dict[str, Any] = {"default": partial(framed, one, rows)}
    lines: list[list[Any]] = []
    for method in ("sparsity", "proximity"):
        limit, repeats = (8, 2) if record.quick else (90, 4)
        task = _task(fit, path, method, 1, limit)
        peer, took = around(partial(ask, "nice", "nice_nearest", task), batch | singles, repeats)
        _same_scores(peer, fit)
        done, each = len(peer["answers"]), float(np.mean(peer["seconds"]))
        theirs = _of(peer, rows[:done], fit, predict, k=1)
        mine = ours(one(rows[:done]), rows[:done], predict)
        single, our_single = float(np.median(peer["seconds"])), _median(took, singles, "default")
        lines.append([f"NICE, {method}", done, 1e3 * each, 1e3 * single, *line(theirs)])
        lines.append(["ifonly", done, 1e3 * took["default"] / q, 1e3 * our_single, *line(mine)])
        record.check(
            f"{fit.name}: closer than NICE ({method}) on the mean at k = 1, and no slower",
            mine["distance"] < theirs["distance"] and took["default"] / q <= each,
            f"distance {mine['distance']:.3f} and {theirs['distance']:.3f}; "
            f"{1e3 * took['default'] / q:.1f} and {1e3 * each:.1f} ms a row in a batch; "
            f"a single row {1e3 * our_single:.1f} and {1e3 * single:.1f} ms",
        )
    record.table(
        "Adult, forest pipeline, k = 1, against NICE 0.2.3",
        ("by", "rows", "ms a row", "single row, ms", *SHOWN),
        lines,
        "NICE takes rows one by one.",
    )


def grow(record: Record) -> None:
    """Seconds and memory over the number of rows."""
    counts = [100, 1000] if record.quick else [100, 1000, 10_000]
    runs = scaling("auto", counts, 1 if record.quick else 3)
    lines = [
        [run["rows"], run["seconds"], 1e3 * run["seconds"] / run["rows"], run["memory"]]
        for run in runs
    ]
    whole = runs[-1]["seconds"] / runs[0]["seconds"] / (counts[-1] / counts[0])
    record.check(
        f"Time from {counts[0]:,} to {counts[-1]:,} rows grows no faster than rows",
        whole <= 1,
        f"{whole:.2f} of linear",
    )
    record.table(
        "Rows, time and memory, k = 4, published Adult network as layers",
        ("rows", "seconds", "ms a row", "peak memory, MB"),
        lines,
        "Each run in a process of its own; memory is that of the whole process.",
    )


class Timed:
    """A model or route that notes how long it takes to answer."""

    def __init__(self, model: Any, clock: list[float]) -> None:
        self._model, self._clock = model, clock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def scores(self, codes: Any) -> Any:
        """As the model's."""
        return self._note(self._model.scores, codes)

    def decide(self, codes: Any) -> Any:
        """As the model's."""
        return self._note(self._model.decide, codes)

    def _note(self, action: Any, codes: Any) -> Any:
        start = time.perf_counter()
        try:
            return action(codes)
        finally:
            self._clock.append(time.perf_counter() - start)


def _cost(explainer: ifonly.Explainer, rows: pd.DataFrame) -> dict[str, float]:
    """Milliseconds a row in all and outside the model, and what the model was asked."""
    clock: list[float] = []
    setting = explainer.setting
    explainer.setting = replace(
        setting, model=Timed(setting.model, clock), route=Timed(setting.route, clock)
    )
    runs = []
    for _ in range(3):
        clock.clear()
        total = seconds(partial(framed, partial(explainer.explain, k=K), rows))
        runs.append((total - sum(clock), total))
    explainer.setting = setting
    outside, total = np.median(runs, axis=0) * 1e3 / len(rows)
    record = explainer.explain(rows, k=K).record
    return {
        "outside": float(outside),
        "total": float(total),
        "rows": record["model_rows"],
        "calls": record["model_calls"],
    }


def _wider(record: Record, name: str, theirs: pd.DataFrame, mine: dict[str, pd.DataFrame]) -> None:
    """Diversity and distance against dice-ml random, on the rows that it filled.

    A set with gaps or repeats has a det K that says nothing.
    """
    full = theirs["full"].to_numpy()
    rival = means(theirs[full])
    default, wide = (means(table[: len(full)][full]) for table in mine.values())
    record.check(
        f"{name}: a higher det K than dice-ml random at a smaller distance, by default",
        default["det"] > rival["det"] and default["distance"] < rival["distance"],
        f"det {default['det']:.3f} and {rival['det']:.3f}, distance {default['distance']:.3f} and "
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


def _of(
    peer: dict[str, Any], rows: pd.DataFrame, of: Any, predict: Any, k: int = K
) -> dict[str, float]:
    """The figures of a peer's answers."""
    return measured(frame_of(peer["answers"], of.train), rows, of.space, k, predict)


def _table(answers: ifonly.Answers, rows: pd.DataFrame, predict: Any) -> pd.DataFrame:
    """One line a row of ifonly's answers."""
    return judged(pd.DataFrame(answers.frame()), rows, answers.space, K, predict)


def _singles(asks: dict[str, Any], rows: pd.DataFrame, count: int) -> dict[str, Any]:
    """An action for each of some rows alone."""
    places = np.linspace(0, len(rows) - 1, min(count, len(rows))).astype(int)
    return {
        f"{name} row {i}": partial(framed, explain, rows[i : i + 1])
        for name, explain in asks.items()
        for i in places
    }


def _median(times: dict[str, float], singles: dict[str, Any], name: str) -> float:
    return float(np.median([times[one] for one in singles if one.startswith(f"{name} row")]))
