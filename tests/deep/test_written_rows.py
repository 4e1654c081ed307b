"""Answers as they are written, over frames of all dtypes.

What an answer does not change is the row's own value, bit for bit; no two answers of a row are
written alike; and the user's own function of the written frame says what `prediction` says.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ifonly
from ifonly.space.table.frame import free_name
from ifonly.testing.columns import PANDAS, POLARS, exact

N, ROWS = 120, 8


def random_frame(rng: np.random.Generator, library: str) -> Any:
    """Three to six columns of random dtypes, under names that ifonly's own columns have as well."""
    makers = PANDAS if library == "pandas" else POLARS
    chosen = rng.choice(sorted(makers), size=int(rng.integers(3, 7)))
    names = rng.permutation(["score", "_score", "query", "distance", "a", "b"])[: len(chosen)]
    columns = {str(n): makers[one](rng, N) for n, one in zip(names, chosen, strict=True)}
    return pd.DataFrame(columns) if library == "pandas" else pl.DataFrame(columns)


def worth(values: Any, whole: Any) -> np.ndarray:
    """What a model makes of a column: its rank among `whole`, or a hash of what it holds."""
    known = np.array([one for one in map(number, whole.to_list()) if one is not None])
    total = []
    for value in values.to_list():
        size = number(value)
        if size is None or not len(known):
            total.append(zlib.crc32(repr(exact([value])).encode()) % 1000 / 1000)
        else:
            total.append((known < size).mean() + 0.01 * np.signbit(size))
    return np.array(total)


def number(value: object) -> float | None:
    """A value as a number, where it is one."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return None
    return None if np.isnan(value) else float(value)


def model_of(data: Any) -> Callable[[Any], np.ndarray]:
    names = list(data.columns)

    def score(frame: Any) -> np.ndarray:
        assert [frame[n].dtype for n in names] == [data[n].dtype for n in names]
        return np.asarray(sum(worth(frame[name], data[name]) for name in names)) / len(names)

    middle = float(np.median(score(data)))
    return lambda frame: 1 / (1 + np.exp(middle - score(frame)))


@pytest.mark.draws(30)
def test_answers_are_written_as_they_were_judged(
    seed: int, tally: Callable[[str, int], None]
) -> None:
    rng = np.random.default_rng(seed)
    library = ["pandas", "polars"][int(rng.random() < 0.3)]
    data = random_frame(rng, library)
    names, model = list(data.columns), model_of(data)
    rows = data[:ROWS]
    answers = ifonly.explain(
        ifonly.as_model(model, classes=["no", "yes"]),
        rows,
        data=data,
        k=4,
        diversity=float(rng.choice([0.0, 0.1, 0.55, 1.0])),
        budget={"model_rows": 20_000},
    )
    frame = answers.frame()
    query, prediction = (free_name(name, names) for name in ("query", "prediction"))
    written = {name: exact(frame[name].to_list()) for name in names}
    own = {name: exact(rows[name].to_list()) for name in names}
    changed = answers.changed()[answers.filled]
    of = frame[query].to_list()
    for j, name in enumerate(names):
        assert frame[name].dtype == data[name].dtype, name
        for place, row in enumerate(of):
            assert changed[place, j] == (written[name][place] != own[name][row]), name
    lines = list(zip(of, *(written[name] for name in names), strict=True))
    assert len(set(lines)) == len(lines)
    assert answers.metrics()["valid_unique"].to_list() == [
        of.count(row) / answers.k for row in range(ROWS)
    ]
    said = np.where(model(frame[names]) > 0.5, "yes", "no").tolist()
    assert said == frame[prediction].to_list()
    known = np.where(model(rows) > 0.5, "yes", "no").tolist()
    assert known == list(answers.predicted)
    tally("answers written", len(lines))
    tally("values compared", len(lines) * len(names))
