"""Tools over HTTP, behind the guard of the service: names of the server, sites, tokens, quotas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from ifonly.contract import Handler
from ifonly.mcp.server import server_of
from ifonly.serve.run import bound
from ifonly.serve.security import Guard, check_exposed
from ifonly.serve.tokens import Spent, Tokens


def serve_http(
    load: Callable[[], Handler],
    *,
    host: str,
    port: int,
    tokens: Path | None,
    allow_hosts: Sequence[str],
    say: Callable[[str], Any],
) -> None:
    """Serve at /mcp until a signal ends it.

    Every request stands alone: there are no sessions, so that a client that goes leaves nothing.
    """
    check_exposed(host, tokens)
    known, spent = None if tokens is None else Tokens(tokens), Spent()
    with bound(host, port) as listening:
        handler = load()
        app = server_of(handler, spent).streamable_http_app(
            stateless_http=True,
            json_response=True,
            max_request_body_size=handler.limits.body,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        guard = Guard(app, hosts=(host, *allow_hosts), tokens=known, spent=spent)
        name = f"[{host}]" if ":" in host else host
        say(f"Serving tools at http://{name}:{listening.getsockname()[1]}/mcp")
        config = uvicorn.Config(guard, ws="none", access_log=False, log_level="warning")
        uvicorn.Server(config).run([listening])
