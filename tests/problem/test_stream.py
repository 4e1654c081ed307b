"""A row's draws depend on the row, the seed and the purpose alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.arrays.keys import row_streams, uniforms


@given(seed=st.integers(0, 2**64 - 1), q=st.integers(1, 20), n=st.integers(1, 50))
@settings(max_examples=50, deadline=None)
def test_a_row_draws_the_same_in_any_batch(seed: int, q: int, n: int) -> None:
    codes = np.random.default_rng(q).normal(size=(q, 4))
    streams = row_streams(codes, seed)
    draws = uniforms(streams, n)
    order = np.random.default_rng(n).permutation(q)
    assert np.array_equal(uniforms(row_streams(codes[order], seed), n), draws[order])
    assert np.array_equal(uniforms(row_streams(codes[:1], seed), n), draws[:1])


def test_more_draws_begin_with_the_same_ones() -> None:
    streams = row_streams(np.arange(6.0).reshape(3, 2), seed=1)
    assert np.array_equal(uniforms(streams, 100)[:, :10], uniforms(streams, 10))


def test_seeds_rows_and_purposes_draw_apart() -> None:
    codes = np.array([[1.0, 2.0], [2.0, 1.0]])
    one, other = row_streams(codes, seed=0), row_streams(codes, seed=1)
    assert len({*one.tolist(), *other.tolist()}) == 4
    assert not np.isin(uniforms(one, 50), uniforms(one, 50, purpose=1)).any()


def test_the_draws_are_spread_evenly_over_zero_to_one() -> None:
    draws = uniforms(row_streams(np.arange(200.0)[:, None], seed=0), 500)
    assert draws.min() >= 0.0
    assert draws.max() < 1.0
    counts, _ = np.histogram(draws, bins=20, range=(0, 1))
    assert np.abs(counts / draws.size - 0.05).max() < 0.003
    neighbours = np.corrcoef(draws[:, :-1].ravel(), draws[:, 1:].ravel())[0, 1]
    assert abs(neighbours) < 0.02


def test_missing_values_and_zeros_have_one_stream_each() -> None:
    other_nan = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    streams = row_streams(np.array([[0.0, np.nan], [-0.0, other_nan]]), seed=3)
    assert streams[0] == streams[1]


def test_drawing_leaves_the_global_stream_alone() -> None:
    before = repr(np.random.get_state())  # noqa: NPY002
    uniforms(row_streams(np.zeros((2, 2)), seed=0), 5)
    assert repr(np.random.get_state()) == before  # noqa: NPY002


def test_single_precision_rounds_the_same_draws() -> None:
    streams = row_streams(np.arange(2000.0).reshape(1000, 2), seed=0)
    single = uniforms(streams, 101, dtype=np.float32)
    assert single.dtype == np.float32
    assert np.array_equal(single, uniforms(streams, 101).astype(np.float32))
