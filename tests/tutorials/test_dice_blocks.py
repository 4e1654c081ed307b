"""The dice-ml code of the tutorial 'from dice-ml' does what the tutorial says, where dice-ml is.

dice-ml is not part of the tests' environment: it is run where benchmarks/peers.py has made one, or
where IFONLY_PEERS names a folder with an environment `dice` of benchmarks/peers/dice.txt.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import joblib
import pytest

import peers

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorials" / "from-dice-ml.py"


def blocks() -> list[str]:
    """The dice-ml code of the tutorial, in its order."""
    text = re.sub(r"^# ?", "", TUTORIAL.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return re.findall(r"```python\n(# dice-ml\n.*?)```", text, re.DOTALL)


def test_every_block_is_python() -> None:
    assert len(blocks()) == 6
    for block in blocks():
        compile(block, TUTORIAL.name, "exec")
        assert "..." not in block


def test_the_blocks_do_what_the_tutorial_says(tmp_path: Path) -> None:
    folder = Path(os.environ.get("IFONLY_PEERS", ROOT / ".venv-peers"))
    if not (folder / "dice" / "bin" / "python").exists():
        pytest.skip(
            f"dice-ml is not installed: make {folder / 'dice'} of benchmarks/peers/dice.txt"
        )
    train, test, pipeline = fitted()
    joblib.dump(pipeline, tmp_path / "pipeline.joblib")
    frames = {"train_with_income": train.features.assign(income=train.outcome)}
    frames |= {"queries": test.features[4:7], "many_queries": test.features[:20]}
    task = {
        "frames": {name: peers.columns_of(frame) for name, frame in frames.items()},
        "pipeline": str(tmp_path / "pipeline.joblib"),
        "blocks": blocks(),
    }
    done = peers.ask("dice", "dice_tutorial", task)
    assert done["found"] == done["limited"] == [4, 4, 4]
    assert done["narrow"][0] is None
    assert done["narrow"][1:] == [4, 4]
    assert done["weights"] == "TypeError"
    assert done["alone"] == "UserConfigValidationException"


def fitted() -> tuple[Any, Any, Any]:
    """The data and the pipeline of the tutorial."""
    names: dict[str, Any] = {}
    code = TUTORIAL.read_text(encoding="utf-8").split("# %%\n")[1]
    exec(code.split("plain = ")[0], names)
    return names["train"], names["test"], names["pipeline"]
