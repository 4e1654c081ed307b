"""A model in a file that can be replaced, and what runs a test of a pool."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ifonly.serve.open import ModelFile

from .asking import FRAME, Lender, write_model


@pytest.fixture
def source(tmp_path: Path) -> ModelFile:
    write_model(tmp_path / "model.pkl", Lender())
    FRAME.to_csv(tmp_path / "train.csv", index=False)
    return ModelFile(tmp_path / "model.pkl", tmp_path / "train.csv", trust_pickle=True)


@pytest.fixture
def run() -> Callable[[Any], Any]:
    """Runs a coroutine, which must not take long."""

    def until_done(coroutine: Any, seconds: float = 60.0) -> Any:
        return asyncio.run(asyncio.wait_for(coroutine, seconds))

    return until_done
