"""The store that a path or a URL means."""

from __future__ import annotations

from os import PathLike, fspath

from ifonly.scale.stores.folder import Folder
from ifonly.scale.stores.objects import Objects
from ifonly.scale.stores.store import Store


def store_of(out: str | PathLike[str] | Store) -> Store:
    """The store that a path or a URL means; a store is itself."""
    if not isinstance(out, str | PathLike):
        return out
    name: str = fspath(out)
    return Objects(name.rstrip("/")) if "://" in name else Folder(name)
