"""What the routes share: a prepared `Explainer`, and how parts of a request are read for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from ifonly.answers import Answers
from ifonly.answers.record import rules_fingerprint
from ifonly.contract.problem import Refused, at
from ifonly.contract.types import Fingerprints, Limits, Range
from ifonly.contract.values import frame_of, key_of, plain, read_rows
from ifonly.errors import OptionError, RuleError, TargetError, listed, nearest
from ifonly.explainer import Explainer
from ifonly.rules import Rule, as_rules
from ifonly.solve.prepare import Setting
from ifonly.space import Space

WORDS = ("opposite", "other")


@dataclass(frozen=True)
class Context:
    """A prepared `Explainer`, what is accepted about it, and the units of its features."""

    explainer: Explainer
    limits: Limits = field(default_factory=Limits)
    units: Mapping[str, str] = field(default_factory=dict)
    last: dict[str, Answers] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The answers to the last question about one row, by what was asked."""

    def __post_init__(self) -> None:
        for name in self.units:
            if name not in self.space.names:
                raise OptionError(f"There is no feature {name!r}.", nearest(name, self.space.names))

    @property
    def setting(self) -> Setting:
        """What was prepared."""
        return self.explainer.setting

    @property
    def space(self) -> Space:
        """The features."""
        return self.setting.space

    @cached_property
    def data(self) -> np.ndarray | None:
        """[n, d] the codes of the data; None where only a space was given."""
        source = self.setting.readable
        return source.data if source is not None and source.given else None

    @property
    def fingerprints(self) -> Fingerprints:
        """Those of the model, the space and the rules in force."""
        rules = rules_fingerprint(map(str, self.setting.rules))
        return Fingerprints(
            model=self.setting.fingerprint, space=self.space.fingerprint, rules=rules
        )

    def codes(self, rows: list[dict[str, Any]], most: int | None = None) -> np.ndarray:
        """[n, d] the codes of rows of JSON."""
        most = self.limits.rows if most is None else most
        if len(rows) > most:
            hint = f"At most {most} are accepted."
            raise Refused(f"There are {len(rows)} rows.", hint, field="rows", kind="limit")
        return read_rows(self.space, rows, "rows[{}]")

    def row(self, row: dict[str, Any], field: str) -> np.ndarray:
        """[d] the codes of one row of JSON."""
        return np.asarray(read_rows(self.space, [row], field)[0])

    def frame(self, codes: np.ndarray, rows: list[dict[str, Any]]) -> pd.DataFrame:
        """Codes [n, d] as a frame like the data, with the carried columns of their rows."""
        return frame_of(self.space, codes, rows, getattr(self.setting.model, "carried", None))

    def rules(self, given: Sequence[Any], field: str = "rules") -> list[Rule]:
        """Rules of a request; an error names the one it is about."""
        return [rule for each in self.each_rule(given, field) for rule in each()]

    def each_rule(
        self, given: Sequence[Any], field: str = "rules"
    ) -> Iterator[Callable[[], tuple[Rule, ...]]]:
        """For each rule of a request, what reads it: one rule, or those that data suggest."""
        if len(given) > self.limits.rules:
            hint = f"At most {self.limits.rules} are accepted."
            raise Refused(f"There are {len(given)} rules.", hint, field=field, kind="limit")
        return (partial(self._rule, one, f"{field}[{i}]") for i, one in enumerate(given))

    def _rule(self, given: Any, field: str) -> tuple[Rule, ...]:
        with at(field):
            if len(str(given)) > self.limits.rule_text:
                most = self.limits.rule_text
                raise RuleError(
                    f"This rule has {len(str(given))} characters.", f"At most {most} are accepted."
                )
            return as_rules([given], self.space, self.data)

    def target(self, given: Any, field: str = "target") -> Any:
        """The wanted outcome as `explain` takes it."""
        if isinstance(given, list):
            return [self.target(one, f"{field}[{place}]") for place, one in enumerate(given)]
        if isinstance(given, Range):
            return given.low, given.high
        classes = self.setting.model.classes
        known = {key_of(plain(one)): one for one in classes}
        if classes and key_of(given) not in known and given not in WORDS:
            with at(field):
                raise TargetError(
                    f"The model has no class {given!r:.60}.", f"Its classes are {listed(classes)}."
                )
        return known.get(key_of(given), given)
