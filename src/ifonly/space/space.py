"""The features of a model and what changing them costs: inferred, described, read and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ifonly.errors import DataError, IfonlyError, OptionError, listed
from ifonly.space.cost import Cost, check_labels, check_sparsity, check_thousands, check_weights
from ifonly.space.description import from_plain
from ifonly.space.infer import infer_features, with_gaps
from ifonly.space.layout import Layout
from ifonly.space.marks import decode, decode_feature, encode, encode_feature
from ifonly.space.one_hot import OneHot, check_groups, find_groups, groups_of, stated_groups
from ifonly.space.table.carry import carry_of, find_carried
from ifonly.space.table.frame import LIBRARIES, Frame, as_frame, library_of

SPARSITY = 0.5
_FIELDS = {"library", "features", "labels", "weights", "sparsity", "one_hot"}


@dataclass(frozen=True)
class Space(Layout):
    """The ordered features of a model, and the library whose frames it is asked with.

    Parameters
    ----------
    features
        The features: `Continuous`, `Categorical` or `Ordinal`, in the order of the columns.
    library
        The library of the frames that the model is asked with, such as 'pandas' or 'polars'.
    labels
        Names for features, levels and classes, used in sentences, pictures and pages.
    weights
        Factors on the distance of a feature: 1 unless stated.
    sparsity
        The charge for a row that changes all its features, in addition to their distance.
    one_hot
        Groups of columns that are one category: an answer sets one column of each.
    thousands
        What stands between the thousands of numbers in sentences, pictures and pages.
    carry
        Columns that are no features: answers and the model have them as their row does.

    Raises
    ------
    DataError
        There is no feature, or two features have one name.
    OptionError
        A label, a weight or the sparsity cannot be used.

    Examples
    --------
    >>> from ifonly import Categorical, Continuous
    >>> space = Space((Continuous("age", 18, 90), Categorical("job", ("a", "b"))))
    >>> space.names, len(space)
    (('age', 'job'), 2)
    """

    labels: Mapping[Any, str] = field(default_factory=dict, hash=False)
    weights: Mapping[str, float | Cost] = field(default_factory=dict, hash=False)
    sparsity: float = SPARSITY
    one_hot: tuple[OneHot, ...] = ()
    thousands: str = ","

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        if not self.features:
            raise DataError("A space needs at least one feature.", "Carried columns are none.")
        if len(set(self.names)) < len(self.names):
            raise DataError(f"Two features have the same name: {', '.join(self.names)}.")
        check_labels(self.features, self.labels)
        check_weights(self.features, self.weights)
        check_sparsity(self.sparsity)
        check_thousands(self.thousands)
        check_groups(self.features, self.one_hot)

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
        precision: Mapping[str, int] | None = None,
        one_hot: Iterable[Sequence[str]] | None = None,
        thousands: str = ",",
        fillable: Iterable[str] = (),
        erasable: Iterable[str] = (),
        carry: Iterable[str] = (),
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
            Names for features, classes and, by pairs, levels, used in sentences, pictures and
            pages: {'pay': 'Income', 1: 'granted', ('job', 'A17'): 'clerk'}.
        weights
            What a change of a feature costs: a factor on its distance, or `ifonly.cost(...)`.
        sparsity
            The charge for changed features: all together cost this much, beside their distance.
        precision
            The decimals of numbers, where they are not those of most values: {'income': -2} for
            hundreds. Every such value is possible then, also of a column that takes only a few.
        one_hot
            Lists of columns of 0 and 1 that are one category each: an answer sets one of them.
            They are found where their names share a start and every row agrees; () finds none.
        thousands
            Between the thousands of numbers of five and more digits: ",", " ", "'", "_" or "".
        fillable
            Columns in which an answer may give a value where the row has none.
        erasable
            Columns in which an answer may leave out the row's value.
        carry
            Columns that are no features: identifiers, free text, lists, dates that nobody may
            change. The model is asked with them as the row has them, and answers keep them.
            Found where they are empty, or lists, or 20 texts and more that all differ.

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
        named = [categorical] if isinstance(categorical, str) else list(categorical)
        stated = {*named, *ordinal, *(precision or {})}
        carried = find_carried(frame, carry, stated)
        frame = frame.drop(left := [one.name for one in carried])
        groups = find_groups(frame, stated) if one_hot is None else stated_groups(frame, one_hot)
        flags = [name for group in groups for name in group.columns]
        features = infer_features(frame, [*named, *flags], ordinal, precision or {})
        features = with_gaps(features, left, fillable=fillable, erasable=erasable)
        prices = labels or {}, weights or {}, sparsity
        return cls(features, library_of(frame), *prices, groups, thousands, carry=carried)

    @classmethod
    def describe(cls, *features: dict[str, Any]) -> Space:
        """The space of a plain description: no data, only ranges, levels and MADs.

        Parameters
        ----------
        *features
            Per feature a dictionary with its 'name' and either 'low' and 'high' or 'levels',
            and any other field of `Continuous`, `Categorical` or `Ordinal`.

        Returns
        -------
        Space

        Raises
        ------
        DataError
            A description cannot be used; the message says why.

        Examples
        --------
        >>> Space.describe({"name": "age", "low": 17, "high": 90, "mad": 10},
        ...                {"name": "job", "levels": ["a", "b"]}).names
        ('age', 'job')
        """
        return cls(tuple(from_plain(feature) for feature in features))

    def to_json(self) -> str:
        """The space as JSON, without loss.

        Returns
        -------
        str

        Examples
        --------
        >>> space = Space.describe({"name": "age", "low": 17, "high": 90})
        >>> Space.from_json(space.to_json()) == space
        True
        """
        return json.dumps(self.to_plain(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Space:
        """The space that `to_json` wrote.

        Parameters
        ----------
        text
            The JSON.

        Returns
        -------
        Space

        Raises
        ------
        DataError
            The text is not the JSON of a space.

        Examples
        --------
        >>> Space.from_json(Space.describe({"name": "age", "low": 17, "high": 90}).to_json()).names
        ('age',)
        """
        try:
            return cls.from_plain(json.loads(text))
        except (ValueError, TypeError, RecursionError) as error:
            if isinstance(error, IfonlyError):
                raise
            raise DataError("This is not the JSON of a space.", "Write one by to_json().") from None

    def to_plain(self) -> dict[str, Any]:
        """The space as lists and dictionaries that JSON can hold.

        Returns
        -------
        dict

        Examples
        --------
        >>> sorted(Space.describe({"name": "age", "low": 17, "high": 90}).to_plain())
        ['carry', 'features', 'labels', 'library', 'one_hot', 'sparsity', 'weights']
        """
        display = {} if self.thousands == "," else {"thousands": self.thousands}
        return display | {
            "library": self.library,
            "features": [encode_feature(f) for f in self.features],
            "labels": encode(dict(self.labels)),
            "weights": encode(dict(self.weights)),
            "sparsity": self.sparsity,
            "one_hot": [[list(group.columns), group.optional] for group in self.one_hot],
            "carry": [asdict(one) for one in self.carry],
        }

    @classmethod
    def from_plain(cls, plain: Any) -> Space:
        """The space that `to_plain` wrote.

        Parameters
        ----------
        plain
            What `to_plain` returned.

        Returns
        -------
        Space

        Raises
        ------
        DataError
            It is no description of a space.

        Examples
        --------
        >>> space = Space.describe({"name": "age", "low": 17, "high": 90})
        >>> Space.from_plain(space.to_plain()) == space
        True
        """
        if not isinstance(plain, dict) or set(plain) - {"carry", "thousands"} != _FIELDS:
            raise DataError("This is not a description of a space.", "Write one by to_json().")
        if plain["library"] not in LIBRARIES:
            raise DataError(
                f"There is no library {plain['library']!r:.60}.", f"Known: {listed(LIBRARIES)}."
            )
        if not isinstance(plain["features"], list):
            raise DataError("The features of this space are not a list.", "Write one by to_json().")
        features = tuple(from_plain(decode_feature(one)) for one in plain["features"])
        prices = decode(plain["labels"]), decode(plain["weights"]), plain["sparsity"]
        display = groups_of(plain["one_hot"]), plain.get("thousands", ",")
        carry = carry_of(plain.get("carry", []))
        return cls(features, plain["library"], *prices, *display, carry=carry)
