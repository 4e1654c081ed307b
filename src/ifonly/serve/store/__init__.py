"""The store of decision records: a chain that only grows, and rows that can be erased."""

from ifonly.serve.store.entry import Entry, Head, Kept, KeyReused, Written
from ifonly.serve.store.keys import read_key
from ifonly.serve.store.opening import open_store
from ifonly.serve.store.store import Store
from ifonly.serve.store.verification import Fault, Report, verify

__all__ = [
    "Entry",
    "Fault",
    "Head",
    "Kept",
    "KeyReused",
    "Report",
    "Store",
    "Written",
    "open_store",
    "read_key",
    "verify",
]
