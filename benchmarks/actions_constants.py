"""How ERRORS, LAYERS and AGAIN of the common actions were chosen; it runs alone, without a peer.

Not on Adult, whose rows the benchmark of the audit reports: on COMPAS, German Credit and
LendingClub, two models each. Of up to 600 refused rows the search sees a quarter, so that its
sample misleads it more often than one of 1,000 would. A case is a model, a share of the rows, a
number of actions and one of two samples; its loss is the mean cost found, over the least that any
setting finds, or the widest with all rows for a sample. The rule was stated before the first run:
each constant is the least value after which no greater one lowers the mean loss by 0.002, first
ERRORS, at three layers, then LAYERS; AGAIN, which came later, after both.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from data_tables import fitted, table
from ifonly.fairness.actions import Action, few, tried
from ifonly.fairness.one_pass import Pass

TABLES = {
    "compas": (),
    "german_credit": ("age", "personal_status_sex", "foreign_worker"),
    "lending_club": ("addr_state", "credit_years"),
}
"""The tables, and what nobody is advised to change."""
KINDS = ("logistic", "xgboost")
ROWS, PART = 600, 4
SHARES, SIZES, SEEDS = (0.8, 0.9, 0.95), (1, 3), (0, 1)
ERRORS, LAYERS, AGAIN, GAIN = (0, 1, 2, 3, 4), (1, 2, 3, 5), (0, 1, 2, 3), 0.002
Setting = tuple[int, int, int]


def main() -> None:
    """Print the mean loss of every setting, and what the rule chooses."""
    searches = [Searches(name, kind) for name in TABLES for kind in KINDS]
    errors = chosen(searches, {one: (one, 3, 0) for one in ERRORS})
    layers = chosen(searches, {one: (errors, one, 0) for one in LAYERS})
    again = chosen(searches, {one: (errors, layers, one) for one in AGAIN})
    print(f"ERRORS, LAYERS, AGAIN = {errors}, {layers}, {again}")


def chosen(searches: list[Searches], settings: dict[int, Setting]) -> int:
    """The value that the rule chooses of some; their losses are printed."""
    loss = losses(searches, list(settings.values()))
    lines = [(*setting, len(lost), lost.mean(), lost.max()) for setting, lost in loss.items()]
    print(pd.DataFrame(lines, columns=["errors", "layers", "again", "cases", "mean loss", "most"]))
    return least({value: float(loss[setting].mean()) for value, setting in settings.items()})


def least(loss: dict[int, float]) -> int:
    """The least value after which no greater one lowers the loss by enough."""
    return next(v for v in sorted(loss) if all(loss[v] - loss[w] < GAIN for w in loss if w > v))


class Searches:
    """The refused rows of a table and a model, and every action that was ever tried on them."""

    def __init__(self, name: str, kind: str) -> None:
        one, wanted = table(name, 10**6), ifonly.datasets.load(name).desired
        model = fitted(kind, one)
        every = pd.concat([one.rows, one.train], ignore_index=True)
        rows = every[model.predict(every) != wanted][:ROWS].reset_index(drop=True)
        ask: dict[str, Any] = {"target": wanted, "k": 3, "plausible": False, "progress": False}
        rules = [f"{feature} fixed" for feature in TABLES[name]]
        answers = ifonly.explain(model, rows, data=one.train, rules=rules, **ask)
        groups = pd.DataFrame({"all": pd.Categorical(["all"] * len(rows))})
        self.done, self.known = Pass.of(answers, groups), dict[Action, np.ndarray]()
        reached = np.isfinite(self.done.cost).mean()
        print(f"{name} {kind}: {len(rows)} refused, {reached:.0%} reached", file=sys.stderr)

    def costs(self, settings: list[Setting]) -> np.ndarray:
        """[cases, settings] the mean costs that are found; the last is that of the whole rows."""
        reached, n = np.isfinite(self.done.cost).mean(), len(self.done.rows)
        found = []
        for share in SHARES:
            for size in SIZES:
                ask = {"enough": float(share * reached), "most": size}
                widest = (max(ERRORS), max(LAYERS), max(AGAIN))
                whole = self.cost(widest, n, seed=0, **ask)
                for seed in SEEDS:
                    each = [self.cost(one, n // PART, seed=seed, **ask) for one in settings]
                    found.append([*each, whole])
        return np.array(found)

    def cost(self, setting: Setting, sample: int, **ask: Any) -> float:
        """The mean cost of the actions found for enough rows; that of the dearest row if none."""
        few.ERRORS, few.LAYERS, few.AGAIN = setting
        few.SAMPLE = sample
        tried.judged = self.remembered
        sets = few.few_actions(self.done, **ask).sets
        if not sets or sets[-1].effectiveness < ask["enough"] - 1e-9:
            return float(self.done.cost[np.isfinite(self.done.cost)].max())
        return sets[-1].mean_cost

    def remembered(self, done: Pass, actions: Sequence[Action], rows: np.ndarray) -> np.ndarray:
        """[n, m] as `judged`, which is asked about every action once, for all rows."""
        new = [one for one in actions if one not in self.known]
        self.known |= dict(zip(new, judged(done, new, np.arange(len(done.rows))).T, strict=True))
        columns = [self.known[one][rows] for one in actions]
        return np.stack(columns, axis=1) if columns else np.empty((len(rows), 0))


judged = tried.judged


def losses(searches: list[Searches], settings: list[Setting]) -> dict[Setting, np.ndarray]:
    """The loss of each setting, case by case."""
    costs = np.concatenate([one.costs(settings) for one in searches])
    lost = costs / costs.min(axis=1, keepdims=True) - 1
    return {setting: lost[:, place] for place, setting in enumerate(settings)}


if __name__ == "__main__":
    main()
