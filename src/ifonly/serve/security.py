"""What every request passes first: whose name, which site, which token, how large a body.

Pure ASGI, so that it stands before any application: that of the service, and that of MCP.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ifonly.contract import Limits, Refused
from ifonly.errors import OptionError
from ifonly.serve.denied import Denied, reply_to
from ifonly.serve.tokens import ANYONE, Spent, Token, Tokens

JSON = "application/json"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
HEALTH = ("/v2/health/live", "/v2/health/ready")
"""What anybody may ask, under any name: whether the server runs."""
BODY = Limits().body
CHARSETS = ("", "charset=utf-8")
SENT = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
"""Headers of every reply that states no others."""


def check_exposed(host: str, tokens: object) -> None:
    """Refuse to serve others than this machine without tokens.

    Raises
    ------
    OptionError
        The host is not loopback, and there are no tokens.

    Examples
    --------
    >>> check_exposed("127.0.0.1", None)
    """
    if tokens is None and host not in LOOPBACK:
        raise OptionError(
            f"--host {host} lets other machines ask, and there are no tokens.",
            "Make one with: ifonly tokens new NAME >> tokens.txt, and give --tokens tokens.txt.",
        )


class Guard:
    """An ASGI application behind checks of every request.

    Parameters
    ----------
    app
        What answers. It finds the `Token` of who asks in `request.state.token`.
    hosts
        Names of the server beside those of loopback: a Host header must be one of them, so that no
        page can reach it under a name of its own (DNS rebinding).
    tokens
        Who may ask; None: anybody.
    spent
        What tokens have used of their quotas.
    media
        The media types of bodies beside JSON.
    body, seconds
        The most bytes of a body, and how long it may take to arrive.
    bodies
        The most bytes of bodies for paths with these ends.
    most, each
        How many requests may be answered at once: of all, and of one token, or of one address
        where there are no tokens.
    held
        How many bytes of bodies they may hold.
    public
        Paths that anybody may GET without a token: the files of the page, which hold nothing.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str] = (),
        tokens: Tokens | None = None,
        spent: Spent | None = None,
        media: Collection[str] = (),
        body: int = BODY,
        bodies: Mapping[str, int] | None = None,
        seconds: float = 20.0,
        most: int = 256,
        each: int = 64,
        held: int = 2**29,
        public: Collection[str] = (),
    ) -> None:
        self.app = app
        self.tokens = tokens
        self.spent = spent or Spent()
        self._running: Counter[str] = Counter()
        self._hosts = LOOPBACK | {_bare(host) for host in hosts} - {""}
        self._media = frozenset({JSON, *media})
        self._held, self._bodies = 0, bodies or {}
        self._body, self._seconds, self._room = body, seconds, held
        self._most, self._each = most, each
        self._public = frozenset(public)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or reply why not."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SENT.items():
                    headers.setdefault(name, value)
            await send(message)

        body = bytearray()
        try:
            token = scope.setdefault("state", {})["token"] = self._checked(scope)
            ends = self._bodies.items()
            most = next((n for end, n in ends if scope["path"].endswith(end)), self._body)
            await self._read(Headers(scope=scope), receive, body, most)
            with self._place(token.name if self.tokens else (scope.get("client") or [""])[0]):
                await self.app(scope, _replayed(bytes(body), receive), sending)
        except Refused as refused:
            await reply_to(refused)(scope, receive, sending)
        except ClientDisconnect:
            pass  # nobody is there to read a reply
        finally:
            self._held -= len(body)

    @contextmanager
    def _place(self, who: str) -> Iterator[None]:
        """A place among the requests that are answered."""
        if self._running[who] >= self._each:
            raise _busy("Too many requests of yours are being answered.", "quota")
        if self._running.total() >= self._most:
            raise _busy("Too many requests are being answered.")
        self._running[who] += 1
        try:
            yield
        finally:
            self._running[who] -= 1
            self._running += Counter()  # forget who has none

    def _checked(self, scope: Scope) -> Token:
        """Who asks, where the name of the server, the site and the token are right."""
        headers = Headers(scope=scope)
        if scope["path"] in HEALTH:
            return ANYONE
        host = headers.get("host", "")
        if _bare(host) not in self._hosts:
            hint = "A further name of the server is stated with --allow-host NAME."
            raise Denied("host", f"This server is not {host!r:.80}.", hint)
        origin = headers.get("origin")
        foreign = origin is not None and origin.partition("://")[2].lower() != host.lower()
        public = scope["path"] in self._public and scope["method"] == "GET"
        # A link to the page may stand on any site; what it opens asks from here.
        linked = public and headers.get("sec-fetch-mode") == "navigate"
        inside = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        if foreign or not (inside or linked):
            raise Denied("origin", "The request comes from a page of another site.")
        if self.tokens is None or public:
            return ANYONE
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        token = self.tokens.find(secret.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            said = "The token is not known." if scheme else "There is no token."
            hint = "Send the header Authorization: Bearer TOKEN."
            raise Denied("token", said, hint, WWW_Authenticate="Bearer")
        self.spent.let_in(token)
        return token

    async def _read(self, headers: Headers, receive: Receive, body: bytearray, most: int) -> None:
        """Read a body into a buffer, and refuse what is too large, too slow or of another type."""
        if headers.get("content-encoding", "identity").lower() != "identity":
            hint = "Send it as it is. Parquet is compressed by itself."
            raise Denied("media", "The body is compressed.", hint, Accept_Encoding="identity")
        if "transfer-encoding" in headers and "content-length" in headers:
            said = "The length of the body is stated in two ways."
            raise Denied("json", said, "State one.", Connection="close")
        stated = headers.get("content-length", "0")
        _check_size(int(stated) if stated.isdecimal() else 0, most)
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    part = message.get("body", b"")
                    _check_size(len(body) + len(part), most)
                    if self._held + len(part) > self._room:
                        raise _busy("The bodies of other requests fill the memory.")
                    body += part
                    self._held += len(part)
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            said = f"The body did not arrive within {self._seconds:g} s."
            raise Denied("slow", said, Connection="close") from None
        media, _, rest = headers.get("content-type", "").partition(";")
        charset = rest.lower().replace(" ", "").replace('"', "")
        if body and (media.strip().lower() not in self._media or charset not in CHARSETS):
            known = ", ".join(sorted(self._media))
            hint = f"Send one of {known}, with its name in the header Content-Type."
            raise Denied("media", f"The body is {media or 'of no stated type'!r:.80}.", hint)


def _check_size(size: int, most: int) -> None:
    if size > most:
        hint = f"At most {most} are accepted; a large batch is a job."
        raise Denied("limit", f"The body has {size} bytes or more.", hint, Connection="close")


def _busy(message: str, kind: str = "busy") -> Denied:
    return Denied(kind, message, "Ask again in a second.", Retry_After="1")


def _bare(host: str) -> str:
    """The name of a Host header: without a port, in small letters.

    >>> [_bare(host) for host in ("LOCALHOST:80", "[::1]:8000", "127.0.0.1", "bank.example.")]
    ['localhost', '::1', '127.0.0.1', 'bank.example']
    """
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+?)\.?)(?::\d*)?", host, re.ASCII)
    return (found[1] or found[2]).lower() if found else ""


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What an application receives: the body that was read already, and then what comes."""
    read = False

    async def receiving() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving
