"""Messages between the front and a worker: pickled, each after its length.

The processes are the front's own: it starts them, and nobody else has an end of their sockets.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
from typing import Any, BinaryIO

LENGTH = struct.Struct(">Q")
"""What stands before a message."""


def packed(message: Any) -> bytes:
    """A message as it is sent."""
    content = pickle.dumps(message, protocol=5)
    return LENGTH.pack(len(content)) + content


async def receive(stream: asyncio.StreamReader) -> Any:
    """The next message; raises EOFError where the other end is closed."""
    (length,) = LENGTH.unpack(await stream.readexactly(LENGTH.size))
    return pickle.loads(await stream.readexactly(length))


def read(file: BinaryIO) -> Any:
    """The next message, waited for; raises EOFError where the other end is closed."""
    (length,) = LENGTH.unpack(_exactly(file, LENGTH.size))
    return pickle.loads(_exactly(file, length))


def _exactly(file: BinaryIO, size: int) -> bytes:
    content = file.read(size)
    if len(content) < size:
        raise EOFError
    return content
