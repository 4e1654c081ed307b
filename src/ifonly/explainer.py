"""Model, space, rules and strategies, prepared once and asked often.

pose     rows become codes, the target becomes a goal, the rules become a box
solve    search, refine, select, judge: batched over rows
answer   statuses, scores, and a record of what produced them
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ifonly.answers import Answers
from ifonly.answers.record import record_of
from ifonly.causal import CausalModel
from ifonly.errors import OptionError
from ifonly.models import Counted, Model
from ifonly.models.counted import Contradiction, Rejection
from ifonly.models.routes.lookup import Lookup
from ifonly.models.routes.memo import Memo
from ifonly.problem.budget import Budget
from ifonly.problem.goal import check_threshold, resolve
from ifonly.rules import Rule
from ifonly.solve.batch import Batch
from ifonly.solve.chunks import answer_in_turns
from ifonly.solve.method import method_of
from ifonly.solve.predict import predict
from ifonly.solve.prepare import Setting, prepare
from ifonly.solve.question import Question
from ifonly.solve.row_rules import read_row_rules
from ifonly.solve.source import Source
from ifonly.solve.stages import Certifier
from ifonly.solve.statuses import wanted_of, wanted_score
from ifonly.space import Space
from ifonly.space.frame import Frame, as_frame, library_of

SECONDS = 60.0
"""What a proof may take for a row unless it is told."""


class Explainer:
    """Answers questions about one model: prepared once, asked often.

    >>> from ifonly import as_model
    >>> data = pd.DataFrame({"income": [10, 30, 50], "job": ["a", "b", "a"]})
    >>> model = as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> Explainer(model, data=data).explain(data[:1], k=1).sentences()
    [['If only income were 41 (not 10): yes (1.00).']]
    """

    def __init__(
        self,
        model: Any,
        *,
        data: Frame | None = None,
        space: Space | None = None,
        rules: Iterable[Rule | str] = (),
        causes: CausalModel | None = None,
        method: Any = "auto",
        diversity: float = 0.55,
        sparsity: float = 0.5,
        effort: str = "auto",
        nearest: bool = True,
        minimal: bool = False,
        certify: bool | float = False,
        weights: Mapping[str, Any] | None = None,
        categorical: Iterable[str] = (),
        ordinal: Mapping[str, Sequence[Any]] | None = None,
        labels: Mapping[Any, str] | None = None,
    ) -> None:
        if not isinstance(labels, Mapping | None):
            raise OptionError(f"labels is {labels!r}.", "Give a dictionary: {1: 'granted'}.")
        self.labels: dict[Any, Any] = dict(labels or {})
        odd = [one for one in self.labels.values() if not isinstance(one, str)]
        if odd:
            raise OptionError(f"labels has {odd[0]!r}.", "Give texts: {1: 'granted'}.")
        knobs: dict[str, Any] = {
            "diversity": diversity,
            "sparsity": sparsity,
            "nearest_first": nearest,
            "minimal": minimal,
        }
        self.setting = prepare(
            model,
            data,
            space,
            rules,
            categorical=categorical,
            ordinal=ordinal,
            weights=weights,
            descends=method_of(method, **knobs).descends,
            solves=method_of(method, **knobs).solves,
            certifies=bool(certify),
            causes=causes,
        )
        self.weights = dict(weights or {})
        if effort == "auto":
            # A network is asked in tables at next to no cost; any other model is what costs.
            effort = "base" if isinstance(self.setting.route, Lookup) else "small"
        self.method = method_of(method, effort=effort, **knobs)
        self.certify = _seconds(certify)
        self.options = {"method": _named(method), "effort": effort, **knobs}

    def explain(
        self,
        rows: Frame,
        *,
        target: Any = "opposite",
        k: int = 4,
        threshold: float | None = None,
        row_rules: Any = None,
        seed: int = 0,
        budget: Any = None,
        progress: Callable[[int, int], None] | None = None,
        keep: bool = False,
    ) -> Answers:
        """k answers to each row.

        `row_rules` gives single rows rules of their own: {0: ['income at most 30000']}.
        `budget` limits seconds, or {'model_rows': ...}; what is found by then comes back.
        `progress` is told the rows done and the rows asked. With `keep`, Ctrl-C ends the search
        and what is finished comes back.
        """
        question = Question(target, k, threshold, seed, budget, progress, keep)
        setting = self.setting  # read once: another thread may drop its route
        check_threshold(threshold, setting.model.classes)
        setting = setting if threshold is None else setting.by_scores
        x = setting.space.codes(rows)
        own = read_row_rules(row_rules, len(x), setting.space)
        model = self._counted(question.limit, setting.route)
        ask = partial(self._explained, question, rows, x, own)
        try:
            return ask(model, setting)
        except Rejection:  # one row that the model fails for: the route is right for others
            return ask(model.without_route(), replace(setting, route=setting.model))
        except Contradiction:
            # A shortcut that misleads is not taken again: the model itself is asked.
            self.setting = replace(self.setting, route=setting.model, contradicted=True)
            plain = replace(setting, route=setting.model, contradicted=True)
            return ask(model.without_route(), plain)

    def _explained(
        self,
        question: Question,
        rows: Frame,
        x: np.ndarray,
        own: tuple[tuple[Rule, ...], ...],
        model: Counted,
        setting: Setting,
    ) -> Answers:
        """The answers of codes x [q, d], asking the model by one route."""
        stated = question.threshold is not None
        cut = question.threshold if stated else setting.decision.threshold
        certain = not setting.decision.found
        said = predict(model, x, cut, stated=stated, certain=certain)
        goal = resolve(
            question.target, model.classes, said.decided, threshold=cut, by_scores=stated
        )
        decided = said.decided[:, None] if model.classes else None
        met = goal.met(said.scores[:, None], decided)[:, 0]
        batch = Batch(x, goal, met, own, question.seed, said.known, said.failed)
        found = answer_in_turns(
            batch, setting, model, self.method, question, certify=self._certifier()
        )
        model.confirm()
        options = {
            **self.options,
            **question.options,
            "interrupted": found.interrupted,
            "weights": self.weights,
            "row_rules": [[str(rule) for rule in rules] for rules in own],
        }
        return Answers(
            space=setting.space,
            x=x,
            points=found.points,
            acted=found.acted,
            bound=None if found.proof is None else found.proof.bound,
            seconds=None if found.proof is None else found.proof.seconds,
            filled=found.filled,
            status=found.status,
            wanted=wanted_of(goal, model.classes, said.known),
            predicted=said.labels(model.classes),
            row_score=wanted_score(said.scores[:, None], goal)[:, 0],
            score=found.score,
            index=_index(rows, len(x)),
            library=library_of(as_frame(rows)),
            notes=found.notes,
            labels=self.labels,
            weights=self.weights,
            record=record_of(setting, model, options),
            source=Source(setting, self.method, batch, found.pools),
        )

    def _counted(self, limit: Budget, way: Model) -> Counted:
        """The model and the route to it for one question."""
        memo = None if self.method.descends or isinstance(way, Lookup) else Memo()
        return Counted(
            self.setting.model,
            way,
            memo,
            most_rows=limit.model_rows,
            deadline=limit.deadline(),
        )

    def _certifier(self) -> Certifier | None:
        if self.certify is None:
            return None
        from ifonly.search.exact.certify import certify  # only where it is asked for

        return partial(certify, limit=self.certify)


def _index(rows: Any, q: int) -> tuple[Any, ...]:
    index = getattr(rows, "index", None)
    return (
        tuple(index.tolist())
        if isinstance(index, pd.Index) and len(index) == q
        else tuple(range(q))
    )


def _named(method: Any) -> str:
    return method if isinstance(method, str) else repr(method)


def _seconds(certify: Any) -> float | None:
    """The seconds that a proof may take for a row; None where none is asked for."""
    if certify is False or certify is None:
        return None
    if certify is True:
        return SECONDS
    if not isinstance(certify, int | float) or not certify > 0:
        raise OptionError(f"certify is {certify!r}.", "It is True, or the most seconds a row.")
    return float(certify)
