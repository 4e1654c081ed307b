"""Running the service: the socket, the store, the workers, and uvicorn around the application."""

from __future__ import annotations

import asyncio
import logging
import resource
import secrets
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ifonly.errors import FileError, OptionError, StoreError
from ifonly.serve.app import create_app
from ifonly.serve.config import Config
from ifonly.serve.jobs import JobLimits, Jobs
from ifonly.serve.metrics import LOG, Lines, log
from ifonly.serve.pool import Pool
from ifonly.serve.store import open_store, read_key
from ifonly.serve.store.chain import Sign
from ifonly.serve.store.journal import Journal

IDLE = 30
"""How many seconds a connection may be open without a request."""


def serve(config: Config, say: Callable[[str], Any], *, quiet: bool = False) -> None:
    """Serve until a signal ends it; what runs then is finished.

    Parameters
    ----------
    config
        The settings.
    say
        Gets the address, once the models are open.
    quiet
        Whether the log has what goes wrong alone.

    Raises
    ------
    IfonlyError
        The address is in use, or a model, the store or the tokens cannot be opened.
    """
    _log_lines(logging.WARNING if quiet else logging.INFO)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(_serve(config, say))


async def _serve(config: Config, say: Callable[[str], Any]) -> None:
    with bound(config.host, config.port) as listening:
        scheme, port = "https" if config.tls_cert else "http", listening.getsockname()[1]
        key, store = secrets.token_bytes(32), None
        if config.record is not None:
            key = read_key(config.record_key or _key_beside(config.record))
            store = open_store(config.record, key=key, sign=_signer(config.sign))
        journal = None if store is None else Journal(store)
        pool = Pool(
            config.models,
            workers=config.processes,
            window=config.window,
            together=config.together,
            key=key,
            keep_rows=config.keep_rows,
        )
        keep = JobLimits(keep_days=config.jobs_keep)
        jobs = None if config.jobs is None else Jobs(config.jobs, pool, store, keep)
        server = _Server(_uvicorn(config, create_app(config, pool, journal, jobs)))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, server.handle_exit, number, None)

        async def start() -> None:
            try:
                await pool.start()
                if jobs is not None:
                    await jobs.start()
                head = {} if journal is None else {"head": str(await journal.head())}
                log("started", models=list(config.models), workers=config.processes, **head)
                say(f"{scheme}://{config.name}:{port}")
            except BaseException:
                server.should_exit = True
                raise

        starting = asyncio.create_task(start())
        try:
            await server.serve([listening])
            if starting.done():
                starting.result()
        finally:
            starting.cancel()
            if jobs is not None:
                await jobs.stop()
            await pool.stop(config.grace)
            if journal is not None:
                with suppress(StoreError):
                    log("stopped", head=str(await journal.head()))
                await journal.close()


class _Server(uvicorn.Server):
    """A server that leaves signals to whoever runs it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signal."""
        yield


class _Protocol(H11Protocol):
    """HTTP in which the head of a request arrives in time, or the connection is closed."""

    def connection_made(self, transport: Any) -> None:
        """Wait for a first request."""
        super().connection_made(transport)
        self._head = self.loop.call_later(IDLE, self._drop)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._head.cancel()
        self._head = self.loop.call_later(IDLE, self._drop)

    def _drop(self) -> None:
        if getattr(self.cycle, "response_complete", True):
            self.transport.close()


def _uvicorn(config: Config, app: Any) -> uvicorn.Config:
    secure = [("Strict-Transport-Security", "max-age=31536000")] if config.tls_cert else []
    made = uvicorn.Config(
        app,
        headers=secure,
        lifespan="off",
        http=_Protocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=int(config.grace),
        ssl_certfile=config.tls_cert,
        ssl_keyfile=config.tls_key,
    )
    try:
        made.load()
    except OSError as error:
        raise FileError(
            f"The certificate cannot be used: {error.strerror or type(error).__name__}.",
            "Give --tls-cert and --tls-key in PEM, the key without a password.",
        ) from None
    return made


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is a free one."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        raise OptionError(
            f"Nothing can listen on {host}:{port}: {error.strerror}.",
            "Give another --port, or 0 for a free one.",
        ) from None
    # Connections inherit it. asyncio sets it only where a socket names its protocol, and without it
    # the body of a reply waits for the client to confirm the head: 40 ms.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _signer(path: Path | None) -> Sign | None:
    """What signs records with the private key of a file."""
    if path is None:
        return None
    from ifonly.contract.records.signing import read_private, signed  # it needs an extra

    private = read_private(path)
    return lambda record: signed(record, private)


def _key_beside(record: str) -> Path:
    """The file of the key of a store in a file."""
    if "://" in record and not record.startswith("sqlite:///"):
        raise OptionError(
            "Several servers may share this store, and they need one key.",
            "Give --record-key FILE, the same for all; it is made where it is not there.",
        )
    return Path(f"{record.removeprefix('sqlite:///')}.key")


def _log_lines(level: int) -> None:
    """Write the log to stderr, one line of JSON each."""
    handler = logging.StreamHandler()
    handler.setFormatter(Lines())
    LOG.addHandler(handler)
    LOG.setLevel(level)
    LOG.propagate = False
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())
    logging.getLogger("uvicorn").propagate = False
