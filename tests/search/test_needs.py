"""What a strategy needs of a model is what it states, and nothing else is prepared."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly.errors import ModelError, OptionError
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.refine import Nothing
from ifonly.search import Edits, Engine, Exact, Gradient, Union
from ifonly.search.exact.mixed_integer import MixedInteger
from ifonly.select import InOrder
from ifonly.solve.method import Method, method_of


class Curious:
    """Edits by one who looks inside the model and notes what is there."""

    needs: ClassVar[frozenset[str]] = frozenset()
    seen: ClassVar[list[tuple[bool, bool]]] = []

    def search(self, problem: Problem, k: int) -> Pool:
        self.seen.append((problem.gradient is not None, problem.reading is not None))
        return Edits(width=2, depth=1).search(problem, k)


class Descending(Curious):
    needs = frozenset({"gradient"})


class Reading(Curious):
    needs = frozenset({"reading"})


class Both(Curious):
    needs = frozenset({"gradient", "reading"})


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    return pd.DataFrame({"income": np.arange(60), "debt": np.arange(60) * 7 % 60})


@pytest.mark.parametrize(
    ("searcher", "given"),
    [
        (Curious(), (False, False)),
        (Descending(), (True, False)),
        (Reading(), (False, True)),
        (Union((Edits(), Union((Both(),)))), (True, True)),
    ],
)
def test_a_searcher_gets_what_it_needs_and_no_more(
    searcher: Any, given: tuple[bool, bool], data: pd.DataFrame
) -> None:
    Curious.seen.clear()
    model = LogisticRegression().fit(data, data["income"] > data["debt"])
    ifonly.explain(model, data[:4], data=data, k=1, method=searcher)
    assert set(Curious.seen) == {given}


def test_a_need_counts_wherever_it_is_stated() -> None:
    assert method_of("auto").needs == frozenset()
    assert method_of(Gradient()).needs == {"gradient"}
    assert method_of(Exact()).needs == method_of(MixedInteger()).needs == {"reading"}
    assert method_of(Union((Union((Gradient(), Exact())), Engine()))).needs == Both.needs

    class Refining(Nothing):
        needs: ClassVar[frozenset[str]] = frozenset({"gradient"})

    class Selecting(InOrder):
        needs: ClassVar[frozenset[str]] = frozenset({"reading"})

    assert Method(Engine(), Refining(), Selecting()).needs == Both.needs


def test_a_model_without_what_is_needed_is_refused(data: pd.DataFrame) -> None:
    tree = DecisionTreeClassifier().fit(data, data["income"] > data["debt"])
    with pytest.raises(ModelError, match="DecisionTreeClassifier has no gradient"):
        ifonly.explain(tree, data[:2], data=data, method=Union((Descending(), Engine())))


def test_a_need_that_no_model_has_is_refused_with_the_nearest_name(data: pd.DataFrame) -> None:
    class Mistaken(Curious):
        needs = frozenset({"gradiant"})

    with pytest.raises(OptionError, match="'gradiant'") as caught:
        method_of(Mistaken()).needs  # noqa: B018
    assert "'gradient'" in caught.value.hint
