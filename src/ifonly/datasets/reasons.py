"""Sample reason codes for credit, in words of our own: a start for a lender's own table."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd


def reason_codes() -> pd.DataFrame:
    """A sample table of reason codes, for German Credit and for `make_lender`.

    Returns
    -------
    DataFrame
        With the columns feature, when, code and sentence, as `answers.reasons(codes=...)` takes it.

    Examples
    --------
    >>> codes = reason_codes()
    >>> codes[codes["feature"] == "income"]["code"].tolist()
    ['I01', 'I02', 'I03']
    """
    with files("ifonly.datasets").joinpath("reason_codes.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, dtype=str, keep_default_na=False)
