"""The service under load, on loopback: throughput, a long run, and clients that misbehave."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline

from ifonly.serve.tokens import new_token
from pipelines import Fitted, fitted
from record import Record

K = 4
RULES = ("race fixed", "gender fixed", "marital_status fixed", "age only increases")
MODELS = ("network", "xgboost", "forest")
CLIENTS = (1, 8, 64)
LATENCIES = ("p50, ms", "p95, ms", "p99, ms")
BODIES = 200
"""How many different rows are asked about, in turn."""
LASTS = 15.0
"""The seconds of a measurement; a third of it goes before, and is not counted."""
LONG = "network"
"""The model of the long run and of the clients that misbehave: its rows take alike."""
SOAK = 600.0
LOAD = 0.8
"""The share of the throughput that the long run asks for."""
GROWTH = 1.05
"""Memory does not grow if the median of the last fifth is at most so much of that of the second."""
FLOOD = 200
"""The most requests per second of all clients that misbehave."""
BAD = (("slow", 3), ("hang_up", 2), ("flood", 3), ("bomb", 2))


@dataclass(frozen=True)
class Server:
    """A running service, and where it is asked."""

    process: subprocess.Popen[str]
    port: int

    def load(self, bodies: list[str], clients: Any, lasts: float, **more: Any) -> dict[str, Any]:
        """What clients see; see service_load.py."""
        task = {"port": self.port, "path": "/v1/explain", "bodies": bodies, "lasts": lasts}
        command = [sys.executable, str(Path(__file__).with_name("service_load.py"))]
        asked = json.dumps({**task, "clients": clients, "warm": min(lasts, LASTS) / 3, **more})
        done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
        return dict(json.loads(done.stdout))

    def cpu(self) -> float:
        """Seconds of processors that the front and all processes below it have used."""
        return sum(_used(pid) for pid in _family(self.process.pid))

    def memory(self) -> int:
        """Bytes of the front and of all processes below it, each shared page counted once."""
        return sum(_proportional(pid) for pid in _family(self.process.pid))


def main(record: Record) -> None:
    """Fill the record."""
    lasts = 2.0 if record.quick else LASTS
    with tempfile.TemporaryDirectory() as folder:
        made = {name: _saved(Path(folder), name) for name in MODELS}
        rates = throughput(record, Path(folder), made, lasts)
        soak(record, Path(folder), made[LONG], rates[LONG], 10 if record.quick else SOAK)
        misbehave(record, Path(folder), made[LONG], 5 if record.quick else 60)


def throughput(
    record: Record, folder: Path, made: dict[str, list[str]], lasts: float
) -> dict[str, float]:
    """Requests per second and latencies; returns the rate of each model at the most clients."""
    lines, rates = [], {}
    for name, bodies in made.items():
        for together in (64, 1):
            with started(folder, name, together=together) as server:
                for n in CLIENTS:
                    before = server.cpu()
                    found = server.load(bodies, [("steady", n)], lasts)
                    used = 1e3 * (server.cpu() - before) / max(1, found["replies"])
                    rates[name, together, n] = rate = len(found["seconds"]) / lasts
                    how, errors = "on" if together > 1 else "off", len(found["errors"])
                    lines.append([name, how, n, rate, *latencies(found), used, errors])
    record.table(
        "Requests of one row, k = 4, four rules",
        (
            "model",
            "batching",
            "clients",
            "requests/s",
            "p50, ms",
            "p95, ms",
            "p99, ms",
            "CPU, ms",
            "errors",
        ),
        lines,
        f"Each client asks again when it has its reply, for {lasts:g} s. Adult; a network of 50 "
        "hidden units, XGBoost, a forest of 100 trees, each a pipeline. The clients are one "
        "process on one core, which the server shares. CPU: of the server, per request.",
    )
    on, off = rates["forest", 64, 64], rates["forest", 1, 64]
    record.check(
        "Forest, 64 clients: batching at least doubles the throughput",
        on >= 2 * off,
        f"{on:.1f} and {off:.1f} requests per second, {on / max(off, 1e-9):.1f} times",
    )
    record.check(
        "No request fails at 1, 8 and 64 clients",
        not any(line[-1] for line in lines),
        f"{sum(line[-1] for line in lines)} errors",
    )
    return {name: rates[name, 64, 64] for name in made}


def soak(record: Record, folder: Path, bodies: list[str], rate: float, lasts: float) -> None:
    """A long run at a share of the throughput: errors, and the memory over time."""
    taken: list[int] = []
    with started(folder, LONG) as server:
        over = threading.Event()

        def watch() -> None:
            while not over.wait(lasts / 100):
                with contextlib.suppress(OSError):  # a process that ended meanwhile
                    taken.append(server.memory())

        thread = threading.Thread(target=watch)
        thread.start()
        try:
            asked = {"rate": max(1.0, LOAD * rate)}
            found = server.load(bodies, [("steady", 64)], lasts, **asked)
        finally:
            over.set()
            thread.join()
    fifth = max(1, len(taken) // 5)
    early, late = np.median(taken[fifth : 2 * fifth]) / 1e6, np.median(taken[-fifth:]) / 1e6
    p50, p95, p99 = latencies(found)
    lines = [[lasts, asked["rate"], len(found["seconds"]) / lasts, p50, p95, p99, early, late]]
    record.table(
        f"{lasts:g} s at 80 % load, {LONG}",
        ("s", "asked/s", "answered/s", *LATENCIES, "MB early", "MB late"),
        lines,
        "Memory: the proportional set sizes of the front and its workers, added up; the medians of "
        "the second and of the last fifth of the run.",
    )
    errors = found["errors"]
    record.check("Soak: no error", not errors, f"{len(errors)} errors {errors[:1]}")
    record.check(
        f"Soak: memory does not grow by more than {GROWTH - 1:.0%}",
        bool(late <= GROWTH * early),
        f"{early:.0f} and {late:.0f} MB",
    )


def misbehave(record: Record, folder: Path, bodies: list[str], lasts: float) -> None:
    """One client alone, then beside ten that misbehave."""
    (good, first), (bad, second) = new_token("good"), new_token("bad", "20/second")
    (folder / "tokens.txt").write_text(f"{first}\n{second}\n")
    with started(folder, LONG, tokens="tokens.txt") as server:
        alone = server.load(bodies, [("steady", 1)], lasts, token=good)
        beside: dict[str, Any] = {}

        def attack() -> None:
            more = {"token": bad, "rate": FLOOD}
            beside.update(server.load(bodies, BAD, lasts + 5, **more))

        thread = threading.Thread(target=attack)
        thread.start()
        time.sleep(1.0)
        found = server.load(bodies, [("steady", 1)], lasts, token=good)
        thread.join()
    lines = [
        [how, len(one["seconds"]) / lasts, *latencies(one), len(one["errors"])]
        for how, one in (("alone", alone), ("beside ten", found))
    ]
    record.table(
        f"One client beside ten that misbehave, {LONG}",
        ("", "requests/s", *LATENCIES, "errors"),
        lines,
        f"Three send a byte every half second, two hang up, three flood, two send bombs; together "
        f"at most {FLOOD} requests per second, under one token with a quota of 20 rows per second. "
        f"What bombs got: {beside.get('statuses')}.",
    )
    before, after = lines[0][3], lines[1][3]
    record.check(
        "Beside ten clients that misbehave, p95 at most triples",
        after <= 3 * before,
        f"{before:.1f} and {after:.1f} ms",
    )
    record.check("It sees no error", not found["errors"], f"{found['errors'][:3]}")


def latencies(found: dict[str, Any]) -> list[float]:
    """p50, p95 and p99 in milliseconds."""
    seconds = found["seconds"] or [np.nan]
    return [float(one) for one in 1e3 * np.percentile(seconds, (50, 95, 99))]


@contextlib.contextmanager
def started(folder: Path, name: str, **settings: Any) -> Iterator[Server]:
    """A service of a model of the folder, on a free port; it is ended in any case."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    source = {"path": f"{name}.joblib", "data": "train.csv", "rule": RULES, "trust_pickle": True}
    lines += [f"[models.{name}]", *(f"{key} = {json.dumps(one)}" for key, one in source.items())]
    (folder / "service.toml").write_text("\n".join(lines))
    command = [sys.executable, "-m", "ifonly", "serve", "--config", str(folder / "service.toml")]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--port", "0"], stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            if not said:
                raise RuntimeError((folder / "log").read_text())
            yield Server(process, int(said.rsplit(":", 1)[1]))
        finally:
            process.terminate()
            process.communicate(timeout=60)


def _saved(folder: Path, name: str) -> list[str]:
    """The bodies of requests about a model, which is saved with its training rows."""
    one = network() if name == "network" else fitted(name, BODIES)
    joblib.dump(one.pipeline, folder / f"{name}.joblib")
    one.train.to_csv(folder / "train.csv", index=False)
    rows = json.loads(one.rows.to_json(orient="records"))
    return [json.dumps({"rows": [row], "k": K}) for row in rows]


def network() -> Fitted:
    """A network behind the same encoding."""
    one = fitted("xgboost", BODIES)
    last = MLPClassifier((50,), early_stopping=True, random_state=0)
    made = make_pipeline(one.pipeline[0], last).fit(one.train, one.outcome)
    return Fitted(**{**vars(one), "name": "network", "pipeline": made})


def _family(pid: int) -> list[int]:
    """A process and all below it."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for thread in threads for child in thread.read_text().split()]
    return [pid, *(one for child in children for one in _family(child))]


def _used(pid: int) -> float:
    """The seconds of processors that a process has used."""
    parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def _proportional(pid: int) -> int:
    """The proportional set size of a process, in bytes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
