"""What is proved of each row's nearest answer, and shown of each answer by models not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.answers.tables import AnswerTables
from ifonly.bounds.sampling import share_at_least
from ifonly.demands.agreement import Agreement, others_of
from ifonly.demands.robust import Refits, Robust
from ifonly.errors import OptionError
from ifonly.solve.asked import UNPROVED
from ifonly.space.table.frame import Frame, table
from ifonly.status import Status

PROVED = 1e-6
"""The share of the bound within which an answer counts as the nearest."""


@dataclass(frozen=True, eq=False)
class AnswerProofs(AnswerTables):
    """The part of `Answers` that says what is certain, and how certain it is."""

    def certificates(self) -> Frame:
        """One line per row: how near the nearest answer is, and how near any answer can be.

        The nearest is the one of least price. The price is the distance and `sparsity` times the
        share of features that change; with a `sparsity` of 0 it is the distance.

        Returns
        -------
        Frame

        Raises
        ------
        OptionError
            The answers were made without `certify`, and nothing was proved.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> from sklearn.linear_model import LogisticRegression
        >>> data = pd.DataFrame({"income": [20, 30, 40, 50, 60, 70]})
        >>> model = LogisticRegression().fit(data, data["income"] > 45)
        >>> answers = ifonly.explain(model, data[:1], data=data, k=1, certify=True)
        >>> answers.certificates().columns.to_list()
        ['query', 'status', 'distance', 'sparsity', 'price', 'bound', 'gap', 'proved', ...]
        """
        return table(lines(self), self.library)

    def agreement(self, models: Any = None, m: int = 29) -> Frame:
        """One line per answer: in how many models it is valid that the search has not seen.

        `share` is that of the models given. `bound` is the share of all such models in which the
        answer is valid, with 95 % confidence: 0.05^(1/m) where it is valid in all of m. It holds if
        the models are drawn alike and independently, as refits are, and were not used to choose
        the answer; it is about each answer by itself.

        Parameters
        ----------
        models
            Fitted models, `ifonly.Robust` or `ifonly.Refits`. By default, m fresh refits, where the
            answers were made with `robust=ifonly.Refits(...)`.
        m
            How many fresh refits: 29 can show 90 %, 59 can show 95 %.

        Returns
        -------
        Frame

        Raises
        ------
        OptionError
            There is nothing to refit and no model was given, or the answers were saved.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> from sklearn.linear_model import LogisticRegression
        >>> data = pd.DataFrame({"income": range(40)})
        >>> refits = ifonly.Refits(LogisticRegression(), data, data["income"] > 19, n=5)
        >>> model = LogisticRegression().fit(data, data["income"] > 19)
        >>> answers = ifonly.explain(model, data[:1], data=data, k=1, robust=refits, margin=0.4)
        >>> answers.agreement(m=29).round(2)
           query  answer  models  valid  share  bound
        0      0       0      29     29    1.0    0.9
        """
        setting, goal = self.asked_further().setting, self.asked_further().batch.goal
        if models is None:
            refits = [one.refits for one in setting.demands if isinstance(one, Agreement)]
            if not refits or refits[0] is None:
                raise OptionError(
                    "There is nothing to refit.",
                    "Give models, or ask with robust=ifonly.Refits(fit, data, outcome).",
                )
            models = refits[0].fresh(m)
        given = models.models if isinstance(models, Robust | Refits) else Robust(models).models
        assert setting.readable is not None, "prepare() has stated it"
        space, probe = setting.space, setting.readable.probe
        others = others_of(given, space, setting.model.classes, probe, searched=False)
        demand = Agreement(tuple(one.over(self.space) for one in others))
        rows, places = np.nonzero(self.filled)
        agree = demand.agreeing(goal.take(rows), self.points[rows, places]).sum(axis=0)
        columns = {"query": rows, "answer": places, "models": np.full(len(rows), len(others))}
        columns |= {"valid": agree, "share": agree / len(others)}
        columns["bound"] = share_at_least(agree, len(others))
        return self._table(columns, rows)


def lines(answers: AnswerData) -> dict[str, Any]:
    """One line per row: the nearest answer's price, its bound, the gap, and whether it is proved.

    The gap is the difference between price and bound, as a share of the bound. An infinite bound
    proves that there is no answer. A proof assumes that the reading agrees with the model:
    `checked_rows`, `checked_values` and `checked_points` count where this was checked. If a check
    fails, or a row has values that the data do not have, nothing is proved, and `reason` says why.
    """
    if answers.bound is None:
        raise OptionError(
            "These answers have no certificates.",
            "Ask with certify=True, or with method='exact'.",
        )
    prices = np.where(answers.filled, answers.price(), np.inf)
    price, nearest = prices.min(axis=1), prices.argmin(axis=1)
    distance = np.where(np.isinf(price), np.nan, answers.distance()[np.arange(len(price)), nearest])
    already = [status is Status.ALREADY for status in answers.status]
    price[already] = distance[already] = 0.0
    bound = np.minimum(answers.bound, price)
    bound = np.where(np.isinf(answers.bound) & ~np.isfinite(price), answers.bound, bound)
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.where(price == bound, 0.0, (price - bound) / np.maximum(bound, 0.0))
    gap = np.where(np.isnan(gap), np.inf, gap)
    checked = answers.record.get("checked", {})
    return {
        "query": np.arange(len(price)),
        "status": [str(status) for status in answers.status],
        "distance": distance,
        "sparsity": np.full(len(price), answers.space.sparsity),
        "price": np.where(np.isinf(price), np.nan, price),
        "bound": np.maximum(bound, 0.0),
        "gap": gap,
        "proved": gap <= PROVED,
        "seconds": answers.seconds,
        "tolerance": np.full(len(price), answers.record.get("tolerance", np.nan)),
        **{
            f"checked_{what}": np.full(len(price), checked.get(what, 0))
            for what in ("rows", "values", "points")
        },
        "reason": [
            "" if proved else answers.record.get("unread") or (note if UNPROVED in note else "")
            for proved, note in zip(gap <= PROVED, answers.notes, strict=True)
        ],
    }
