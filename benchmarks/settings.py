"""Settings that several parts name."""

from __future__ import annotations

from ifonly.search import Engine

FORMER = Engine(needed=False, tight=False)
"""The choice of the paper: diverse sets, whatever their changes are there for."""
EXACTLY = Engine(round_numbers=False)
"""The default without round numbers, where distances are compared."""
