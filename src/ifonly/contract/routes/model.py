"""The route `model`: its features, classes and rules, and what is accepted about it."""

from __future__ import annotations

from typing import Any, Literal

from ifonly.answers.record import scores_of
from ifonly.contract.context import Context
from ifonly.contract.types import Fingerprints, Limits, Reply, Request, Strict, Value
from ifonly.contract.values import plain
from ifonly.render.view import value_text
from ifonly.space import Categorical, Feature
from ifonly.space.feature import Continuous
from ifonly.space.table.dates import WORDS, clock_of
from ifonly.space.table.dtypes import holds_whole
from ifonly.space.table.values import value_of


class ModelRequest(Request):
    """What the model is."""

    space: bool = False
    """Whether the reply has the whole `space`."""


class Labelled(Strict):
    """A level or a class, and what people call it."""

    value: Value
    label: str


class FeatureCard(Strict):
    """A feature: what values it has, and what people call it."""

    name: str
    label: str
    kind: Literal["continuous", "categorical", "ordinal"]
    type: Literal["integer", "number", "string", "boolean", "date", "date-time", "duration", "any"]
    """What its values are in JSON; dates and durations are texts in ISO 8601."""
    unit: str
    """What a number counts, such as 'EUR'; of dates and durations, the unit of `step`."""
    low: Value = None
    high: Value = None
    """The ends of the known range; a row may lie outside, an answer does not leave it."""
    step: float | None = None
    """The distance between two neighbouring values."""
    levels: list[Labelled] = []
    """Of a category; lowest first where they have an order."""
    missing: bool
    """Whether a row may lack the value: null."""
    fillable: bool
    erasable: bool
    read: bool
    """False: the model provably does not read it."""


class Group(Strict):
    """Columns of 0 and 1 that are one category: a row sets one of them."""

    name: str
    label: str
    columns: list[str]
    optional: bool
    """Whether a row may set none."""


class ModelReply(Reply):
    """What the model is, and what may be asked about it."""

    features: list[FeatureCard]
    groups: list[Group]
    carried: list[str]
    """Columns that are no features: rows have them, and answers keep them."""
    task: Literal["classification", "regression"]
    classes: list[Labelled]
    scores: Literal["probability", "margin", "label", "number"]
    """What scores are."""
    threshold: float | None
    """The score from which the model decides for the second of two classes, where it is known."""
    rules: list[str]
    """The rules in force, which every answer obeys."""
    causes: bool
    """Whether consequences follow from changes."""
    fingerprints: Fingerprints
    limits: Limits
    space: dict[str, Any] | None = None
    """The space as `Space.from_plain` reads it, where that was asked."""


def model(context: Context, request: ModelRequest) -> ModelReply:
    """What the model is, and what may be asked about it."""
    setting, space = context.setting, context.space
    classes = setting.model.classes
    return ModelReply(
        features=[_card(context, feature) for feature in space.features],
        groups=[
            Group(
                name=group.name,
                label=space.labels.get(group.name, group.name),
                columns=list(group.columns),
                optional=group.optional,
            )
            for group in space.one_hot
        ],
        carried=[one.name for one in space.carry],
        task="classification" if classes else "regression",
        classes=[Labelled(value=one, label=_label(context, one, one)) for one in classes],
        scores=scores_of(setting) if classes else "number",  # type: ignore[arg-type]
        threshold=setting.decision.threshold,
        rules=[str(rule) for rule in setting.rules],
        causes=setting.causes is not None,
        fingerprints=context.fingerprints,
        limits=context.limits,
        space=space.to_plain() if request.space else None,
    )


def type_of(feature: Feature) -> Any:
    """What the values of a feature are in JSON."""
    if isinstance(feature, Continuous):
        if not feature.column.unit:
            return "integer" if holds_whole(feature.column.dtype) else "number"
        clock = clock_of(feature.column.dtype)
        return "duration" if clock.length else "date" if clock.tick == "D" else "date-time"
    kinds = {type(plain(level)) for level in feature.levels}
    named = {str: "string", bool: "boolean", int: "integer", float: "number"}
    return named[kinds.pop()] if len(kinds) == 1 else "any"


def _card(context: Context, feature: Feature) -> FeatureCard:
    """A feature as a reply has it."""
    shown: dict[str, Any] = {}
    unit = context.units.get(feature.name, "")
    if isinstance(feature, Categorical):
        shown["levels"] = [
            Labelled(value=level, label=_label(context, (feature.name, level), level))
            for level in feature.levels
        ]
    else:
        unit = unit or WORDS.get(feature.column.unit, "")
        ends = {end: value_of(feature, getattr(feature, end)) for end in ("low", "high")}
        shown = {**ends, "step": feature.step}
    return FeatureCard(
        name=feature.name,
        label=_label(context, feature.name, feature.name),
        kind=type(feature).__name__.lower(),  # type: ignore[arg-type]  # one of the three
        type=type_of(feature),
        unit=unit,
        missing=feature.missing,
        fillable=feature.fillable,
        erasable=feature.erasable,
        read=feature.name not in context.setting.ignored,
        **shown,
    )


def _label(context: Context, key: Any, value: Any) -> str:
    """The user's label of something, or the thing itself as sentences show it."""
    return context.space.labels.get(key) or value_text(value, context.space.thousands)
