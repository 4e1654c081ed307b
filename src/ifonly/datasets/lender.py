"""A lender that does not exist, whose causes, equations and approval rule are all known.

Age, education and job have no causes. Every other feature is its equation over its causes plus a
noise of its own that nothing else touches:

    income  = 14,000 + 250 (age - 21) + what education and job earn          + noise
    savings = 2,000 + 150 (age - 21) + a quarter of the income               + noise
    debt    = 3,000 + a tenth of the income                                  + noise
    loan    = 3,000 + three tenths of the income + a quarter of the debt     + noise

All numbers are whole. A share is rounded down inside its equation, and the noise is drawn whole,
so that nothing is rounded after the sum: `value - equation(causes)` gives the noise back exactly,
and an intervention's consequences are exact too. The noise is bounded below what an equation gives
at the least, so that no amount is ever negative and none needs clipping, which would break the sum.

The loan is approved where debt and loan together are at most two thirds of the income and the
savings are at least three quarters of the loan. Age, education and job count only through what they
cause: a model of the causes sees that a degree leads to approval, and a search that leaves
everything else as it is cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ifonly.datasets.approval import approves, check_bias, drawn_groups
from ifonly.errors import DataError, OptionError, nearest

Equation = Callable[[pd.DataFrame], "pd.Series[Any]"]

# The levels of each category, with what a level earns.
LEVELS = {
    "education": {"school": 0, "college": 4_000, "bachelor": 9_000, "master": 15_000},
    "job": {"manual": 0, "service": 1_000, "office": 4_000, "technical": 8_000},
}
EDUCATION = pd.CategoricalDtype(list(LEVELS["education"]), ordered=True)

GRAPH: dict[str, tuple[str, ...]] = {
    "age": (),
    "education": (),
    "job": (),
    "income": ("age", "education", "job"),
    "savings": ("age", "income"),
    "debt": ("income",),
    "loan": ("income", "debt"),
}

# Standard deviation and bound of each noise.
NOISE = {
    "income": (3_500, 8_000),
    "savings": (1_400, 3_000),
    "debt": (1_600, 3_500),
    "loan": (2_400, 4_500),
}


@dataclass(frozen=True, eq=False)
class Lender:
    """Applicants, their outcome ('approved' or 'refused'), and the truth about both.

    For each feature with causes, row by row and exactly, `frame[name] ==
    equations[name](frame[list(graph[name])]) + noise[name]`.

    Parameters
    ----------
    frame
        The applicants.
    outcome
        'approved' or 'refused' per applicant.
    noise
        The noise of each feature with causes.
    graph
        The causes of each feature, causes before effects.
    equations
        The equation of each feature with causes.
    bias
        The planted injustice, if any; see `make_lender`.

    Examples
    --------
    >>> lender = make_lender(1, seed=0)
    >>> lender.outcome[0], lender.graph["debt"]
    ('approved', ('income',))
    """

    frame: pd.DataFrame
    outcome: pd.Series[Any]
    noise: pd.DataFrame
    graph: Mapping[str, tuple[str, ...]]
    equations: Mapping[str, Equation]
    bias: str | None = None

    def approves(self, rows: pd.DataFrame) -> npt.NDArray[np.bool_]:
        """Whether each row's loan is approved, by the rule that decides the outcome.

        Parameters
        ----------
        rows
            A frame with the columns of `frame`.

        Returns
        -------
        np.ndarray
            bool [n].

        Examples
        --------
        >>> lender = make_lender(1, seed=0)
        >>> lender.approves(lender.frame)
        array([ True])
        """
        return approves(rows, self.bias)

    def abduct(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The noise of each row: its values minus what the equations give.

        Parameters
        ----------
        rows
            A frame with the columns of `frame`.

        Returns
        -------
        pd.DataFrame

        Examples
        --------
        >>> lender = make_lender(1, seed=0)
        >>> lender.abduct(lender.frame).equals(lender.noise)
        True
        """
        return pd.DataFrame(
            {
                name: rows[name] - equation(rows[list(self.graph[name])])
                for name, equation in self.equations.items()
            }
        )

    def intervene(self, rows: pd.DataFrame, **actions: Any) -> pd.DataFrame:
        """The rows as they would have been under the actions: effects follow, the noise stays.

        Parameters
        ----------
        rows
            A frame with the columns of `frame`.
        **actions
            Per feature its new value: one for all rows, or one per row. The feature keeps it,
            whatever its causes do.

        Returns
        -------
        pd.DataFrame

        Raises
        ------
        DataError
            There is no such feature or level, or an amount is not whole.

        Examples
        --------
        >>> lender = make_lender(1, seed=0)
        >>> lender.intervene(lender.frame, education="master")
           age education     job  income  savings  debt   loan
        0   59    master  office   44741    19032  6617  18944
        """
        noise = self.abduct(rows)
        after = rows.copy()
        for name, action in actions.items():
            after[name] = self._acted(rows, name, action)
        for name, equation in self.equations.items():
            if name not in actions:
                after[name] = equation(after[list(self.graph[name])]) + noise[name]
        return after

    def _acted(self, rows: pd.DataFrame, name: str, action: Any) -> pd.Series[Any]:
        if name not in self.graph:
            raise DataError(f"There is no feature {name!r}.", nearest(name, self.graph))
        column = pd.Series(action, index=rows.index, name=name)
        if name in LEVELS:
            _check_levels(column)
        elif (column % 1 != 0).any():
            raise DataError(f"{name!r} is set to {action!r}.", "Every amount here is whole.")
        return column.astype(rows[name].dtype)


def make_lender(n: int, seed: int, bias: str | None = None) -> Lender:
    """A lender with n applicants.

    Parameters
    ----------
    n
        The number of applicants.
    seed
        The same n and seed give the same applicants.
    bias
        Applicants have a `group` and a `district`, and the rule that approves is: the same for all
        ('none'); for group b, savings of another 3,000 ('cost'); for district south, which stands
        for group b, the same ('proxy'); or no approval of manual workers in district south
        ('blocked').

    Returns
    -------
    Lender

    Raises
    ------
    OptionError
        n is not a whole number above 0, the seed not one of 0 or more, or the bias not known.

    Examples
    --------
    >>> make_lender(1, seed=0).frame
       age education     job  income  savings  debt   loan
    0   59  bachelor  office   38741    17532  6017  16994
    """
    _require_whole("n", n, least=1)
    _require_whole("seed", seed, least=0)
    check_bias(bias)
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": random.integers(21, 66, n),
            "education": pd.Categorical(
                random.choice(list(LEVELS["education"]), n), dtype=EDUCATION
            ),
            "job": random.choice(list(LEVELS["job"]), n),
        }
    )
    noise = pd.DataFrame(
        {
            name: np.rint(random.normal(0, deviation, n)).clip(-bound, bound).astype(np.int64)
            for name, (deviation, bound) in NOISE.items()
        }
    )
    for name, equation in EQUATIONS.items():
        frame[name] = equation(frame[list(GRAPH[name])]) + noise[name]
    graph = dict(GRAPH)
    if bias is not None:
        frame = frame.assign(**drawn_groups(n, random))
        graph |= {"group": (), "district": ()}
    approved = approves(frame, bias)
    outcome = pd.Series(np.where(approved, "approved", "refused"), name="outcome")
    return Lender(frame, outcome, noise, graph, dict(EQUATIONS), bias)


def _require_whole(name: str, value: object, *, least: int) -> None:
    if not isinstance(value, int | np.integer) or value < least:
        raise OptionError(f"{name} is {value!r}.", f"Give a whole number, at least {least}.")


def _income(causes: pd.DataFrame) -> pd.Series[Any]:
    earned = _earned(causes["education"]) + _earned(causes["job"])
    return 14_000 + 250 * (causes["age"] - 21) + earned


def _savings(causes: pd.DataFrame) -> pd.Series[Any]:
    return 2_000 + 150 * (causes["age"] - 21) + causes["income"] // 4


def _debt(causes: pd.DataFrame) -> pd.Series[Any]:
    return 3_000 + causes["income"] // 10


def _loan(causes: pd.DataFrame) -> pd.Series[Any]:
    return 3_000 + 3 * causes["income"] // 10 + causes["debt"] // 4


def _earned(column: pd.Series[Any]) -> pd.Series[Any]:
    """What each row's level earns."""
    _check_levels(column)
    return column.astype(object).map(LEVELS[str(column.name)]).astype(np.int64)


def _check_levels(column: pd.Series[Any]) -> None:
    known = LEVELS[str(column.name)]
    for level in column.unique():
        if level not in known:
            raise DataError(f"{column.name!r} has no level {level!r}.", nearest(level, known))


EQUATIONS: dict[str, Equation] = {
    "income": _income,
    "savings": _savings,
    "debt": _debt,
    "loan": _loan,
}
