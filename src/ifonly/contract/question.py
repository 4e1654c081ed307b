"""A question about rows: all that `Explainer.explain` takes with them, over JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ifonly.answers import Answers
from ifonly.contract.context import Context
from ifonly.contract.problem import Refused, at
from ifonly.contract.types import (
    Count,
    Factor,
    GivenRule,
    Positive,
    Range,
    Request,
    Row,
    Share,
    Strict,
    Threshold,
    Value,
    Whole,
)
from ifonly.contract.values import finite, key_of, plain
from ifonly.errors import OptionError, nearest
from ifonly.plausible import Plausible
from ifonly.problem.goal import Logit
from ifonly.space import Cost

Level = Annotated[float, Field(ge=0, lt=1)]
NotNegative = Annotated[float, Field(ge=0)]
Outcome = Range | str | bool | int | float


class Move(Strict):
    """What a move from a level to another costs."""

    before: Value
    after: Value
    factor: Factor


class Costs(Strict):
    """Factors on the distance of a feature: each way, or each move between levels."""

    up: Factor = 1.0
    down: Factor = 1.0
    moves: list[Move] = []
    other: Factor = 1.0


class Usual(Strict):
    """What plausible means, and how usual answers must be."""

    measure: Literal["auto", "isolation", "neighbours"] = "auto"
    level: Level | None = None


class LogOdds(Strict):
    """A margin in log odds, for a model of two classes."""

    amount: Positive


class Budget(Strict):
    """What the search may cost; what is found by then is the reply."""

    seconds: Positive | None = None
    model_rows: Count | None = None
    model_rows_per_row: Count | None = None
    harder: bool = True
    """Whether a row that is short of answers is searched again, harder."""


class Question(Request):
    """Rows and all that `Explainer.explain` takes with them."""

    rows: list[Row]
    target: Outcome | list[Outcome] = "opposite"
    """'opposite', 'other', a class, a range, or a list with one per row."""
    k: Count = 4
    """How many answers to each row."""
    threshold: Threshold | None = None
    """The probability from which the second of two classes is decided for."""
    rules: list[GivenRule] = []
    """Rules of this question, beside those in force."""
    row_rules: list[list[GivenRule]] = []
    """Rules of single rows: nothing, or a list per row."""
    weights: dict[str, Factor | Costs] = {}
    """What changes cost, by feature, in place of the weights of the model's space."""
    diversity: Share | None = None
    """From 0, the closest answers, to 1, the widest."""
    plausible: bool | Level | Usual | None = None
    """Every answer is at least as usual as this share of the data; false: no preference."""
    margin: NotNegative | LogOdds = 0.0
    """How far beyond the threshold the score of every answer is."""
    tolerance: Positive | dict[str, Positive] | None = None
    """The outcome stays if changed numbers are so much off: an amount each, or a share of each."""
    certify: bool | Positive = False
    """Prove how near an answer can be: true, or the most seconds per row."""
    seed: Whole = Field(0, ge=0)
    budget: Budget | None = None

    @classmethod
    def examples(cls, row: dict[str, Any], other: dict[str, Any], target: Any) -> list[Any]:
        """One row with a rule, and two rows."""
        rules = ["at most 2 features change"]
        return [
            {"rows": [row], "k": 2, "target": target, "rules": rules},
            {"rows": [row, other], "k": 1, "target": [target, target], "seed": 1},
        ]


def ask(context: Context, request: Question) -> Answers:
    """The answers of `Explainer.explain` to a question."""
    codes, limits = context.codes(request.rows), context.limits
    if request.k > limits.k:
        hint = f"At most {limits.k} are accepted."
        raise Refused(f"{request.k} answers per row are too many.", hint, field="k")
    if request.row_rules and len(request.row_rules) != len(request.rows):
        lists, rows = len(request.row_rules), len(request.rows)
        hint = "Give a list of rules per row; it may be empty."
        raise Refused(f"There are {lists} lists for {rows} rows.", hint, field="row_rules")
    rules = context.rules(request.rules)
    own = [context.rules(one, f"row_rules[{i}]") for i, one in enumerate(request.row_rules)]
    budget = {} if request.budget is None else request.budget.model_dump(exclude_defaults=True)
    if limits.seconds is not None:
        budget["seconds"] = min(limits.seconds, budget.get("seconds", limits.seconds))
    weights = _weights(context, request.weights)
    plausible, margin = request.plausible, request.margin
    answers = context.explainer.explain(
        context.frame(codes, request.rows),
        target=context.target(request.target),
        k=request.k,
        threshold=request.threshold,
        rules=rules,
        row_rules=own or None,
        weights=weights or None,
        diversity=request.diversity,
        certify=request.certify,
        seed=request.seed,
        budget=budget or None,
        margin=Logit(margin.amount) if isinstance(margin, LogOdds) else margin,
        tolerance=request.tolerance,
        plausible=Plausible(**dict(plausible)) if isinstance(plausible, Usual) else plausible,
        progress=False,
    )
    context.last.clear()
    if len(request.rows) == 1 and not answers.record["interrupted"]:
        context.last[_asked(request)] = answers
    return answers


def ask_once(context: Context, request: Question) -> Answers:
    """As `ask`; but what was asked last is not asked again: who has no answer wants to know why."""
    known = context.last.get(_asked(request))
    return ask(context, request) if known is None else known


def _asked(request: Question) -> str:
    """What tells questions apart, whatever else is asked besides."""
    return request.model_dump_json(include={*Question.model_fields})


def wanted_of(wanted: Any) -> Any:
    """A wanted outcome: a class, or a range whose open ends are null."""
    if not isinstance(wanted, tuple):
        return plain(wanted)
    return Range(low=finite(wanted[0]), high=finite(wanted[1]))


def _weights(context: Context, given: dict[str, float | Costs]) -> dict[str, float | Cost]:
    """Weights as `explain` takes them."""
    weights: dict[str, float | Cost] = {}
    for name, one in given.items():
        with at(f"weights.{name}"):
            if name not in context.space.names:
                raise OptionError(
                    f"There is no feature {name!r:.60}.", nearest(name, context.space.names)
                )
            feature = context.space.features[context.space.index(name)]
            weights[name] = one if isinstance(one, float | int) else _cost(one, feature)
    return weights


def _cost(given: Costs, feature: Any) -> Cost:
    """The cost of a feature, in the levels of the data."""
    levels = {key_of(plain(level)): level for level in getattr(feature, "levels", ())}
    moves = tuple(
        (levels.get(key_of(m.before), m.before), levels.get(key_of(m.after), m.after), m.factor)
        for m in given.moves
    )
    cost = Cost(given.up, given.down, moves, given.other)
    cost.check(feature)
    return cost
