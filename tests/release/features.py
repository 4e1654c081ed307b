"""What each extra is for, used once: `python features.py EXTRA FOLDER`, in an environment with it.

Every function asks for its feature as a user does who does not know which packages it needs.
`python features.py missing FOLDER` uses all of them where no extra is installed, and prints as JSON
how each of them ended.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import ifonly

FOLDER = Path(sys.argv[-1])
COMMAND = [sys.executable, "-m", "ifonly"]
DATA = pd.DataFrame({"income": np.arange(10.0, 70), "debt": np.arange(60.0) % 7})
GRANTED = (DATA["income"] - 2 * DATA["debt"] > 35).astype(int)
MODEL = LogisticRegression(max_iter=1000).fit(DATA, GRANTED)
REFUSED = DATA[:2]


def explained(model: Any = MODEL, rows: Any = REFUSED, **options: Any) -> ifonly.Answers:
    """Answers of which every row has one."""
    answers = ifonly.explain(model, rows, data=DATA, k=1, progress=False, **options)
    assert all(status.answered for status in answers.status), answers
    return answers


def core() -> None:
    explained(rules=["debt fixed"])
    subprocess.run([*COMMAND, "demo"], check=True, stdout=subprocess.DEVNULL)


def torch() -> None:
    explained(method=ifonly.search.Engine(device="cpu"))


def boost() -> None:
    for name in ("model.ubj", "model.lgb", "model.cbm"):
        explained(FOLDER / name)


def onnx() -> None:
    explained(FOLDER / "model.onnx")


def exact() -> None:
    assert explained(method="exact").certificates()["proved"].all()


def plot() -> None:
    explained().plot(0).savefig(FOLDER / "plot.png")


def parquet() -> None:
    explained().to_parquet(FOLDER / "answers.parquet")
    assert len(pd.read_parquet(FOLDER / "answers.parquet")) == len(REFUSED)


def scale() -> None:
    tabled("file://", FOLDER / "answers")


def dask() -> None:
    coded("dask")


def ray() -> None:
    coded("ray")


def spark() -> None:
    coded("spark")


def delta() -> None:
    run = coded("local") if find_spec("pyarrow") is None else tabled("", FOLDER / "tabled")
    import_module("ifonly.scale").to_delta(run, FOLDER / "delta")


def contract() -> None:
    handler = import_module("ifonly.contract").Handler(ifonly.Explainer(MODEL, data=DATA))
    status, reply = handler.respond("explain", json.dumps({"rows": [REFUSED.iloc[0].to_dict()]}))
    assert (status, json.loads(reply)["rows"][0]["status"]) == (200, "found")


def serve() -> None:
    options = ["--demo", "--port", "0", "--workers", "1"]
    with subprocess.Popen([*COMMAND, "serve", *options], **PIPES) as process:
        try:
            address = first_line(process).split()[-1]
            with urllib.request.urlopen(f"{address}/v2/health/live") as reply:
                assert reply.status == 200
        finally:
            process.terminate()


def page() -> None:
    assert len(ifonly.Explainer(MODEL, data=DATA).page(REFUSED).start["rows"]) == len(REFUSED)


def postgres() -> None:
    open_store = import_module("ifonly.serve.store").open_store
    url = os.environ.get("IFONLY_POSTGRES", "postgresql://nobody@127.0.0.1:1/none")
    assert open_store(url, key=b"secret").head().count == 0


def sign() -> None:
    signing = import_module("ifonly.contract.records.signing")
    for name, content in zip(("own.key", "own.pub"), signing.make_keys(), strict=True):
        (FOLDER / name).write_bytes(content)
    signing.read_private(FOLDER / "own.key")


def mcp() -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello |= {"clientInfo": {"name": "smoke", "version": "1"}}
    with subprocess.Popen([*COMMAND, "mcp", "--demo"], stdin=subprocess.PIPE, **PIPES) as process:
        try:
            said = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
            assert process.stdin
            process.stdin.write(json.dumps(said) + "\n")
            process.stdin.flush()
            assert "tools" in json.loads(first_line(process))["result"]["capabilities"]
        finally:
            process.terminate()


def mlflow() -> None:
    import_module("ifonly.serve.mlflow").save_explainer(
        ifonly.Explainer(MODEL, data=DATA), FOLDER / "mlflow"
    )


def paper() -> None:
    run = ["reproduce", "--quick", "--rows", "1", "--workers", "1", "--out", str(FOLDER / "out")]
    done = subprocess.run([*COMMAND, *run, "--only", PAPER], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    import_module("lime.lime_tabular")


def all_extras() -> None:
    rows = import_module("polars").DataFrame(REFUSED.to_dict("list"))
    assert type(explained(rows=rows).frame()).__module__.startswith("polars")
    explained(FOLDER / "model.skops")


def skops() -> None:
    explained(FOLDER / "model.skops")


PAPER = "models/german_credit/linear/as it is"
PIPES: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
USES: dict[str, Callable[[], Any]] = {
    **{one.__name__: one for one in (core, torch, boost, onnx, exact, plot, parquet, contract)},
    **{one.__name__: one for one in (dask, ray, spark, delta)},
    **{one.__name__: one for one in (scale, serve, page, postgres, sign, mcp, mlflow, paper)},
    "all": all_extras,
}


def tabled(protocol: str, out: Path) -> Any:
    """A run over a table, by its path or by a URL."""
    REFUSED.to_csv(FOLDER / "rows.csv", index=False)
    explain, explainer = import_module("ifonly.scale").explain, ifonly.Explainer(MODEL, data=DATA)
    run = explain(explainer, f"{protocol}{FOLDER / 'rows.csv'}", out=out, workers=1, k=1)
    assert run.summary.statuses == {"found": len(REFUSED)}
    return run


def coded(engine: str) -> Any:
    """A run of an engine over arrays, which need no further package."""
    rows, space = FOLDER / f"{engine}.npy", ifonly.Space.infer(DATA)
    np.save(rows, space.codes(REFUSED))
    explain, explainer = import_module("ifonly.scale").explain, ifonly.Explainer(MODEL, data=DATA)
    run = explain(explainer, rows, out=FOLDER / engine, on=engine, workers=1, k=1)
    assert run.complete
    return run


def first_line(process: subprocess.Popen[str]) -> str:
    """The first line that a process prints; what it says on stderr where it ends without one."""
    assert process.stdout
    assert process.stderr
    line = process.stdout.readline()
    assert line, process.stderr.read()
    return line


def ending(use: Callable[[], Any]) -> str:
    """How the use of a feature ended: the name and the text of its error, or nothing."""
    try:
        use()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


if __name__ == "__main__":
    if sys.argv[1] == "missing":
        asked = {**USES, "core": explained, "all": skops}
        sys.stdout.write(json.dumps({name: ending(use) for name, use in asked.items()}))
    else:
        USES[sys.argv[1]]()
