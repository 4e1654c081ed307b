"""The conditions that subgroups are made of, in the language of rules, and who meets them.

A number is cut at its quartiles, a category has a condition per level, and a value may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ifonly.answers.views import Shown, shown_features
from ifonly.render.view import value_text
from ifonly.rules.language.names import level_text, name_text, number_text
from ifonly.space import Continuous, Space
from ifonly.space.table.values import value_of

CUTS = (0.25, 0.5, 0.75)
"""The quantiles at which a number is cut."""


@dataclass(frozen=True, eq=False)
class Conditions:
    """Conditions on single features or groups, and which of r rows meet them."""

    texts: tuple[str, ...]
    """What each says, such as 'age > 41' or 'job is manual'."""
    owners: tuple[str, ...]
    """The feature or the attribute that each speaks of."""
    members: np.ndarray
    """bool [c, r] which rows meet each."""

    @classmethod
    def of(
        cls, space: Space, rows: np.ndarray, groups: pd.DataFrame | None = None, *, least: int = 1
    ) -> Conditions:
        """The conditions that at least `least` rows [r, d] meet, and as many do not.

        `groups` [r] adds its columns, without those that are features. Of conditions that the same
        rows meet, the first is kept.
        """
        found = [one for shown in shown_features(space) for one in _of_feature(space, shown, rows)]
        for name, column in () if groups is None else groups.items():
            if name not in space.names:
                values = column.astype(str).to_numpy()
                found += [
                    (f"{name_text(str(name))} is {level_text(level)}", str(name), values == level)
                    for level in sorted(set(values))
                ]
        kept: dict[bytes, tuple[str, str, np.ndarray]] = {}
        for text, owner, members in found:
            if least <= members.sum() <= len(members) - least:
                kept.setdefault(np.packbits(members).tobytes(), (text, owner, members))
        texts, owners, parts = zip(*kept.values(), strict=True) if kept else ((), (), ())
        return cls(texts, owners, np.array(parts, dtype=bool).reshape(len(parts), len(rows)))

    def without(self, owner: str) -> Conditions:
        """Those that do not speak of one feature or attribute."""
        kept = [place for place, one in enumerate(self.owners) if one != owner]
        texts, owners = (tuple(part[i] for i in kept) for part in (self.texts, self.owners))
        return Conditions(texts, owners, self.members[kept])

    def __len__(self) -> int:
        return len(self.texts)


def _of_feature(
    space: Space, shown: Shown, rows: np.ndarray
) -> Iterator[tuple[str, str, np.ndarray]]:
    """The text, the owner and the members [r] of each condition on a feature."""
    name = name_text(shown.name)
    if shown.group is not None:
        levels = np.array([str(shown.value(row)) for row in rows])
        for level in sorted(set(levels)):
            yield f"{name} is {level_text(level)}", shown.name, levels == level
        return
    feature, codes = shown.features[0], rows[:, shown.columns[0]]
    missing = np.isnan(codes)
    if isinstance(feature, Continuous):
        known = codes[~missing]
        cuts = np.unique(np.quantile(known, CUTS, method="inverted_cdf")) if len(known) else ()
        for cut in cuts:
            date = feature.column.unit
            text = value_text(value_of(feature, cut)) if date else number_text(cut)
            yield f"{name} <= {text}", shown.name, codes <= cut
            yield f"{name} > {text}", shown.name, codes > cut
    else:
        for code in np.unique(codes[~missing]):
            level = shown.labels.get(feature.levels[int(code)], feature.levels[int(code)])
            yield f"{name} is {level_text(level)}", shown.name, codes == code
    yield f"{name} is missing", shown.name, missing
