"""Model, space, rules and strategies, prepared once and asked often.

pose     rows become codes, the target becomes a goal, the rules become a box
solve    search, refine, select, judge: batched over rows
answer   statuses, scores, and a record of what produced them
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ifonly.answering import (
    Part,
    answer,
    decided_by,
    joined,
    unanswered,
    wanted_of,
    wanted_score,
)
from ifonly.answers import Answers
from ifonly.budget import Budget
from ifonly.errors import OptionError
from ifonly.methods import method_of
from ifonly.models import Counted
from ifonly.models.lookup import Lookup
from ifonly.models.memo import Memo
from ifonly.posing import pose
from ifonly.preparing import prepare
from ifonly.record import record_of
from ifonly.rules import Rule
from ifonly.source import MOST_ROWS, Source
from ifonly.space import Space
from ifonly.space.frame import Frame, as_frame, library_of
from ifonly.target import Goal, check_threshold, resolve

CHUNK = 1_000_000
"""About how many numbers the candidates of a chunk of rows hold; it bounds memory."""


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
        method: Any = "auto",
        diversity: float = 0.55,
        sparsity: float = 0.5,
        effort: str = "auto",
        nearest: bool = True,
        minimal: bool = False,
        weights: Mapping[str, float] | None = None,
        categorical: Iterable[str] = (),
        ordinal: Mapping[str, Sequence[Any]] | None = None,
        labels: Mapping[Any, str] | None = None,
    ) -> None:
        if not isinstance(labels, Mapping | None):
            raise OptionError(f"labels is {labels!r}.", "Give a dictionary: {1: 'granted'}.")
        self.labels = dict(labels or {})
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
        )
        self.weights = dict(weights or {})
        if effort == "auto":
            # A network is asked in tables at next to no cost; any other model is what costs.
            effort = "base" if isinstance(self.setting.route, Lookup) else "small"
        self.method = method_of(method, effort=effort, **knobs)
        self.options = {"method": _named(method), "effort": effort, **knobs}

    def explain(
        self,
        rows: Frame,
        *,
        target: Any = "opposite",
        k: int = 4,
        threshold: float | None = None,
        seed: int = 0,
        budget: Any = None,
        progress: Callable[[int, int], None] | None = None,
        keep: bool = False,
    ) -> Answers:
        """k answers to each row.

        `budget` limits seconds, or {'model_rows': ...}; what is found by then comes back.
        `progress` is told the rows done and the rows asked. With `keep`, Ctrl-C ends the search
        and what is finished comes back.
        """
        _check_whole(k, "k", least=1)
        _check_whole(seed, "seed", least=0)
        check_threshold(threshold, self.setting.model.classes)
        frame = as_frame(rows)
        x = self.setting.space.codes(rows)
        model = self._counted(Budget.of(budget), threshold)
        said = model.decide(x, by_route=True) if threshold is None else None
        scores = model.own_scores(x, said)
        decided = decided_by(model, scores, said, threshold)
        goal = resolve(target, model.classes, decided, threshold=threshold)
        met = goal.met(scores[:, None], decided[:, None] if model.classes else None)[:, 0]
        found = self._answer(x, goal, met, model, k=k, seed=seed, progress=progress, keep=keep)
        options = {
            **self.options,
            "k": k,
            "seed": seed,
            "threshold": threshold,
            "budget": None if budget is None else str(budget),
            "weights": self.weights,
        }
        return Answers(
            space=self.setting.space,
            x=x,
            points=found.points,
            filled=found.filled,
            status=found.status,
            wanted=wanted_of(goal, model.classes),
            predicted=tuple(decided.tolist())
            if not model.classes
            else tuple(model.classes[i] for i in decided),
            row_score=wanted_score(scores[:, None], goal)[:, 0],
            score=found.score,
            index=_index(rows, len(x)),
            library=library_of(frame),
            notes=found.notes,
            labels=self.labels,
            weights=self.weights,
            record=record_of(self.setting, model, options),
            source=Source(self.setting, self.method, goal, seed, found.pools),
        )

    def _counted(self, limit: Budget, threshold: float | None) -> Counted:
        """The model and the route to it for one question."""
        way = self.setting.route
        if threshold is not None and isinstance(way, Lookup):
            way = self.setting.model  # logits do not tell a threshold on probabilities
        memo = None if self.method.descends or isinstance(way, Lookup) else Memo()
        return Counted(
            self.setting.model,
            way,
            memo,
            most_rows=limit.model_rows,
            deadline=limit.deadline(),
        )

    def _answer(
        self,
        x: np.ndarray,
        goal: Goal,
        met: np.ndarray,
        model: Counted,
        *,
        k: int,
        seed: int,
        progress: Callable[[int, int], None] | None,
        keep: bool,
    ) -> Part:
        """All rows, chunk after chunk, until the budget is spent or somebody interrupts."""
        parts: list[Part] = []
        done, note = 0, "The budget was spent before the turn of this row."
        try:
            while done < len(x) and not (parts and model.spent):
                chunk = np.arange(done, min(done + self._chunk(k), len(x)))
                problem = pose(self.setting, model, x[chunk], goal.take(chunk), seed)
                part = answer(problem, self.method, k, met[chunk])
                parts.append(part if len(x) <= MOST_ROWS else replace(part, pools=()))
                done = int(chunk[-1]) + 1
                if progress is not None:
                    progress(done, len(x))
        except KeyboardInterrupt:
            if not keep:
                raise
            note = "The search was interrupted before the turn of this row."
        if done < len(x):
            parts.append(unanswered(x[done:], k, note))
        return joined(parts)

    def _chunk(self, k: int) -> int:
        """How many rows are solved at a time: as many as the method's arrays leave room for."""
        space, grid = self.setting.space, self.setting.grid
        if not self.method.descends:
            candidates = 1000 + sum(len(values) for values in grid.fine)
            return max(1, CHUNK // (candidates * len(space)))
        home = getattr(self.setting.gradient, "home", None)
        room = CHUNK // 2 if home is None or home().device.type == "cpu" else 1000 * CHUNK
        return max(1, room // (4 * k * space.offsets[-1]))


def explain(
    model: Any,
    rows: Frame,
    *,
    data: Frame | None = None,
    target: Any = "opposite",
    k: int = 4,
    rules: Iterable[Rule | str] = (),
    method: Any = "auto",
    seed: int = 0,
    space: Space | None = None,
    threshold: float | None = None,
    diversity: float = 0.55,
    sparsity: float = 0.5,
    effort: str = "auto",
    nearest: bool = True,
    minimal: bool = False,
    weights: Mapping[str, float] | None = None,
    categorical: Iterable[str] = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    labels: Mapping[Any, str] | None = None,
    budget: Any = None,
    progress: Callable[[int, int], None] | None = None,
    keep: bool = False,
) -> Answers:
    """k ways in which each row would have got another outcome.

    `model` is a fitted estimator or pipeline, anything with `predict_proba` or `predict` on a
    DataFrame, or a function wrapped by `ifonly.as_model`. `data` is the frame of features that it
    was trained on; `target` is 'opposite', a class, a range (low, high) of a regressor, or a list
    with one of these for each row.

    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [1000, 3000, 5000], "debt": [0, 900, 200]})
    >>> lender = ifonly.as_model(lambda f: f["income"] - f["debt"] > 2500, classes=["no", "yes"])
    >>> answers = ifonly.explain(lender, data[1:2], data=data, k=2)
    >>> answers.status
    (<Status.FOUND: 'found'>,)
    """
    explainer = Explainer(
        model,
        data=data,
        space=space,
        rules=rules,
        method=method,
        diversity=diversity,
        sparsity=sparsity,
        effort=effort,
        nearest=nearest,
        minimal=minimal,
        weights=weights,
        categorical=categorical,
        ordinal=ordinal,
        labels=labels,
    )
    return explainer.explain(
        rows,
        target=target,
        k=k,
        threshold=threshold,
        seed=seed,
        budget=budget,
        progress=progress,
        keep=keep,
    )


def _index(rows: Any, q: int) -> tuple[Any, ...]:
    index = getattr(rows, "index", None)
    return (
        tuple(index.tolist())
        if isinstance(index, pd.Index) and len(index) == q
        else tuple(range(q))
    )


def _named(method: Any) -> str:
    return method if isinstance(method, str) else repr(method)


def _check_whole(value: Any, name: str, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise OptionError(f"{name} is {value!r}.", f"It is a whole number of {least} or more.")
