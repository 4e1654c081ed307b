"""The engine: rows found, cores, single rows, wide tables and slow models, in one run."""

from __future__ import annotations

import warnings

from engine_rows import rows_found
from record import Record


def main(record: Record) -> None:
    """Fill the record."""
    warnings.filterwarnings("ignore", message="Stochastic Optimizer")
    rows_found(record)
