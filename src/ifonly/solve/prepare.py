"""What is worth doing once for many questions: the space, the model, the rules, the references."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ifonly.causal import CausalModel, Causes
from ifonly.errors import OptionError, ReadingError
from ifonly.models import Differentiable, Model, adapt
from ifonly.models.adapters.table import TableModel, check_encoded
from ifonly.models.decision import Decision, Labels
from ifonly.models.differentiable import differentiable
from ifonly.models.files.load import load_model
from ifonly.models.pace import Meter
from ifonly.models.readable import Readable
from ifonly.models.reading import Reading, Trees, check_reading, read
from ifonly.models.reading.ignored import ignored_features
from ifonly.models.reading.trees.ensembles import opened
from ifonly.models.routes.fastest import approach
from ifonly.models.routes.leaf_sets import leaf_sets
from ifonly.models.routes.lookup import Lookup
from ifonly.models.sense import check_sense
from ifonly.models.split_points import read_stops
from ifonly.plausible import AsUsual, Usual
from ifonly.problem.demand import Demand
from ifonly.problem.moves import Grid
from ifonly.problem.reference import Reference
from ifonly.rules import Rule, Rules, as_rules
from ifonly.rules.joint.one_hot import SetsOne
from ifonly.rules.rule import check_consistent
from ifonly.solve.probe import carried_of, middle, reference_of, thinned
from ifonly.solve.question import Budget
from ifonly.solve.slow.prepared import rows_said
from ifonly.space import Metric, Space
from ifonly.space.cost import check_known
from ifonly.space.distance import priced
from ifonly.space.table.carry import Carried, tagged
from ifonly.space.table.frame import Frame, as_frame


@dataclass(frozen=True)
class Setting:
    """All that does not depend on the rows asked."""

    space: Space
    model: Model
    route: Model
    """The model, or a faster way to the same scores."""
    rules: tuple[Rule, ...]
    metric: Metric
    grid: Grid
    reference: Reference
    said: np.ndarray
    """[n, c] what the model says of the reference rows, or of a row in the middle."""
    decision: Decision
    """How the model's own decisions follow from its scores."""
    contradicted: bool = False
    """Whether a faster route was found to say something else than the model, and is not taken."""
    kind: str = ""
    """The name of the user's own class of model."""
    readable: Readable | None = None
    """What a gradient and a reading are taken from, where a question needs one."""
    gradient: Differentiable | None = None
    causes: Causes | None = None
    reading: Reading | None = None
    demand: AsUsual | None = None
    demands: tuple[Demand, ...] = ()
    """How usual answers must be, and what else they must meet."""
    usual: Usual | None = None
    """How usual points are, where the choice prefers those that are."""
    unread: str = ""
    """Why there is none, where one was wanted."""
    ignored: tuple[str, ...] = ()
    """The features that the model provably does not read."""
    prepared_rows: int = 0
    """How many rows the model was asked about to prepare all this."""
    slow: bool = False
    """Whether a probe has shown that each row of the model takes long."""

    @property
    def all_rules(self) -> tuple[Rule, ...]:
        """The stated rules, those of columns that are one category, and the demand."""
        demands = () if self.demand is None else (self.demand,)
        return self.rules + tuple(map(SetsOne.of, self.space.one_hot)) + demands

    def trees(self) -> Trees | None:
        """The model's trees to propose by; None where there are none."""
        if isinstance(self.reading, Trees):
            return self.reading
        return None if self.readable is None else self.readable.trees

    @property
    def measure(self) -> Usual | None:
        """How usual points are, where it is known."""
        return self.usual if self.demand is None else self.demand.usual

    def with_rules(self, rules: Rules) -> Setting:
        """The setting with more rules, checked against each other."""
        known = self.readable.data if self.readable and self.readable.given else None
        more = as_rules(rules, self.space, known)
        if not more:
            return self
        check_consistent(self.space, self.rules + more, middle(self.space))
        return replace(self, rules=self.rules + more)

    def priced(self, **prices: Any) -> Setting:
        """The setting in which changes have other prices: `weights` or `sparsity` of the space."""
        space = priced(self.space, **prices)
        return replace(self, space=space, metric=Metric.of(space))

    @property
    def by_scores(self) -> Setting:
        """The setting for a threshold that a user states: scores decide, not the model."""
        route = self.route
        if isinstance(route, Labels | Lookup):  # neither tells a threshold on probabilities
            route = self.model
        reference = replace(self.reference, scores=self.said[: len(self.reference.codes)])
        return replace(self, route=route, reference=reference, decision=Decision())

    def carrying(self, rows: Frame) -> tuple[Setting, Carried | None]:
        """The setting in which the model is asked with the carried columns of rows; and these."""
        if not self.space.carry:
            return self, None
        model, known = self.model, getattr(self.model, "carried", None)
        carried = Carried.of(as_frame(rows, empty=True), self.space.carry, known, "rows")
        if not isinstance(model, TableModel) or known is None:
            return self, carried
        model = model.carrying(carried.to(self.space.library, known))
        route = Labels(model) if isinstance(self.route, Labels) else model
        return replace(self, model=model, route=route), carried

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits of what the model says of the reference rows."""
        scores = np.round(self.said, 6) + 0.0
        return hashlib.sha256(scores.tobytes()).hexdigest()[:16]


def _inferred(data: Frame | None) -> Space:
    if data is None:
        raise OptionError(
            "Neither `data` nor `space` is given.",
            "Give `data`, the frame of features that the model was trained on; or `space`, where "
            "only ranges and levels may be shared.",
        )
    return Space.infer(data)


def prepare(
    model: Any,
    data: Frame | None,
    space: Space | None,
    causes: CausalModel | None = None,
    budget: Budget | None = None,
    *,
    slow: bool | None = False,
    share_rows: bool = True,
) -> Setting:
    """The setting of a model over a space, or over the space of `data`; rules are added to it.

    What the budget does not reach for is left out: reference rows, and probes of the model. A
    `slow` model is asked about few rows, and gets an emulator; None: it is found out.
    """
    kind = str(model) if isinstance(model, str | PathLike) else type(model).__name__
    if isinstance(model, str | PathLike):
        model = load_model(Path(model))
    space = space or _inferred(data)
    check_encoded(model, space)
    codes = None if data is None else space.codes(data, "data")
    # On the value grid, where an answer can take their values over.
    known = np.empty((0, len(space))) if codes is None else np.asarray(space.round(codes))
    limit = Budget() if budget is None else budget
    first = thinned(known)[: None if limit.most_rows is None else limit.most_rows // 2]
    kept = known[first]
    probe = kept if len(kept) else middle(space)[None]
    adapted = adapt(model, space, probe, carried_of(space, data))
    carries = getattr(adapted, "carried", None) is not None
    own = tagged(probe, first if carries and len(kept) else None)
    check_known(space.features, space.labels, [*(g.name for g in space.one_hot), *adapted.classes])
    bound = _bound(causes, space)
    meter = adapted.meter if isinstance(adapted, TableModel) else Meter()
    with meter.limited(limit.most_rows, limit.deadline):
        asked, said, emulator = rows_said(adapted, meter, space, own, slow)
        way = approach(model, adapted, space, asked, said, meter)
        chain = opened(way.inner, space)
        own_rows = (probe, False) if codes is None else (codes, True)
        readable = Readable(way.inner, way.within, probe, *own_rows, adapted, share_rows)
        route = adapted if emulator is not None and not way.decision.labels else way.route
        if emulator is None and limit.stated is None:
            route = leaf_sets(chain, readable, route, asked[: len(kept)], said) or route
        ignored = np.zeros(len(space), dtype=bool)
        if not carries:  # what is read off a model is not known to hold for every row's own columns
            ignored = ignored_features(way.inner, chain, way.within, space, probe)
        reference = reference_of(way, asked[: len(kept)], said, len(space))
    check_sense(adapted, reference.scores, way.decision, shares=adapted is not model)
    return Setting(
        space,
        adapted,
        route,
        (),
        Metric.of(space),
        Grid.of(space, codes, {} if carries else read_stops(chain, way.route, space)),
        replace(reference, emulator=emulator),
        said,
        way.decision,
        False,
        kind,
        readable,
        causes=bound,
        ignored=tuple(np.array(space.names, dtype=object)[ignored]),
        prepared_rows=meter.asked,
        slow=slow is None and emulator is not None,
    )


def _bound(causes: Any, space: Space) -> Causes | None:
    if not isinstance(causes, CausalModel | None):
        raise OptionError(
            f"causes is {causes!r}.",
            "Give an ifonly.CausalModel; pairs such as 'education causes age' are rules.",
        )
    return None if causes is None else causes.bind(space)


def provided(setting: Setting, needs: frozenset[str], *, certify: bool = False) -> Setting:
    """The setting with what a question needs of the model.

    A method that needs a reading fails without one; `certify` does without where the model says
    otherwise than its reading, and nothing is proved then.
    """
    source, meter = setting.readable, Meter()
    assert source is not None, "prepare() has stated it"
    if isinstance(source.adapted, TableModel):  # other questions are counted by the meter it has
        meter = Meter(replace(source.adapted.meter.pace))
        source = replace(source, adapted=replace(source.adapted, meter=meter))
    if "gradient" in needs and setting.gradient is None:
        source.check()
        found = differentiable(source.inner, source.adapted, setting.space, source.probe)
        setting = replace(setting, gradient=found)
    reading = "reading" in needs
    if setting.reading is None and (reading or (certify and not setting.unread)):
        read_off, unread = _read(source, setting.space, must=reading)
        setting = replace(setting, reading=read_off, unread=unread)
    return replace(setting, prepared_rows=setting.prepared_rows + meter.asked)


def _read(source: Readable, space: Space, *, must: bool) -> tuple[Reading | None, str]:
    """The model as a solver can be given it, checked against what it says itself.

    Where it says otherwise, an error or, unless a reading `must` be there, the reason.
    """
    try:
        source.check()
        reading = read(source.inner, source.adapted, space, source.data)
        checked = check_reading(reading, source.adapted, space, source.data)
    except ReadingError as error:
        if must:
            raise
        return None, error.message
    return replace(reading, checked=checked), ""
