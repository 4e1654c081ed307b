"""Which level can become which, and how long that takes at the least.

    education: Bachelors -> Masters takes 2 of age
    education only: School -> HS-grad, HS-grad -> Bachelors takes 4 of age

The moves of one rule follow each other: who goes from HS-grad to Masters by way of Bachelors needs
the time of both. With `only`, nothing else is possible; without, a change that no moves lead to is
free. Two such rules are two conditions, and an answer meets both: moves that follow each other
stand in one rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError, nearest
from ifonly.rules.box import CLOSE, Box
from ifonly.rules.change_rules import Relative
from ifonly.rules.formula import NO, YES, Affine, Formula, Variables, all_of, any_of
from ifonly.rules.intervals import check_number
from ifonly.rules.language.dates import to_number
from ifonly.rules.language.names import level_text, name_text, number_text
from ifonly.rules.levels import same
from ifonly.rules.rule import by_level, feature_of, truth_values
from ifonly.rules.scene import Scene
from ifonly.space import Categorical, Space

Move = tuple[Any, Any, float]
"""A level, the level that it becomes, and the time that this takes."""


@dataclass(frozen=True)
class Takes(Relative):
    """Moves from level to level; their time is an increase of the number `of`."""

    kind: ClassVar[str] = "takes"
    name: str
    moves: tuple[Move, ...]
    of: str = ""
    only: bool = False

    def __post_init__(self) -> None:
        moves = tuple((before, after, to_number(time)) for before, after, time in self.moves)
        object.__setattr__(self, "moves", moves)
        for before, after, time in moves:
            if not 0 <= time < np.inf:
                raise RuleError(
                    f"{level_text(before)} -> {level_text(after)} takes {time}.",
                    "A time is a number of 0 or more.",
                )
        if not moves:
            raise RuleError(f"The moves of {self.name!r} are empty.", "Give at least one.")
        if any(time for *_, time in moves) and not self.of:
            raise RuleError(
                f"The moves of {self.name!r} take time, and no feature is named that counts it.",
                f"End with: of age. For example '{self.name}: A -> B takes 2 of age'.",
            )

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, self.of) if self.of else (self.name,)

    @property
    def boxed(self) -> bool:
        return self.only and not self.of

    def __str__(self) -> str:
        listed = ", ".join(
            f"{level_text(before)} -> {level_text(after)}"
            + (f" takes {number_text(time)}" if time else "")
            for before, after, time in self.moves
        )
        of = f" of {name_text(self.of)}" if self.of else ""
        return f"{name_text(self.name)}{' only' if self.only else ''}: {listed}{of}"

    def check(self, space: Space) -> None:
        feature = feature_of(space, self.name, self)
        if not isinstance(feature, Categorical):
            raise RuleError(
                f"The rule '{self}' moves {self.name!r} from level to level, and it is a number.",
                f"Say how it moves: '{self.name} changes by at most 5'.",
            )
        for level in (level for before, after, _ in self.moves for level in (before, after)):
            if not any(same(level, known) for known in feature.levels):
                raise RuleError(
                    f"The rule '{self}' names {level!r}, which is not a level of {self.name!r}.",
                    nearest(level, feature.levels),
                )
        if self.of:
            check_number(space, self.of, self)

    def times(self, space: Space) -> np.ndarray:
        """[L, L] the least time from each level to each; infinite where there is no way."""
        return _times(space.features[space.index(self.name)].levels, self)  # type: ignore[union-attr]

    def truth(self, scene: Scene) -> np.ndarray:
        need, known = self._need(scene)
        if not self.of:
            return truth_values(need < np.inf, known)
        j = scene.space.index(self.of)
        spent = scene.value(j) - scene.own(j)
        enough = spent >= need - CLOSE * scene.step(j)
        timed = np.isfinite(need) & (need > 0)
        return truth_values(np.where(timed, enough, need <= 0), known & ~(timed & np.isnan(spent)))

    def violation(self, scene: Scene) -> np.ndarray:
        broken = self.truth(scene) < 0
        if not self.of:
            return broken.astype(np.float64)
        j, (need, _) = scene.space.index(self.of), self._need(scene)
        lacking = scene.gap(j, scene.own(j) + np.where(np.isfinite(need), need, 0.0))
        return np.where(broken, np.where(np.isfinite(need), lacking, 1.0), 0.0)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        """The time passes; where it cannot, or there is no way, the level goes back."""
        if not wanted:
            return scene.points
        j, (need, _) = scene.space.index(self.name), self._need(scene)
        back = scene.back(j)
        if not self.of:
            return np.where((need < np.inf)[:, None], scene.points, back)
        time = scene.space.index(self.of)
        later = scene.between(time, scene.own(time) + np.where(need < np.inf, need, 0.0), np.inf)
        can = (need < np.inf) & ~np.isnan(later)
        return np.where(can[:, None], scene.with_value(time, later), back)

    def narrow(self, box: Box) -> Box:
        box = super().narrow(box)
        if not self.only:
            return box
        j = box.space.index(self.name)
        own = np.nan_to_num(box.x[:, j]).astype(np.intp)
        ways = self.times(box.space)[own] < np.inf
        return box.among(j, ways | np.isnan(box.x[:, j])[:, None])

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        category = variables.category(self.name)
        if np.isnan(category.own):
            return YES
        if not self.of:
            return by_level(self, variables, self.name, wanted)
        need = self.times(variables.space)[int(category.own)]
        need = need if self.only else np.where(np.isinf(need), 0.0, need)
        ways = [(need == time, self._enough(variables, time, wanted)) for time in np.unique(need)]
        # At the level of a way there is time for it; or, for the opposite, some level lacks it.
        if wanted:
            return all_of(any_of([category.among(~at), enough]) for at, enough in ways)
        return any_of(all_of([category.among(at), lacking]) for at, lacking in ways)

    def _enough(self, variables: Variables, time: float, wanted: bool) -> Affine:
        """1 where the number has grown by a time, or has not; both where a value is missing."""
        if not 0 < time < np.inf:
            return YES if (time <= 0) == wanted else NO
        number = variables.number(self.of)
        least = number.own + float(time - CLOSE * variables.step(self.of))
        return YES if np.isnan(number.own) else number.between(least, np.inf, wanted)

    def _need(self, scene: Scene) -> tuple[np.ndarray, np.ndarray]:
        """[...] the time that each point's change needs, and whether it is known."""
        j = scene.space.index(self.name)
        value, own = scene.value(j), scene.own(j)
        times = self.times(scene.space)
        times = times if self.only else np.where(np.isinf(times), 0.0, times)
        before, after = (np.nan_to_num(code).astype(np.intp) for code in (own, value))
        return times[before, after], ~np.isnan(value) & ~np.isnan(own)


@lru_cache(maxsize=256)
def _times(levels: tuple[Any, ...], rule: Takes) -> np.ndarray:
    times = np.full((len(levels), len(levels)), np.inf)
    np.fill_diagonal(times, 0.0)
    for before, after, time in rule.moves:
        a, b = (next(i for i, k in enumerate(levels) if same(one, k)) for one in (before, after))
        times[a, b] = min(times[a, b], time)
    for by in range(len(levels)):  # each level in turn as a stop on the way
        times = np.minimum(times, times[:, by : by + 1] + times[by : by + 1])
    times.setflags(write=False)
    return times
