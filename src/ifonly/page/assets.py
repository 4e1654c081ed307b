"""The files of the page as they are sent: bytes, media type, and a tag that changes with them."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""What the page is made of, by the end of a file's name."""
INDEX, MODULE, STYLE = "index.html", "page.js", "page.css"


@dataclass(frozen=True)
class Asset:
    """One file of the page.

    Parameters
    ----------
    content
        Its bytes.
    packed
        The same, compressed by gzip.
    media
        Its media type.
    tag
        A text that changes with the content, for caches.

    Examples
    --------
    >>> assets()["page.js"].media
    'text/javascript; charset=utf-8'
    """

    content: bytes
    packed: bytes
    media: str
    tag: str

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode()


@cache
def assets() -> Mapping[str, Asset]:
    """The files of the page by name.

    Returns
    -------
    Mapping

    Examples
    --------
    >>> {"index.html", "page.js", "page.css"} <= set(assets())
    True
    """
    folder = files("ifonly.page") / "assets"
    found = {}
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        end = f".{file.name.rpartition('.')[2]}"
        if end in MEDIA:
            content = file.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            found[file.name] = Asset(content, gzip.compress(content, mtime=0), MEDIA[end], tag)
    return found
