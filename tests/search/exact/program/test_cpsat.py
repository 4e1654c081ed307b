"""A program in whole numbers loses nothing by rounding, and its bound holds at any time."""

from __future__ import annotations

import numpy as np

from ifonly.search.exact import Affine, Program
from ifonly.search.exact.program.cpsat import Whole, solve_by_cpsat


def test_clauses_bound_a_cost_from_below_however_short_the_time() -> None:
    program = Program()
    taken = [program.binary() for _ in range(40)]
    rng = np.random.default_rng(0)
    for _ in range(30):
        terms = [one * float(t) for one, t in zip(taken, rng.normal(size=40), strict=True)]
        program.row(Affine.total(terms), low=-3.0)
    prices = rng.uniform(1, 2, 40)
    # The cheapest has all of them: a constant, and less for each.
    cost = [(1.0 - one) * float(price) for one, price in zip(taken, prices, strict=True)]
    program.minimise(Affine.total(cost))
    best = solve_by_cpsat(program)
    assert best.status == "optimal"
    for limit in (1e-9, 1e-3, 1e-2):
        assert solve_by_cpsat(program, limit).bound <= best.objective + 1e-9


def test_a_sum_in_whole_numbers_is_off_by_no_more_than_it_says() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        program = Program()
        tops = 10.0 ** rng.integers(0, 9, 5)
        columns = [program.whole(0.0, top) for top in tops]
        times = rng.normal(size=5) * 10.0 ** rng.integers(-9, 3, 5)
        sums = Affine.total(c * float(t) for c, t in zip(columns, times, strict=True))
        whole = Whole.of(program, sums)
        values = np.floor(rng.random(5) * (tops + 1))
        total = sum(t * int(values[c]) for c, t in whole.terms.items())
        assert abs(total) <= 2**62
        assert abs(total + whole.constant - sums.at(values) * whole.scale) <= whole.error
