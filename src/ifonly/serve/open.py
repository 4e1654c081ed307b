"""Where the service's models come from: files as the command line opens them, or the demo."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from ifonly.contract import Handler, Limits
from ifonly.errors import absent
from ifonly.explainer import Explainer
from ifonly.models.adapters.table import encoded_levels
from ifonly.page.start import start_of
from ifonly.space import Space
from ifonly.tables.columns import Words
from ifonly.tables.files import read_rule_file, read_table
from ifonly.tables.orders import as_ordinal
from ifonly.tables.training import check_features, open_model, without

SHOWN = 200
"""Of how many rows of the demo those that are refused are shown."""


@dataclass(frozen=True)
class ModelFile:
    """A model in a file, its training rows and its rules: how to open them, not yet opened.

    Parameters
    ----------
    path
        The file or folder of the model.
    data
        The file of the rows that it was trained on: CSV or Parquet.
    outcome
        The outcome column of the data, which is left out.
    rules
        A file of rules that are always in force.
    rule
        Further rules, as lines of text.
    trust_pickle, trust, inputs
        As `ifonly explain` has them: what the model's file may run or hold, and what makes the
        input of a torch module.
    missing
        Words of the data that mean a missing value.
    ordinal
        Orders of levels, lowest first, as lines of text: 'education: school, college'.
    space
        Further arguments of `Space.infer`, such as {'categorical': ['zip'], 'weights': {'age': 2}}.
    units
        What the numbers of features count, for people to read: {'income': 'EUR'}.
    limits
        What a request may ask.
    share_rows
        Whether any token may see rows of the data.

    Examples
    --------
    >>> import joblib, tempfile, pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> data = pd.DataFrame({"income": [10, 20, 40, 50], "paid": ["no", "no", "yes", "yes"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model, train = Path(folder, "model.joblib"), Path(folder, "train.csv")
    ...     _ = joblib.dump(LogisticRegression().fit(data[["income"]], data["paid"]), model)
    ...     data.to_csv(train, index=False)
    ...     handler = ModelFile(model, train, outcome="paid", trust_pickle=True).load()
    >>> handler.answer("predict", {"rows": [{"income": 45}]}).rows[0].prediction
    'yes'
    """

    path: Path
    data: Path
    outcome: str = ""
    rules: Path | None = None
    rule: tuple[str, ...] = ()
    trust_pickle: bool = False
    trust: tuple[str, ...] = ()
    inputs: str = ""
    missing: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    space: Mapping[str, Any] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    share_rows: bool = True

    def load(self) -> Handler:
        """The model with its data and rules, prepared.

        Raises
        ------
        IfonlyError
            A file cannot be read or trusted, or they do not fit each other.
        """
        model, train, space, _ = self._read()
        rules: list[Any] = [*self.rule, *(read_rule_file(self.rules, space) if self.rules else ())]
        explainer = Explainer(
            model, data=train, space=space, rules=rules, share_rows=self.share_rows
        )
        return Handler(explainer, self.limits, self.units)

    def start(self, rows: Path | None = None, **shown: Any) -> dict[str, Any]:
        """What a page about the model starts with.

        Parameters
        ----------
        rows
            A file of rows; None: none.
        **shown
            As `ifonly.page.start.start_of` takes them: row, title, language and options.

        Returns
        -------
        dict

        Raises
        ------
        IfonlyError
            A file or a row cannot be read.
        """
        _, train, space, words = self._read()
        if rows is None:
            return start_of(space, **shown)
        table = read_table(rows, like=train, words=words)
        names = {*space.names, *(one.name for one in space.carry)}
        return start_of(space, table[[name for name in table.columns if name in names]], **shown)

    def _read(self) -> tuple[Any, pd.DataFrame, Space, Words]:
        """The model, its training features, their space, and how the words of files are read."""
        model = open_model(self.path, self.inputs, trust_pickle=self.trust_pickle, trust=self.trust)
        words = Words(self.missing, encoded_levels(model))
        train = read_table(self.data, words=words)
        if self.outcome:
            (train,) = without(self.outcome, train)
        orders = {**self.space.get("ordinal", {}), **as_ordinal(self.ordinal, train)}
        space = Space.infer(train, **{**self.space, "ordinal": orders})
        check_features(space.names, None if self.outcome else model)
        return model, train, space, words

    def stamp(self) -> str:
        """A hash of the content of the files; a file that did not change is not read again.

        Raises
        ------
        FileError
            A file is not there: somebody may be replacing it.
        """
        files = [self.path, self.data, *([self.rules] if self.rules else [])]
        every = [each for file in files for each in _files(file)]
        return hashlib.sha256("\n".join(map(_content, every)).encode()).hexdigest()


@dataclass(frozen=True)
class Demo:
    """The model of `ifonly demo`: a logistic regression on the bundled Adult data.

    Parameters
    ----------
    limits
        What a request may ask.
    labels
        Names of classes and features for people; None: those of the classes alone.
    """

    limits: Limits = field(default_factory=Limits)
    labels: Mapping[Any, str] | None = None

    def load(self) -> Handler:
        """The demo's model, fitted and prepared."""
        from ifonly.datasets.demo import LABELS, RULES, demo_model

        model, train, _ = demo_model()
        space = Space.infer(train.features, labels=self.labels or LABELS)
        explainer = Explainer(model, data=train.features, space=space, rules=RULES)
        return Handler(explainer, self.limits)

    def start(self) -> dict[str, Any]:
        """What a page starts with: the applicant of `ifonly demo`, and others who are refused."""
        from ifonly.datasets.demo import APPLICANT, demo_model

        model, train, test = demo_model()
        rows = test.features.iloc[:SHOWN]
        rows = rows[model.predict(rows) == 0].drop(index=APPLICANT, errors="ignore")
        rows = pd.concat([test.features.loc[[APPLICANT]], rows])
        space = Space.infer(train.features)
        return start_of(space, rows, row=0, title="Will they earn more than 50K?", target=1)

    def stamp(self) -> str:
        """Always the same: there is no file."""
        return "demo"


def _files(path: Path) -> list[Path]:
    """A file, or every file of a folder."""
    if not path.exists():
        raise absent(path)
    return sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]


def _content(path: Path) -> str:
    """The hash of a file's content, read again only where its size or times changed."""
    try:
        seen = path.stat()
        return _hash(path, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
    except FileNotFoundError:
        raise absent(path) from None


@lru_cache(maxsize=10_000)
def _hash(path: Path, *_: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
