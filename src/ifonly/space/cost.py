"""What changing a feature costs, where one number for both ways will not do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.errors import OptionError, nearest
from ifonly.space.feature import Categorical, Continuous, Feature, Ordinal

THOUSANDS = (",", "", " ", "'", "_", "\u00a0", "\u202f", "\u2019")
"""What may stand between thousands; a full stop stands before decimals."""


@dataclass(frozen=True)
class Cost:
    """Factors on the distance of a feature: a way up, a way down, or each move between levels."""

    up: float = 1.0
    down: float = 1.0
    moves: tuple[tuple[Any, Any, float], ...] = ()
    """From a level to a level; what is not listed costs `other`."""
    other: float = 1.0

    def __post_init__(self) -> None:
        for factor in (self.up, self.down, self.other, *(factor for *_, factor in self.moves)):
            check_factor(factor, "A cost")

    def check(self, feature: Feature) -> None:
        """Refuse a cost that does not fit a feature."""
        if self.moves:
            if isinstance(feature, Continuous):
                raise OptionError(
                    f"The cost of {feature.name!r} lists moves between levels, and it is a number.",
                    "Give it a cost each way: ifonly.cost(up=2, down=1).",
                )
            for level in (level for before, after, _ in self.moves for level in (before, after)):
                if level not in feature.levels:
                    raise OptionError(
                        f"The cost of {feature.name!r} names the unknown level {level!r}.",
                        nearest(level, feature.levels),
                    )
        elif isinstance(feature, Categorical) and not isinstance(feature, Ordinal):
            raise OptionError(
                f"The cost of {feature.name!r} goes up and down, and its levels have no order.",
                f"State it, Space.infer(data, ordinal={{{feature.name!r}: [...]}}), or list moves.",
            )

    def factors(self, feature: Feature) -> np.ndarray:
        """[2] the factors up and down of a number, or [L, L] from each level to each."""
        if isinstance(feature, Continuous):
            return np.array([self.up, self.down], dtype=np.float64)
        place = {level: i for i, level in enumerate(feature.levels)}
        count = np.arange(len(place))
        if not self.moves:
            return np.where(count > count[:, None], self.up, self.down).astype(np.float64)
        factors = np.full((len(place), len(place)), float(self.other))
        for before, after, factor in self.moves:
            factors[place[before], place[after]] = factor
        return factors


def cost(
    *,
    up: float = 1.0,
    down: float = 1.0,
    moves: Mapping[tuple[Any, Any], float] | None = None,
    other: float = 1.0,
) -> Cost:
    """What a feature's change costs, as a factor on its distance, for the option `weights`.

    Parameters
    ----------
    up
        The factor of an increase.
    down
        The factor of a decrease.
    moves
        For a category, the factor of each move: {(before, after): factor}.
    other
        The factor of the moves that are not listed.

    Returns
    -------
    Cost

    Raises
    ------
    OptionError
        A factor cannot be used.

    Examples
    --------
    >>> cost(up=3)
    Cost(up=3, down=1.0, moves=(), other=1.0)
    >>> cost(moves={("Sales", "Service"): 0.5}, other=2).moves
    (('Sales', 'Service', 0.5),)
    """
    return Cost(up, down, tuple((*pair, factor) for pair, factor in (moves or {}).items()), other)


def check_weights(features: Sequence[Feature], weights: Any) -> None:
    """Refuse weights that do not fit the features."""
    if not isinstance(weights, Mapping):
        raise OptionError(
            f"The weights are {weights!r}.", "Give a dictionary, such as weights={'age': 2.0}."
        )
    named = {feature.name: feature for feature in features}
    for name, weight in weights.items():
        if name not in named:
            raise OptionError(f"There is no feature {name!r} to weight.", nearest(name, named))
        if isinstance(weight, Cost):
            weight.check(named[name])
        else:
            check_factor(weight, f"The weight of {name!r}")


def check_labels(features: Sequence[Feature], labels: Any) -> None:
    """Refuse labels that are not texts, two features of one label, and levels that are unknown."""
    if not isinstance(labels, Mapping):
        raise OptionError(f"labels is {labels!r}.", "Give a dictionary: {1: 'granted'}.")
    odd = [one for one in labels.values() if not isinstance(one, str)]
    if odd:
        raise OptionError(f"labels has {odd[0]!r}.", "Give texts: {1: 'granted'}.")
    named = {feature.name: feature for feature in features}
    for key in labels:
        if isinstance(key, tuple):
            feature = named.get(key[0]) if len(key) == 2 else None
            levels = getattr(feature, "levels", ())
            if len(key) != 2 or key[1] not in levels:
                known = nearest(key[-1], levels) if levels else nearest(key[0], named)
                raise OptionError(f"labels has {key!r}, no feature and level.", known)
    shown = [labels.get(name, name) for name in named]
    twice = [text for text in shown if shown.count(text) > 1] if labels else []
    if twice:
        raise OptionError(
            f"labels calls two features {twice[0]!r}.", "Give every feature a label of its own."
        )


def check_known(
    features: Sequence[Feature], labels: Mapping[Any, str], others: Sequence[Any]
) -> None:
    """Refuse a label of what is neither a feature nor one of `others`, such as classes."""
    known = [*(feature.name for feature in features), *others]
    for key in labels:
        if not isinstance(key, tuple) and key not in known:
            level = [one.name for one in features if key in getattr(one, "levels", ())]
            hint = f"A level is named with its feature: {(level[0], key)!r}." if level else ""
            raise OptionError(
                f"labels has {key!r}, which is no feature and no class.",
                hint or nearest(key, known),
            )


def check_sparsity(sparsity: Any) -> None:
    """Refuse a charge per changed feature that is no price."""
    number = isinstance(sparsity, int | float | np.number) and not isinstance(sparsity, bool)
    if not number or not 0 <= sparsity < np.inf:
        raise OptionError(f"sparsity is {sparsity!r}.", "It is a price of 0 or more.")


def check_thousands(thousands: Any) -> None:
    """Refuse what would not stand between thousands, or would look like a decimal point."""
    if not isinstance(thousands, str) or thousands not in THOUSANDS:
        raise OptionError(
            f"thousands is {thousands!r}.", f"It is one of {', '.join(map(repr, THOUSANDS))}."
        )


def check_factor(factor: Any, what: str) -> None:
    """Refuse what is not a positive number."""
    if isinstance(factor, bool) or not isinstance(factor, int | float | np.number):
        raise OptionError(f"{what} is {factor!r}.", "It is a positive number.")
    if not 0 < factor < np.inf:
        raise OptionError(
            f"{what} is {factor!r}.",
            "It is a positive number; to keep a feature as it is, use ifonly.fixed.",
        )
