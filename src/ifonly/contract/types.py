"""What requests and replies are made of: strict, versioned, and JSON alone.

A field that is not known is an error, no text is taken for a number, and no number is NaN or
infinite. A value of a feature keeps its type: a whole number, a number, a text, true or false, a
date as ISO 8601, or null where it is missing.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from typing_extensions import TypeAliasType

from ifonly.contract.values import plain
from ifonly.render import view

VERSION: Literal[1] = 1
"""The version of the contract: the first part of every route, `/v1/explain`."""


class Strict(BaseModel):
    """The base of everything in the contract."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        protected_namespaces=(),
    )


class Request(Strict):
    """What is asked; every request has the version of the contract that it is written for."""

    version: Literal[1] = VERSION

    @classmethod
    def examples(cls, row: dict[str, Any], other: dict[str, Any], target: Any) -> list[Any]:
        """Requests that can be answered, of two rows and of an outcome that may be wanted."""
        return [{}]


class Reply(Strict):
    """What is answered."""

    version: Literal[1] = VERSION


def _whole(value: Any) -> Any:
    """JSON has one kind of number: 4.0 is the whole number 4."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


SCALAR = {"type": ["string", "number", "boolean", "null"]}
Whole = Annotated[int, BeforeValidator(_whole)]
Count = Annotated[int, Field(gt=0), BeforeValidator(_whole)]
Positive = Annotated[float, Field(gt=0)]
Factor = Annotated[float, Field(gt=0, le=1e9)]
Threshold = Annotated[float, Field(gt=0, lt=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Value = TypeAliasType(
    "Value", Annotated[Any, BeforeValidator(plain), WithJsonSchema(SCALAR)], type_params=()
)
"""A value of a feature, a level or a class."""
Row = TypeAliasType("Row", dict[str, Any])
"""A value for every feature and every carried column, by name."""
Changes = TypeAliasType("Changes", dict[str, Any])
"""New values of some features, by name."""
GivenRule = TypeAliasType(
    "GivenRule", Annotated[Any, WithJsonSchema({"type": ["string", "object"]})], type_params=()
)
"""A rule as a line of text, or as the dictionary that `ifonly.rules.to_plain` writes."""


class Range(Strict):
    """A range of a regressor's predictions; an end that is left out is open."""

    low: float | None = None
    high: float | None = None


class Change(Strict):
    """One feature that changes."""

    feature: str
    before: Value
    after: Value
    follows: bool = False
    """Whether it changes because others do: a consequence, not an action."""

    @classmethod
    def of(cls, change: view.Change) -> Change:
        """A change of a view."""
        return cls(
            feature=change.feature,
            before=change.before,
            after=change.after,
            follows=change.follows,
        )


class Fingerprints(Strict):
    """Sixteen hexadecimal digits each, which tell one model, space or list of rules from others."""

    model: str
    space: str
    rules: str


class Limits(Strict):
    """What a handler accepts; a request beyond it is refused."""

    body: int = 32 * 2**20
    """Bytes of a request."""
    rows: int = 1000
    """Rows of a question, and curves."""
    batch_rows: int = 200_000
    """Rows of `score_batch`."""
    k: int = 20
    """Answers per row."""
    rules: int = 200
    """Rules of a list."""
    rule_text: int = 2000
    """Characters of one rule."""
    seconds: float | None = None
    """The most seconds of a search; a budget beyond it is cut to it."""
