"""Whether answers hold up: in refitted models."""

from __future__ import annotations

from record import Record
from trust_refits import refitted_models


def main(record: Record) -> None:
    """Fill the record."""
    refitted_models(record)
