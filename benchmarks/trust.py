"""Whether answers hold up: in refitted models, if numbers end up off, and how far around them."""

from __future__ import annotations

from record import Record
from trust_boxes import boxes
from trust_refits import refitted_models


def main(record: Record) -> None:
    """Fill the record."""
    refitted_models(record)
    boxes(record)
