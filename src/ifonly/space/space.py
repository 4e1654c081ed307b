"""The ordered features, and the only bridge between rows, codes and units.

*Rows* are what users have: a DataFrame. *Codes* [..., d] are what ifonly computes with: a
continuous feature's own value, a categorical feature's level index, NaN where a value is missing.
*Units* [..., w] exist for gradient search and for models that want that input: continuous values
scaled to [0, 1], categories one-hot.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device

from ifonly.errors import DataError, IfonlyError, OptionError
from ifonly.space.codes import build_rows, level_arrays, read_codes
from ifonly.space.cost import Cost, check_labels, check_sparsity, check_weights
from ifonly.space.feature import Categorical, Continuous, Feature, from_plain, to_plain
from ifonly.space.frame import LIBRARIES, Frame, as_frame, library_of
from ifonly.space.infer import infer_features
from ifonly.space.marks import decode, encode

SPARSITY = 0.5
_FIELDS = ("library", "features", "labels", "weights", "sparsity")


@dataclass(frozen=True)
class Space:
    """The ordered features of a model, and the library whose frames it is asked with."""

    features: tuple[Feature, ...]
    library: str = "pandas"
    labels: Mapping[Any, str] = field(default_factory=dict, hash=False)
    """Names for features and classes, used in sentences and pictures."""
    weights: Mapping[str, float | Cost] = field(default_factory=dict, hash=False)
    """Factors on the distance of a feature: 1 unless stated."""
    sparsity: float = SPARSITY
    """What a row that changes all its features pays for that, beside their distance."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        if not self.features:
            raise DataError("A space needs at least one feature.")
        if len(set(self.names)) < len(self.names):
            raise DataError(f"Two features have the same name: {', '.join(self.names)}.")
        check_labels(self.labels)
        check_weights(self.features, self.weights)
        check_sparsity(self.sparsity)

    @classmethod
    def infer(
        cls,
        data: Frame,
        categorical: Iterable[str] = (),
        ordinal: Mapping[str, Sequence[Any]] | None = None,
        *,
        labels: Mapping[Any, str] | None = None,
        weights: Mapping[str, float | Cost] | None = None,
        sparsity: float = SPARSITY,
    ) -> Space:
        """The space of a frame of training rows, without its outcome column.

        Parameters
        ----------
        data
            The rows that the model was trained on, features only: a DataFrame of pandas, polars,
            PyArrow or Modin.
        categorical
            Columns of numbers that are names of categories. Other numbers are continuous.
        ordinal
            The order of levels, lowest first, for each ordered category. It is never guessed; an
            ordered pandas dtype states it too.
        labels
            Names for features and classes, used in sentences and pictures: {1: 'granted'}.
        weights
            What a change of a feature costs: a factor on its distance, or `ifonly.cost(...)`.
        sparsity
            The charge for changed features: all of them together cost this much, beside their
            distance.

        Returns
        -------
        Space

        Raises
        ------
        DataError
            A column cannot be used as it is; the message says why.
        OptionError
            An option does not fit the data.

        Examples
        --------
        >>> import pandas as pd
        >>> space = Space.infer(pd.DataFrame({"age": [22, 35, 41], "job": ["a", "b", "a"]}))
        >>> space.features[0].low, space.features[0].high, space.features[1].levels
        (22.0, 41.0, ('a', 'b'))
        """
        frame = as_frame(data, "data")
        ordinal = {} if ordinal is None else ordinal
        if not isinstance(ordinal, Mapping):
            raise OptionError(
                f"The order of levels is {ordinal!r}.",
                "Give a dictionary, such as ordinal={'grade': ['low', 'high']}.",
            )
        features = infer_features(frame, categorical, ordinal)
        named = {} if labels is None else labels
        prices = {} if weights is None else weights
        return cls(features, library_of(frame), named, prices, sparsity)

    @classmethod
    def describe(cls, *features: dict[str, Any]) -> Space:
        """The space of a plain description: no data, only ranges, levels and MADs.

        >>> Space.describe({"name": "age", "low": 17, "high": 90, "mad": 10},
        ...                {"name": "job", "levels": ["a", "b"]}).names
        ('age', 'job')
        """
        return cls(tuple(from_plain(feature) for feature in features))

    def __len__(self) -> int:
        return len(self.features)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.features)

    @cached_property
    def continuous(self) -> np.ndarray:
        """[d] whether each feature is continuous."""
        return np.array([isinstance(feature, Continuous) for feature in self.features])

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where each feature's unit columns begin; the last entry is w."""
        widths = [len(f.levels) if isinstance(f, Categorical) else 1 for f in self.features]
        return (0, *np.cumsum(widths).tolist())

    @cached_property
    def low(self) -> np.ndarray:
        """[d] the lowest value of each continuous feature; 0 for a category."""
        lows = [f.low if isinstance(f, Continuous) else 0.0 for f in self.features]
        return np.array(lows, dtype=np.float64)

    @cached_property
    def high(self) -> np.ndarray:
        """[d] the highest value of each continuous feature, the last index of a category."""
        tops = [f.high if isinstance(f, Continuous) else len(f.levels) - 1 for f in self.features]
        return np.array(tops, dtype=np.float64)

    @cached_property
    def decimals(self) -> np.ndarray:
        """[d] the decimals of each feature; 0 for a category."""
        return np.array([f.decimals if isinstance(f, Continuous) else 0 for f in self.features])

    def count(self, j: int) -> int:
        """How many codes a feature has, the missing value apart."""
        feature = self.features[j]
        if isinstance(feature, Continuous):
            return round((feature.high - feature.low) / feature.step) + 1
        return len(feature.levels)

    def values(self, j: int, most: int) -> np.ndarray:
        """The sorted codes of a feature; of a number with more than `most`, so many, evenly spread.

        >>> Space.describe({"name": "rate", "low": 0, "high": 1, "decimals": 1}).values(0, 3)
        array([0. , 0.5, 1. ])
        """
        feature, count = self.features[j], self.count(j)
        if not isinstance(feature, Continuous):
            return np.arange(count, dtype=np.float64)
        steps = np.linspace(0, count - 1, min(count, most)).round()
        return np.round(feature.low + feature.step * steps, feature.decimals)

    def codes(self, rows: Frame, what: str = "rows") -> np.ndarray:
        """float64 [n, d]: the rows as codes; what does not fit the space is refused by name."""
        return read_codes(self.features, as_frame(rows, what), what)

    def rows(self, codes: np.ndarray, library: str | None = None) -> Frame:
        """A frame of codes [n, d] with the dtypes of the data, in its own library or another."""
        native = library in (None, self.library)
        arrays = self._level_arrays if native and self.library == "pandas" else None
        return build_rows(self.features, codes, library or self.library, arrays, native=native)

    def units(self, codes: Any) -> Any:
        """[..., w] the units of codes [..., d]; a missing value is zero in all its columns."""
        xp = array_namespace(codes)
        columns = []
        for j, feature in enumerate(self.features):
            code = codes[..., j : j + 1]
            if isinstance(feature, Continuous):
                width = (feature.high - feature.low) or 1.0
                unit = (code - feature.low) / width
                columns.append(xp.where(xp.isnan(unit), xp.zeros_like(unit), unit))
            else:
                levels = xp.arange(len(feature.levels), dtype=codes.dtype, device=device(codes))
                columns.append(xp.astype(code == levels, codes.dtype))
        return xp.concat(columns, axis=-1)

    def snap(self, units: Any) -> Any:
        """[..., d] the codes nearest to units [..., w]: the strongest level, the rounded value."""
        xp = array_namespace(units)
        columns = []
        for j, feature in enumerate(self.features):
            unit = units[..., self.offsets[j] : self.offsets[j + 1]]
            if isinstance(feature, Continuous):
                value = feature.low + unit[..., 0] * (feature.high - feature.low)
                columns.append(xp.clip(value, feature.low, feature.high))
            else:
                columns.append(xp.astype(xp.argmax(unit, axis=-1), units.dtype))
        return self.round(xp.stack(columns, axis=-1))

    def round(self, codes: Any) -> Any:
        """[..., d] the codes on the grid of their decimals, with one zero."""
        xp = array_namespace(codes)
        powers = xp.asarray(10.0**self.decimals, dtype=codes.dtype, device=device(codes))
        return xp.round(codes * powers) / powers + 0.0

    def index(self, name: str) -> int:
        """The position of a feature."""
        return self.names.index(name)

    def to_json(self) -> str:
        """The space as JSON, without loss."""
        return json.dumps(self.to_plain(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Space:
        """The space that `to_json` wrote."""
        try:
            return cls.from_plain(json.loads(text))
        except (ValueError, TypeError, RecursionError) as error:
            if isinstance(error, IfonlyError):
                raise
            raise DataError("This is not the JSON of a space.", "Write one by to_json().") from None

    def to_plain(self) -> dict[str, Any]:
        """The space as lists and dictionaries that JSON can hold."""
        return {
            "library": self.library,
            "features": [_written(f) for f in self.features],
            "labels": encode(dict(self.labels)),
            "weights": encode(dict(self.weights)),
            "sparsity": self.sparsity,
        }

    @classmethod
    def from_plain(cls, plain: Any) -> Space:
        """The space that `to_plain` wrote; whatever does not fit is refused."""
        if not isinstance(plain, dict) or set(plain) != set(_FIELDS):
            raise DataError("This is not a description of a space.", "Write one by to_json().")
        if plain["library"] not in LIBRARIES:
            raise DataError(
                f"There is no library {plain['library']!r:.60}.", f"Known: {LIBRARIES}."
            )
        if not isinstance(plain["features"], list):
            raise DataError("The features of this space are not a list.", "Write one by to_json().")
        features = tuple(from_plain(_read(one)) for one in plain["features"])
        prices = decode(plain["labels"]), decode(plain["weights"]), plain["sparsity"]
        return cls(features, plain["library"], *prices)

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that tell this space from another."""
        return hashlib.sha256(repr([to_plain(f) for f in self.features]).encode()).hexdigest()[:16]

    @cached_property
    def _level_arrays(self) -> tuple[Any, ...]:
        return level_arrays(self.features)


def _written(feature: Feature) -> dict[str, Any]:
    """A feature as JSON holds it, with a mark on what JSON does not have."""
    plain = to_plain(feature)
    return {**_marked(plain), "column": _marked(plain["column"])}


def _marked(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with their values marked, each of a list by itself."""
    return {
        name: [encode(one) for one in value] if isinstance(value, tuple) else encode(value)
        for name, value in plain.items()
        if name != "column"
    }


def _read(plain: Any) -> Any:
    """Fields as they were before they were marked; what are no fields, as they are."""
    if not isinstance(plain, dict):
        return plain
    return {name: _read(one) if name == "column" else decode(one) for name, one in plain.items()}
