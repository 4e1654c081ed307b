"""A cheap model in place of a slow one, fitted to what the slow one has said.

Two parts. Boosted trees, fitted once to the scores of rows of the data, know the model as a whole.
What they get wrong near a row is estimated from what the slow model has said about that row and its
candidates (kriging: a Gaussian process of the errors). A row's own facts correct the row alone, so
its answers do not depend on the rows beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ifonly.space import Space

CLIP = 1e-3
"""Probabilities nearer to 0 or 1 are taken for these: their logits say little about the line."""
TREES, LEAVES, FEWEST, RATE = 200, 8, 5, 0.08
"""The boosted trees: how many, their leaves, the rows in a leaf, and what each tree counts."""
PRIOR = 5.0
"""How many rows the mean of all counts among those of a level."""
KNOTS = 65
"""How many quantiles of a number say how far apart two of its values are."""
REACH = 0.3
"""How far an error reaches along a number, as a share of the rows that lie between."""
NOISE = 0.1
"""The part of an error that tells nothing about other points."""
FAR = 1e3
"""The distance between two levels of a category, at which nothing is alike."""
ROOM = 1_000_000
"""About how many numbers a kernel holds at a time; it bounds memory."""


@dataclass(frozen=True, eq=False)
class Emulator:
    """Boosted trees over codes, one for each number that scores are made of."""

    classes: tuple[Any, ...]
    trees: tuple[Any, ...]
    """A regressor for each link [t]: the logit of two classes, the logarithms of more, a number."""
    order: tuple[np.ndarray | None, ...]
    """For each category, the mean link of its levels: trees split by it; None for a number."""
    knots: tuple[np.ndarray | None, ...]
    """For each number, its quantiles; None for a category."""
    spread: float
    """How far apart links are: the unit of errors."""

    @classmethod
    def fit(
        cls, space: Space, classes: tuple[Any, ...], codes: np.ndarray, scores: np.ndarray
    ) -> Emulator:
        """An emulator of a model that gives scores [n, c] to rows [n, d]."""
        from sklearn.ensemble import HistGradientBoostingRegressor
        from threadpoolctl import threadpool_limits  # a dependency of scikit-learn

        links = linked(scores, classes)
        known = [codes[~np.isnan(codes[:, j]), j] for j in range(len(space))]
        shares = np.linspace(0, 1, KNOTS)
        knots = tuple(
            np.quantile(own, shares) if number and len(own) else np.zeros(KNOTS) if number else None
            for own, number in zip(known, space.continuous, strict=True)
        )
        order = tuple(
            None if number else _means(codes[:, j], links[:, 0], space.count(j))
            for j, number in enumerate(space.continuous)
        )
        inputs = _ordered(codes, order)
        options: Any = {"max_iter": TREES, "max_leaf_nodes": LEAVES, "min_samples_leaf": FEWEST}
        options |= {"learning_rate": RATE, "early_stopping": False, "random_state": 0}
        # Threads that wait for each other after each tree cost more than they bring.
        with threadpool_limits(1, user_api="openmp"):
            trees = tuple(
                HistGradientBoostingRegressor(**options).fit(inputs, link) for link in links.T
            )
        return cls(classes, trees, order, knots, float(links.std()) or 1.0)

    def links(self, codes: np.ndarray) -> np.ndarray:
        """[n, t] what the trees say of codes [n, d]."""
        inputs = _ordered(codes, self.order)
        # One thread, as above; `predict` would take all.
        return np.concatenate([tree._raw_predict(inputs, n_threads=1) for tree in self.trees], 1)

    def positions(self, codes: np.ndarray) -> np.ndarray:
        """float32 [d, ...] codes [..., d] as numbers that are far apart where codes are unlike.

        A number is its share of the rows, over `REACH`; all levels, and what is missing, are far.
        """
        places = np.full((codes.shape[-1], *codes.shape[:-1]), -FAR, dtype=np.float32)
        for j, knots in enumerate(self.knots):
            known = ~np.isnan(codes[..., j])
            own = codes[..., j][known]
            shares = None if knots is None else np.interp(own, knots, np.linspace(0, 1, KNOTS))
            places[j][known] = FAR * own if shares is None else shares / REACH
        return places


def alike(places: np.ndarray, others: np.ndarray) -> np.ndarray:
    """[n, f] how much the error at others [d, n, f] tells about that at places [d, n].

    In how many features two points are alike, and once more if they are so in all of them: an error
    belongs to a value, or to the combination.
    """
    total = np.zeros(others.shape[1:], dtype=np.float32)
    for own, other in zip(places, others, strict=True):
        total += np.exp(-np.abs(other - own[:, None]))
    return 1 + total + np.exp(total - len(places))


@dataclass(frozen=True, eq=False)
class Corrected:
    """An emulator with what the slow model has said about each of q rows."""

    emulator: Emulator
    facts: np.ndarray
    """float32 [d, q, f] the positions of what it has spoken about."""
    weights: np.ndarray
    """[q, f, t] what the error at each fact counts; 0 where there is none."""
    hope: np.ndarray
    """[q, t] what is added to the links of a row's candidates, to try more of them or fewer."""

    @classmethod
    def of(
        cls, emulator: Emulator, codes: np.ndarray, scores: np.ndarray, hope: np.ndarray
    ) -> Corrected:
        """The emulator corrected by scores [n, c] of codes [n, d + 1], tagged with their row."""
        q = len(hope)
        place = codes[:, -1].astype(np.intp)
        order = np.argsort(place, kind="stable")
        count = np.bincount(place, minlength=q)
        slot = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
        errors = linked(scores, emulator.classes) - emulator.links(codes[:, :-1])
        most, d = int(count.max(initial=1)), codes.shape[1] - 1
        facts, real = np.zeros((d, q, most), np.float32), np.zeros((q, most), dtype=bool)
        error = np.zeros((q, most, errors.shape[1]))
        at = place[order], slot
        facts[:, *at] = emulator.positions(codes[order, :-1])
        error[at], real[at] = errors[order], True
        both = real[:, :, None] & real[:, None, :]
        kernel = alike(facts.reshape(d, -1), np.repeat(facts, most, axis=1))
        kernel = np.where(both, kernel.reshape(q, most, most), 0.0) + NOISE * np.eye(most)
        return cls(emulator, facts, np.linalg.solve(kernel, error), hope)

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.emulator.classes

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] of codes [n, d + 1], tagged with the row whose candidates they are."""
        links = self.emulator.links(codes[:, :-1])
        places, row = self.emulator.positions(codes[:, :-1]), codes[:, -1].astype(np.intp)
        step = max(1, ROOM // self.facts.shape[2])
        for part in (slice(start, start + step) for start in range(0, len(codes), step)):
            near = alike(places[:, part], self.facts[:, row[part]])
            links[part] += np.einsum("nf,nft->nt", near, self.weights[row[part]])
        links += self.hope[row]
        return unlinked(links, self.classes)

    def decide(self, codes: np.ndarray) -> None:
        """None: scores decide."""


@dataclass(frozen=True)
class Silent:
    """A model that says nothing, and notes what it is asked about."""

    classes: tuple[Any, ...]
    heard: list[np.ndarray] = field(default_factory=list)

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] NaN."""
        self.heard.append(codes)
        return np.full((len(codes), max(1, len(self.classes))), np.nan)

    def decide(self, codes: np.ndarray) -> None:
        """None: scores decide."""


def linked(scores: np.ndarray, classes: tuple[Any, ...]) -> np.ndarray:
    """[n, t] scores [n, c] as numbers without ends, in which errors add up."""
    if not classes:
        return scores.astype(np.float64)
    logs = np.log(np.clip(scores, CLIP, 1 - CLIP))
    return np.asarray(logs if len(classes) > 2 else logs[:, 1:] - logs[:, :1])


def unlinked(links: np.ndarray, classes: tuple[Any, ...]) -> np.ndarray:
    """[n, c] the scores of links [n, t]."""
    if not classes:
        return links
    if len(classes) == 2:
        links = np.concatenate([np.zeros_like(links), links], axis=1)
    shares = np.exp(links - links.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _means(codes: np.ndarray, link: np.ndarray, levels: int) -> np.ndarray:
    """[levels] the mean link of each level, drawn towards that of all; of an unknown one, that."""
    known = ~np.isnan(codes)
    place = codes[known].astype(np.intp)
    count = np.bincount(place, minlength=levels)
    total = np.bincount(place, link[known], minlength=levels)
    return np.asarray((total + PRIOR * link.mean()) / (count + PRIOR))


def _ordered(codes: np.ndarray, order: tuple[np.ndarray | None, ...]) -> np.ndarray:
    """[n, d] codes with every level replaced by its place in the order of levels."""
    inputs = np.array(codes, dtype=np.float64)
    for j, means in enumerate(order):
        if means is not None:
            known = ~np.isnan(codes[:, j])
            inputs[known, j] = means[codes[known, j].astype(np.intp)]
    return inputs
