"""Other people's tools, each in an environment of its own and asked through JSON files.

A peer's script stands alone in benchmarks/peers: `python SCRIPT TASK.json RESULT.json`. Its
environment is made from benchmarks/peers/NAME.txt under .venv-peers/NAME where it is missing;
IFONLY_PEERS names another folder of environments.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from answered import Predict, measured

HERE = Path(__file__).parent
SCRIPTS = HERE / "peers"


def ask(peer: str, script: str, task: dict[str, Any]) -> dict[str, Any]:
    """What a peer's script answers to a task."""
    with tempfile.TemporaryDirectory() as folder:
        given, got = Path(folder) / "task.json", Path(folder) / "result.json"
        given.write_text(json.dumps(task, default=_plain))
        ran = subprocess.run(
            [python(peer), SCRIPTS / f"{script}.py", given, got],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONWARNINGS": "ignore", "TQDM_DISABLE": "1"},
        )
        if ran.returncode:
            raise SystemExit(f"{script} failed in the environment of {peer}:\n{ran.stderr[-3000:]}")
        answer: dict[str, Any] = json.loads(got.read_text())
        return answer


def python(peer: str) -> Path:
    """The interpreter of a peer's environment, which is made where it is missing."""
    folder = Path(os.environ.get("IFONLY_PEERS", HERE.parent / ".venv-peers")) / peer
    interpreter, done = folder / "bin" / "python", folder / ".made"
    if "IFONLY_PEERS" in os.environ or done.exists():
        return interpreter
    print(f"Making {folder} for {peer} ...", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    install = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "-r", SCRIPTS / f"{peer}.txt"], check=True)
    done.touch()
    return interpreter


def columns_of(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """A frame as JSON takes it."""
    return {str(name): frame[name].tolist() for name in frame.columns}


def frame_of(answers: list[list[list[Any]]], like: pd.DataFrame) -> pd.DataFrame:
    """A peer's answers, a list of rows for each row asked, as one frame with a column `query`.

    Numbers are rounded where the data have whole ones, so that every answer is a row.
    """
    lines = [line for lines in answers for line in lines]
    frame = pd.DataFrame(lines, columns=like.columns)
    for name, dtype in like.dtypes.items():
        if pd.api.types.is_numeric_dtype(dtype):
            frame[name] = pd.to_numeric(frame[name])
        if pd.api.types.is_integer_dtype(dtype):
            frame[name] = frame[name].round()
        frame[name] = frame[name].astype(dtype)
    frame.insert(0, "query", np.repeat(np.arange(len(answers)), [len(one) for one in answers]))
    return frame


def check_same(scores: list[float], decided: np.ndarray) -> None:
    """Stop where the peer's network is not ours."""
    if not np.array_equal(np.array(scores) >= 0.5, decided == 1):
        raise SystemExit("The peer's network decides otherwise on the rows: the order is wrong.")


def figures_of(
    peer: dict[str, Any], rows: pd.DataFrame, of: Any, k: int, predict: Predict
) -> dict[str, float]:
    """The figures of a peer's answers; `of` has the data and the space."""
    return measured(frame_of(peer["answers"], of.train), rows, of.space, k, predict)


def _plain(thing: Any) -> Any:
    return thing.tolist() if hasattr(thing, "tolist") else str(thing)
