"""Answers have the dtypes of the data, whatever these are, and the values of the row they keep."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly import Space
from ifonly.errors import DataError
from ifonly.testing.columns import PANDAS, POLARS, exact

N = 80
RICH = ifonly.as_model(lambda frame: np.asarray(frame["income"]) > 40, classes=["no", "yes"])


def zoo(library: str, seed: int, n: int = N) -> Any:
    """A frame with an income and a column of every dtype."""
    rng = np.random.default_rng(seed)
    makers = PANDAS if library == "pandas" else POLARS
    columns = {"income": rng.integers(10, 40, n).tolist()}
    columns |= {name: make(rng, n) for name, make in makers.items()}
    columns["income"][-20:] = list(range(41, 61))
    return (pd if library == "pandas" else pl).DataFrame(columns)


def explain(data: Any, rows: Any) -> ifonly.Answers:
    return ifonly.explain(RICH, rows, data=data, k=1, plausible=False)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_answers_have_every_dtype_of_the_data(library: str, seed: int) -> None:
    data = zoo(library, seed)
    answers = explain(data, data[:3])
    assert answers.status == ("found",) * 3
    frame = answers.frame()
    again = ifonly.Answers.from_json(answers.to_json()).frame()
    for name in data.columns:
        assert frame[name].dtype == data[name].dtype, name
        assert again[name].dtype == data[name].dtype, name
        if name != "income":
            assert exact(frame[name]) == exact(data[name][:3]) == exact(again[name]), name


def test_a_table_of_arrow_keeps_its_types() -> None:
    frame = zoo("polars", 3).drop("Enum")
    data = frame.to_arrow()
    dictionary = pa.dictionary(pa.int8(), pa.large_string(), ordered=True)
    data = data.append_column("grade", pa.array(["a", "b"] * (N // 2)).cast(dictionary))
    data = data.append_column("half", pa.array(np.arange(N, dtype=np.float16) / 4))
    answers = explain(data, data[:3]).frame()
    assert answers.select(data.column_names).schema.types == data.schema.types
    kept = data.column_names[1:]
    assert answers.select(kept).to_pylist() == data[:3].select(kept).to_pylist()


POLARS_TO_PANDAS = [
    (pl.Int8, "int8"),
    (pl.UInt32, "uint32"),
    (pl.Float32, "float32"),
    (pl.Boolean, "bool"),
    (pl.String, "str"),
    (pl.Categorical, pd.CategoricalDtype(["0", "1"])),
    (pl.Enum(["1", "0", "2"]), pd.CategoricalDtype(["1", "0", "2"], ordered=True)),
    (pl.Decimal(9, 2), "object"),
]


@pytest.mark.parametrize(("dtype", "wanted"), POLARS_TO_PANDAS, ids=lambda one: str(one)[:20])
def test_pandas_rows_with_polars_data_and_the_reverse(dtype: Any, wanted: Any) -> None:
    flags = pl.Series([0, 1] * 40)
    text = dtype in (pl.String, pl.Categorical) or isinstance(dtype, pl.Enum)
    column = (flags.cast(pl.String) if text else flags).cast(dtype)
    data = pl.DataFrame({"income": [*range(10, 50)] * 2, "x": column})
    rows = data[:3].to_pandas()
    frame = explain(data, rows).frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["x"].dtype == wanted
    assert frame["x"].to_list() == rows["x"].to_list()
    back = explain(frame[["income", "x"]], data[:1]).frame()
    assert back["x"].dtype == (pl.Decimal(38, 2) if dtype == pl.Decimal(9, 2) else dtype)


def test_gaps_of_another_library_stay_whole_numbers() -> None:
    data = pl.DataFrame({"income": [*range(10, 50)], "x": [None, 3] * 20, "b": [None, True] * 20})
    rows = pd.DataFrame({"income": [12, 12], "x": [np.nan, 3.0], "b": [None, True]})
    frame = explain(data, rows).frame()
    assert [str(frame[name].dtype) for name in "xb"] == ["Int64", "boolean"]
    assert frame["x"].isna().tolist() == [True, False]


def test_sparse_dummies_are_one_category() -> None:
    rng = np.random.default_rng(0)
    job = pd.Series(rng.choice(["clerk", "cook", "none"], 300), name="job")
    for dtype in (int, float, bool):
        data = pd.get_dummies(job, prefix="job", sparse=True, dtype=dtype)
        data.insert(0, "income", rng.integers(10, 60, 300))
        space = Space.infer(data)
        assert [group.name for group in space.one_hot] == ["job"]
        pd.testing.assert_frame_equal(space.rows(space.codes(data)), data)
    cook = ifonly.as_model(
        lambda f: f["job_cook"].to_numpy() | (f["income"] > 50), classes=[False, True]
    )
    rows = data[(job != "cook") & (data["income"] < 50)][:4]
    frame = ifonly.explain(cook, rows, data=data, k=2, plausible=False).frame()
    assert (frame.dtypes[data.columns] == data.dtypes).all()
    assert (frame[data.columns[1:]].astype(int).sum(axis=1) == 1).all()


def test_sparse_numbers_are_numbers() -> None:
    data = pd.DataFrame({"x": pd.arrays.SparseArray([0, 0, 7, 9]), "income": [1, 2, 3, 4]})
    feature = Space.infer(data).features[0]
    assert isinstance(feature, ifonly.Continuous)
    with pytest.raises(DataError, match="whole numbers"):
        Space.infer(data).codes(pd.DataFrame({"x": [1.5], "income": [1]}))


@pytest.mark.parametrize("arrow", [False, True], ids=["objects", "arrow"])
def test_a_tree_on_decimals_is_read_and_answered_exactly(arrow: bool) -> None:
    rng = np.random.default_rng(0)
    prices = [Decimal(int(value)).scaleb(-2) for value in rng.integers(100, 9999, 200)]
    dtype = pd.ArrowDtype(pa.decimal128(8, 2)) if arrow else object
    data = pd.DataFrame({"price": pd.Series(prices, dtype=dtype), "w": rng.integers(0, 9, 200)})
    wanted = data["price"].astype(float) + 3 * data["w"] > 60
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(data, wanted)
    answers = ifonly.explain(model, data[~model.predict(data)][:2], data=data, k=2, method="exact")
    frame = answers.frame()
    assert model.predict(frame[["price", "w"]]).all()
    assert frame["price"].dtype == data["price"].dtype
    assert {one.as_tuple().exponent for one in frame["price"]} == {-2}


def test_columns_of_several_levels_are_refused_with_a_way_out() -> None:
    data = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    with pytest.raises(DataError, match="'a', 'x'") as caught:
        Space.infer(data)
    assert "'_'.join" in caught.value.hint
