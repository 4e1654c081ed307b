"""Rows that could exist: how usual a point is among the rows of the data."""

from ifonly.plausible.usual import AsUsual, Plausible, Usual, as_plausible, odd_features, shares

__all__ = ["AsUsual", "Plausible", "Usual", "as_plausible", "odd_features", "shares"]
