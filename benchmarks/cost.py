"""What an explained row costs a model: time inside and outside it, rows and calls."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from timing import framed, seconds


def cost(explainer: ifonly.Explainer, rows: pd.DataFrame, k: int) -> dict[str, float]:
    """Milliseconds a row in all and outside the model, and what the model was asked."""
    clock: list[float] = []
    setting = explainer.setting
    explainer.setting = replace(
        setting, model=Timed(setting.model, clock), route=Timed(setting.route, clock)
    )
    runs = []
    for _ in range(3):
        clock.clear()
        total = seconds(partial(framed, partial(explainer.explain, k=k), rows))
        runs.append((total - sum(clock), total))
    explainer.setting = setting
    outside, total = np.median(runs, axis=0) * 1e3 / len(rows)
    record = explainer.explain(rows, k=k).record
    return {
        "outside": float(outside),
        "total": float(total),
        "rows": record["model_rows"],
        "calls": record["model_calls"],
    }


class Timed:
    """A model or route that notes how long it takes to answer."""

    def __init__(self, model: Any, clock: list[float]) -> None:
        self._model, self._clock = model, clock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def scores(self, codes: Any) -> Any:
        """As the model's."""
        return self._note(self._model.scores, codes)

    def decide(self, codes: Any) -> Any:
        """As the model's."""
        return self._note(self._model.decide, codes)

    def _note(self, action: Any, codes: Any) -> Any:
        start = time.perf_counter()
        try:
            return action(codes)
        finally:
            self._clock.append(time.perf_counter() - start)
