"""The paper's four tables by name, and the split that the paper trained and tested on.

Three tables come with ifonly. LendingClub's carries no licence, so it is read from the folder that
the environment variable IFONLY_DATA names.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ifonly.datasets.registry import FACTS, Facts
from ifonly.errors import DataError, FileError, OptionError, nearest


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table in two parts, the features and the outcome, with what is known of it.

    Parameters
    ----------
    name
        The name that `load` takes.
    features
        The features: `data` of `ifonly.explain`.
    outcome
        The outcome of each row.
    continuous
        The columns that are numbers.
    categorical
        The columns that are categories: `categorical` of `ifonly.explain`.
    desired
        The outcome that a counterfactual should reach.
    source
        Where the table comes from.
    licence
        The licence of the table.

    Examples
    --------
    >>> data = load("compas")
    >>> data.name, data.continuous, data.desired
    ('compas', ('priors_count',), 0)
    """

    name: str
    features: pd.DataFrame
    outcome: pd.Series[Any]
    continuous: tuple[str, ...]
    categorical: tuple[str, ...]
    desired: int
    source: str
    licence: str

    @property
    def frame(self) -> pd.DataFrame:
        """The whole table: the features, and the outcome as its last column."""
        return self.features.join(self.outcome)

    def split(self) -> tuple[Dataset, Dataset]:
        """The paper's training part (80 %) and test part; the index keeps each row's position.

        Returns
        -------
        tuple of Dataset

        Examples
        --------
        >>> train, test = load("german_credit").split()
        >>> len(train.features), len(test.features)
        (800, 200)
        """
        # Here and not at the top: scikit-learn is slow to import, and reading a table needs none.
        from sklearn.model_selection import train_test_split

        positions = np.arange(len(self.features))
        train, test = train_test_split(positions, test_size=0.2, random_state=17)
        return self._take(train), self._take(test)

    def _take(self, positions: npt.NDArray[np.intp]) -> Dataset:
        features, outcome = self.features.iloc[positions], self.outcome.iloc[positions]
        return replace(self, features=features, outcome=outcome)


def load(name: str) -> Dataset:
    """One of the four tables of the paper, every row, as prepared.

    Parameters
    ----------
    name
        'adult', 'german_credit', 'compas' or 'lending_club'.

    Returns
    -------
    Dataset

    Raises
    ------
    OptionError
        There is no such table.
    FileError
        'lending_club' does not come with ifonly, and its file is not found or cannot be read.
    DataError
        The file has other columns.

    Examples
    --------
    >>> data = load("german_credit")
    >>> len(data.features), data.outcome.name, data.desired
    (1000, 'risk', 1)
    """
    facts = FACTS.get(name)
    if facts is None:
        raise OptionError(f"There is no data set {name!r}.", nearest(name, FACTS))
    frame = _read_bundled(name) if facts.bundled else _read_from_folder(name, facts)
    return Dataset(
        name=name,
        features=frame.drop(columns=facts.outcome),
        outcome=frame[facts.outcome],
        continuous=facts.continuous,
        categorical=facts.categorical,
        desired=facts.desired,
        source=facts.source,
        licence=facts.licence,
    )


def _read_bundled(name: str) -> pd.DataFrame:
    with (files("ifonly.datasets") / f"{name}.csv.gz").open("rb") as file:
        return pd.read_csv(file, compression="gzip")


def _read_from_folder(name: str, facts: Facts) -> pd.DataFrame:
    path = _find(name, facts)
    try:
        frame = pd.read_csv(path)
    except (OSError, EOFError, ValueError) as error:
        raise FileError(f"{path} cannot be read as a CSV file: {error}") from error
    columns = [*facts.continuous, *facts.categorical, facts.outcome]
    if list(frame.columns) != columns:
        raise DataError(
            f"{path} has the columns {list(frame.columns)}.",
            f"Prepare it with these columns, in this order: {', '.join(columns)}.",
        )
    return frame


def _find(name: str, facts: Facts) -> Path:
    """The table's file in the folder IFONLY_DATA, or an error that says how to get it."""
    folder = os.environ.get("IFONLY_DATA")
    path = Path(folder or "") / f"{name}.csv.gz"
    if folder and path.is_file():
        return path
    missing = f"there is no {path}" if folder else "IFONLY_DATA is not set"
    raise FileError(
        f"{name} does not come with ifonly, and {missing}.",
        f"Get {facts.source}, prepare it as the README of ifonly.datasets says, save it as "
        f"{name}.csv.gz and set the environment variable IFONLY_DATA to its folder.",
    )
