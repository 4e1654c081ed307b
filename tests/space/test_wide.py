"""A frame that is built in blocks is the frame that is built a column at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.models.reading.points import spread
from ifonly.space.layout import columns_of
from ifonly.space.table.values import build_rows
from ifonly.space.table.wide import WIDE, build_blocks

N = 40
KINDS = (
    *("float64", "float32", "float16", "int64", "int8", "uint16", "Int32", "Float64"),
    *("bool", "text", "category", "object", "gaps", "text with gaps", "int64[pyarrow]"),
)


def column(kind: str, rng: np.random.Generator) -> Any:
    whole, names = rng.integers(0, 90, N), rng.choice(["a", "b", "c"], N)
    gap = rng.random(N) < 0.2
    if kind == "bool":
        return pd.Series(whole > 40)
    if kind in ("text", "category"):
        return pd.Series(names, dtype="category" if kind == "category" else None)
    if kind == "text with gaps":
        return pd.Series([None if lost else name for lost, name in zip(gap, names, strict=True)])
    if kind == "gaps":
        return pd.Series(np.where(gap, np.nan, rng.normal(size=N).round(2)))
    if kind == "object":
        return pd.Series([0.5 * one for one in whole.tolist()], dtype=object)
    if kind.startswith("float"):
        return pd.Series(rng.normal(0, 9, N).round(1).astype(kind))
    dtype: Any = kind
    return pd.Series(whole).astype(dtype)


def table(kinds: list[str], seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({f"c{place} {kind}": column(kind, rng) for place, kind in enumerate(kinds)})


def check_same(space: ifonly.Space, codes: np.ndarray) -> None:
    slow = build_rows(columns_of(space, codes, "pandas"), "pandas")
    fast = build_blocks(space.features, codes, space._level_arrays)
    pd.testing.assert_frame_equal(fast, slow, check_exact=True, check_index_type=True)
    assert type(fast.index) is type(slow.index)
    assert fast.columns.dtype == slow.columns.dtype
    for name in slow:
        kind = slow[name].dtype
        if isinstance(kind, np.dtype) and kind.kind != "O":  # NaN and the negative zero included
            assert fast[name].to_numpy().tobytes() == slow[name].to_numpy().tobytes()
    first, second = fast.to_numpy(), slow.to_numpy()
    assert first.dtype == second.dtype
    assert first.flags.f_contiguous == second.flags.f_contiguous
    assert first.flags.c_contiguous == second.flags.c_contiguous


@given(kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=12), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_blocks_make_the_same_frame(kinds: list[str], seed: int) -> None:
    frame = table(kinds, seed)
    space = ifonly.Space.infer(frame)
    codes = space.codes(frame)
    for some in (codes, codes[:1], spread(space, 7, seed=seed), codes[::3]):
        check_same(space, some)


def test_whole_numbers_of_which_one_is_missing_are_written_as_before() -> None:
    space = ifonly.Space.infer(table(["int64", "int8", "float32"], 0))
    codes = space.codes(table(["int64", "int8", "float32"], 0))
    codes[3, 0] = np.nan
    check_same(space, codes)


@pytest.mark.parametrize("kinds", [["float64"], ["int64", "float32", "category"]])
def test_a_wide_frame_comes_back_as_it_was_and_shares_no_memory(kinds: list[str]) -> None:
    frame = table((kinds * WIDE)[:WIDE], 1)
    space = ifonly.Space.infer(frame)
    codes = space.codes(frame)
    before = codes.copy()
    rows = space.rows(codes)
    pd.testing.assert_frame_equal(rows, frame, check_exact=True)
    rows.iloc[0, 0] = 3
    assert np.array_equal(codes, before)
