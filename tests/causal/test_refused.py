"""What a causal model refuses, by name and with what to do."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ifonly import Space
from ifonly.causal import CausalModel
from ifonly.errors import DataError, ModelError, OptionError

FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 50],
        "job": ["a", "b", "a", "b"],
        "income": [10, 20, 30, 40],
        "debt": [1, 2, 3, 4],
    }
)
SPACE = Space.infer(FRAME)
Refused = Callable[..., Exception]


def nothing(causes: pd.DataFrame) -> Any:
    return np.zeros(len(causes))


def follow(equation: Any, causes: tuple[str, ...] = ("age", "job")) -> np.ndarray:
    """[q, m, d] what follows where every row becomes five years older."""
    x = SPACE.codes(FRAME)
    actions = x[:, None].copy()
    actions[:, :, 0] += 5
    model = CausalModel({"income": causes}, {"income": equation})
    return model.bind(SPACE).follow(x, actions)


@pytest.mark.parametrize(
    "make", [lambda g: CausalModel(g, {}), lambda g: CausalModel.fit(g, FRAME)]
)
class TestGraph:
    def test_a_circle_is_named_in_order(self, make: Any, refused: Refused) -> None:
        graph = {"income": ["age", "debt"], "savings": ["income"], "debt": ["savings"]}
        error = refused(OptionError, hint="Leave out one", ask=lambda: make(graph))
        circle = str(error).split(": ")[1].split(".")[0].split(" -> ")
        assert circle[0] == circle[-1]
        steps = set(pairwise(circle))
        assert steps == {("'income'", "'savings'"), ("'savings'", "'debt'"), ("'debt'", "'income'")}

    def test_a_feature_is_not_its_own_cause(self, make: Any, refused: Refused) -> None:
        told = "'income' is among its own causes."
        refused(OptionError, told, hint="Leave it out", ask=lambda: make({"income": ["income"]}))

    def test_a_cause_is_named_once(self, make: Any, refused: Refused) -> None:
        told = "The causes of 'income' name a feature twice: 'age', 'age'."
        ask = {"income": ["age", "age"]}
        refused(OptionError, told, hint="Name each cause once", ask=lambda: make(ask))

    @pytest.mark.parametrize("graph", [None, ["age"], "age"])
    def test_a_graph_is_a_dictionary(self, make: Any, refused: Refused, graph: Any) -> None:
        told = f"The graph is {graph!r}."
        refused(OptionError, told, hint="Give a dictionary", ask=lambda: make(graph))

    def test_causes_are_a_list(self, make: Any, refused: Refused) -> None:
        told = "The causes of 'income' are 3."
        refused(OptionError, told, hint="Give a list", ask=lambda: make({"income": 3}))


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (lambda graph: CausalModel.fit(graph, FRAME), "`data`"),
        (
            lambda graph: CausalModel(graph, {n: nothing for n, c in graph.items() if c}).bind(
                SPACE
            ),
            "the space",
        ),
    ],
)
class TestFeatures:
    def test_an_unknown_cause_gets_the_nearest_name(
        self, make: Any, where: str, refused: Refused
    ) -> None:
        told = f"The graph names 'agee' as a cause of 'income', and {where} has no such feature."
        hint = "Did you mean 'age'"
        refused(OptionError, told, hint=hint, ask=lambda: make({"income": ["agee"]}))

    @pytest.mark.parametrize("causes", [["age"], []])
    def test_an_unknown_effect_gets_the_nearest_name(
        self, make: Any, where: str, refused: Refused, causes: list[str]
    ) -> None:
        told = f"The graph names 'incme', and {where} has no such feature."
        hint = "Did you mean 'income'"
        refused(OptionError, told, hint=hint, ask=lambda: make({"incme": causes}))

    def test_a_category_has_no_causes(self, make: Any, where: str, refused: Refused) -> None:
        told = "'job' is a category and has causes in the graph."
        hint = "leave its causes out, or turn it into a number"
        refused(DataError, told, hint=hint, ask=lambda: make({"job": ["age"]}))


def test_a_feature_with_causes_needs_an_equation(refused: Refused) -> None:
    graph = {"income": ["age", "job"]}
    told = "'income' has causes and no equation."
    hint = "a function of a frame with 'age', 'job', or leave its causes out"
    refused(OptionError, told, hint=hint, ask=lambda: CausalModel(graph, {}))


@pytest.mark.parametrize("name", ["incom", "age"])
def test_an_equation_needs_a_feature_with_causes(refused: Refused, name: str) -> None:
    graph = {"income": ["age"], "age": []}
    told = f"There is an equation for {name!r}, which has no causes in the graph."
    equations = {"income": nothing, name: nothing}
    hint = "income"
    refused(OptionError, told, hint=hint, ask=lambda: CausalModel(graph, equations))


def test_an_equation_is_a_function(refused: Refused) -> None:
    graph = {"income": ["age"]}
    made: Any = {"income": 3}
    told = "The equation of 'income' is 3."
    refused(OptionError, told, hint="Give a function", ask=lambda: CausalModel(graph, made))
    text: Any = "linear"
    told = "The equations are 'linear'."
    refused(OptionError, told, hint=r"CausalModel\.fit", ask=lambda: CausalModel(graph, text))


def test_a_fitted_equation_keeps_to_its_own_causes(refused: Refused) -> None:
    fitted = CausalModel.fit({"income": ["age", "job"]}, FRAME)
    told = "The equation of 'income' was fitted on 'age', 'job', and the graph says 'age', 'debt'."
    graph = {"income": ["age", "debt"]}
    ask = lambda: CausalModel(graph, fitted.equations)  # noqa: E731
    refused(OptionError, told, hint="Fit it again", ask=ask)


def test_an_unknown_kind_of_equations_gets_the_nearest_one(refused: Refused) -> None:
    graph = {"income": ["age"]}
    told = "There are no equations of the kind 'linaer'."
    ask = lambda: CausalModel.fit(graph, FRAME, "linaer")  # noqa: E731
    refused(OptionError, told, hint="Did you mean 'linear'", ask=ask)


@pytest.mark.parametrize("seed", [-1, 0.5, "1", True])
def test_a_seed_is_a_whole_number(refused: Refused, seed: Any) -> None:
    ask = lambda: CausalModel.fit({"income": ["age"]}, FRAME, seed=seed)  # noqa: E731
    refused(OptionError, f"seed is {seed!r}.", hint="whole number of 0 or more", ask=ask)


def test_a_category_named_for_the_fit_is_a_column(refused: Refused) -> None:
    ask = lambda: CausalModel.fit({"income": ["age"]}, FRAME, categorical=["jib"])  # noqa: E731
    refused(OptionError, "`data` has no column 'jib'.", hint="Did you mean 'job'", ask=ask)


@pytest.mark.parametrize(
    ("known", "told"), [([], "no row in which"), ([2], "a single row in which")]
)
def test_rows_to_fit_on_are_complete(refused: Refused, known: list[int], told: str) -> None:
    frame = FRAME.astype({"age": float, "income": float})
    frame.loc[:1, "age"] = np.nan
    frame.loc[[i for i in (2, 3) if i not in known], "income"] = np.nan
    what = f"`data` has {told} 'income' and its causes, 'age', 'job', are all known."
    ask = lambda: CausalModel.fit({"income": ["age", "job"]}, frame)  # noqa: E731
    refused(DataError, what, hint="Give more rows", ask=ask)


def test_trees_take_so_many_levels_and_no_more(refused: Refused) -> None:
    frame = pd.DataFrame({"city": [f"c{i}" for i in range(256)], "fee": range(256)})
    told = "'city' has 256 levels, and boosted equations take at most 255."
    ask = lambda: CausalModel.fit({"fee": ["city"]}, frame, "boosted")  # noqa: E731
    refused(DataError, told, hint="equations='linear'", ask=ask)


def test_a_fitted_equation_knows_every_level_of_the_space(refused: Refused) -> None:
    model = CausalModel.fit({"income": ["job"]}, FRAME)
    space = Space.infer(FRAME.assign(job=["a", "b", "c", "a"]))
    told = "The equation of 'income' was fitted on data in which 'job' is never 'c'."
    refused(DataError, told, hint="that have every level", ask=lambda: model.bind(space))


def test_a_fitted_equation_and_the_space_agree_on_what_is_a_category(refused: Refused) -> None:
    number, category = Space.infer(FRAME), Space.infer(FRAME, categorical=["age"])
    told = "The equation of 'income' was fitted with 'age' as a {}, and the space has it as a {}."
    hint = r"categorical=\['age'\]"
    model = CausalModel.fit({"income": ["age"]}, FRAME)
    what = told.format("number", "category")
    refused(DataError, what, hint=hint, ask=lambda: model.bind(category))
    other = CausalModel.fit({"income": ["age"]}, FRAME, categorical=["age"])
    what = told.format("category", "number")
    refused(DataError, what, hint=hint, ask=lambda: other.bind(number))


def test_an_equation_that_fails_is_named_with_its_own_error(refused: Refused) -> None:
    def equation(causes: pd.DataFrame) -> Any:
        return causes["agee"]

    told = "The equation of 'income' failed on 8 rows: KeyError: 'agee'"
    hint = "a frame of its causes, 'age', 'job', in the dtypes of the data"
    error = refused(ModelError, told, hint=hint, ask=lambda: follow(equation))
    assert isinstance(error.__cause__, KeyError)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (lambda f: f["age"][:3], "returned an array of shape (3,) for 8 rows."),
        (lambda f: 3.0, "returned 3.0 for 8 rows."),
        (lambda f: np.zeros((8, 2)), "returned an array of shape (8, 2) for 8 rows."),
        (lambda f: f["job"], "returned a Series that does not hold numbers."),
        (lambda f: None, "returned None for 8 rows."),
    ],
)
def test_an_equation_gives_one_number_a_row(refused: Refused, output: Any, told: str) -> None:
    hint = "one number for each row"
    refused(ModelError, "The equation of 'income'", told, hint=hint, ask=lambda: follow(output))


@pytest.mark.parametrize(("odd", "told"), [(np.nan, "nan"), (np.inf, "inf"), (pd.NA, "nan")])
def test_an_equation_gives_finite_numbers(refused: Refused, odd: Any, told: str) -> None:
    def equation(causes: pd.DataFrame) -> Any:
        return pd.Series([odd if age == 55 else 1.0 for age in causes["age"]])

    what = f"The equation of 'income' gives {told} for 1 of 8 rows."
    hint = r"Look at what it does with \{'age': 55, 'job': 'b'\}"
    refused(ModelError, what, hint=hint, ask=lambda: follow(equation))


def test_whatever_holds_one_number_a_row_will_do() -> None:
    expected = follow(lambda causes: causes["age"])
    for form in (list, np.asarray, pd.DataFrame, lambda s: s.astype("Int64"), lambda s: s[::1]):
        assert np.array_equal(follow(lambda causes, form=form: form(causes["age"])), expected)
