"""What travels to the workers of an engine: pickled once, opened once per process, by its like.

An engine carries a parcel as any value with many bytes in it. The versions are compared before the
bytes are opened, since a pickle that another version opens may fail in any way, or answer something
else.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from ifonly.errors import IfonlyError, OptionError
from ifonly.scale.fingerprint import check_versions, versions
from ifonly.scale.on.memory import keeping_memory
from ifonly.solve.workers.worker import packed, unpacked

ALONE = threading.RLock()
"""Held while a parcel is used: a model need not be safe in two threads of one worker."""


@dataclass(frozen=True, eq=False)
class Parcel:
    """A function pickled for other processes, and the versions that they must have.

    Parameters
    ----------
    content
        The bytes.
    digest
        What tells it from others.
    versions
        Of Python, ifonly and what models are made of.

    Examples
    --------
    >>> Parcel.of(len).called("four")
    4
    """

    content: bytes = field(repr=False)
    digest: str
    versions: Mapping[str, str]

    @classmethod
    def of(cls, function: Any) -> Parcel:
        """A function, packed; what cannot be packed is an error that says what to give instead."""
        try:
            content = packed(function)
        except Exception as error:
            raise OptionError(
                f"The Explainer cannot be sent to workers: {type(error).__name__}: {error}",
                "Give a path in its place: a function without parameters that opens the model and "
                "makes the Explainer where a worker is.",
            ) from error
        wanted = versions()
        return cls(content, sha256(repr(wanted).encode() + content).hexdigest(), wanted)

    def called(self, *arguments: Any) -> Any:
        """What the function returns; an error of ifonly's is a value, for `taken`.

        An engine would ask again, and in vain, where it is raised; and Spark passes on text alone.
        """
        with ALONE, keeping_memory():
            try:
                return _opened(self)(*arguments)
            except IfonlyError as error:
                return error


def taken(result: Any) -> Any:
    """What a worker has returned; an error of ifonly's is raised here."""
    if isinstance(result, IfonlyError):
        raise result
    return result


_last: dict[str, Any] = {}
"""The function of this process, by the digest of its parcel."""


def _opened(parcel: Parcel) -> Any:
    """The function of a parcel, opened once per process."""
    if parcel.digest not in _last:
        check_versions(parcel.versions)
        try:
            function = unpacked(parcel.content)
        except Exception as error:
            raise OptionError(
                f"A worker cannot open the Explainer: {type(error).__name__}: {error}",
                "Put its classes and functions into a module that every worker can import, or give "
                "a function without parameters that makes the Explainer where a worker is.",
            ) from error
        _last.clear()
        _last[parcel.digest] = function
    return _last[parcel.digest]
