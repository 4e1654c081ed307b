"""Trees are listed shell by shell or solved by clauses, and either way the nearest answer comes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from ifonly import Space
from ifonly.rules import relation
from ifonly.search.exact import cpsat, nearest

from .fitted import Fitted
from .tried import Question, check


def forest(seed: int) -> tuple[Fitted, np.ndarray]:
    """Few trees, each sure of itself, whose votes are often even; and rows that they refuse."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.integers(0, 5, 80) for name in ("a", "b", "c")})
    outcome = (frame.sum(axis=1) + rng.normal(0, 1, 80) > 6).astype(int)
    model = RandomForestClassifier(4, random_state=seed).fit(frame, outcome)
    space = Space.infer(frame)

    def predict(codes: np.ndarray) -> np.ndarray:
        return np.asarray(model.predict(space.rows(codes)))

    x = space.codes(frame)
    return Fitted(model, space, (0, 1), predict), x[predict(x) == 0][:4]


def test_points_that_votes_leave_even_are_no_answers() -> None:
    for seed in range(5):
        model, x = forest(seed)
        question = Question(model, x, [1] * len(x))
        assert check(question.ask(), question)["found"]


def test_of_a_stretch_between_cuts_a_relation_can_leave_other_values_than_its_ends() -> None:
    model, x = forest(0)
    for rule in (relation({"a": 1, "b": 2}, "=", {"c": 1, "": 5}), relation("a", ">", "b")):
        question = Question(model, x, [1] * len(x), (rule,))
        check(question.ask(), question)


def test_clauses_bound_a_cost_from_below_however_short_the_time() -> None:
    program = nearest.Program()
    taken = [program.binary() for _ in range(40)]
    rng = np.random.default_rng(0)
    for _ in range(30):
        terms = [one * float(t) for one, t in zip(taken, rng.normal(size=40), strict=True)]
        program.row(nearest.Affine.total(terms), low=-3.0)
    prices = rng.uniform(1, 2, 40)
    # The cheapest has all of them: a constant, and less for each.
    cost = [(1.0 - one) * float(price) for one, price in zip(taken, prices, strict=True)]
    program.minimise(nearest.Affine.total(cost))
    best = cpsat.solve_by_clauses(program)
    assert best.status == "optimal"
    for limit in (1e-9, 1e-3, 1e-2):
        assert cpsat.solve_by_clauses(program, limit).bound <= best.objective + 1e-9


def test_a_sum_in_whole_numbers_is_off_by_no_more_than_it_says() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        program = nearest.Program()
        tops = 10.0 ** rng.integers(0, 9, 5)
        columns = [program.whole(0.0, top) for top in tops]
        times = rng.normal(size=5) * 10.0 ** rng.integers(-9, 3, 5)
        sums = nearest.Affine.total(c * float(t) for c, t in zip(columns, times, strict=True))
        whole = cpsat.Whole.of(program, sums)
        values = np.floor(rng.random(5) * (tops + 1))
        total = sum(t * int(values[c]) for c, t in whole.terms.items())
        assert abs(total) <= 2**62
        assert abs(total + whole.constant - sums.at(values) * whole.scale) <= whole.error
