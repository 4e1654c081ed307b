"""The store of decision records: a chain that only grows, and rows that can be erased."""

from ifonly.serve.store.entry import Entry, Head, Kept, KeyReused, Written
from ifonly.serve.store.store import Store, open_store

__all__ = ["Entry", "Head", "Kept", "KeyReused", "Store", "Written", "open_store"]
