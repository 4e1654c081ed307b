"""Models of trees that were read elsewhere, for machines without their libraries.

`python benchmarks/read_trees.py read FOLDER` fits a forest and XGBoost on Adult and keeps what is
read off them. `python benchmarks/run.py gpu` searches there, with IFONLY_TREES naming the folder,
judges by the readings, and keeps 10,000 answers. `python benchmarks/read_trees.py judge FOLDER`
lets the models themselves judge these.
"""

from __future__ import annotations

import pickle
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import ifonly
from ifonly.explainer import Explainer
from ifonly.models.reading.link import scores_of
from ifonly.models.reading.trees.trees import Trees
from ifonly.search import Engine

NAMES = ("forest", "xgboost")


@dataclass(eq=False)
class ReadTrees:
    """A reading as a model that is asked on a device; `seconds` is what that took."""

    reading: Trees
    stops: dict[int, np.ndarray]
    device: str = "cpu"
    seconds: float = 0.0
    _sums: Any = field(default=None, repr=False)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels."""
        return self.reading.classes

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] the scores of codes [n, d]."""
        import torch

        from ifonly.search.device.sums import sums_of

        start = time.perf_counter()
        self._sums = self._sums or sums_of(self.reading, self.device)
        margins = self._sums(torch.from_numpy(np.array(codes)).to(self.device)).cpu().numpy()
        self.seconds += time.perf_counter() - start
        return scores_of(self.reading.link, margins)

    def decide(self, codes: np.ndarray) -> None:
        """None: the scores decide."""


def fitted() -> dict[str, Any]:
    """A forest of 100 trees of depth 6, and XGBoost with 100 trees, behind one-hot and scaling."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from xgboost import XGBClassifier

    data = ifonly.datasets.load("adult")
    train, _ = data.split()
    lasts = (
        RandomForestClassifier(100, max_depth=6, random_state=0, n_jobs=1),
        XGBClassifier(n_estimators=100, n_jobs=1, random_state=0),
    )
    models = {}
    for name, last in zip(NAMES, lasts, strict=True):
        encode = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), list(data.categorical)),
            (StandardScaler(), list(data.continuous)),
        )
        models[name] = make_pipeline(encode, last).fit(train.features, train.outcome)
    return models


def explainer_of(model: ReadTrees, data: Any, space: ifonly.Space, device: str | None) -> Explainer:
    """The default engine for a reading: on a device, or on the CPU."""
    from dataclasses import replace

    from ifonly.problem.moves import Grid
    from ifonly.solve.method import method_of

    made = Explainer(model, data=data, space=space)
    grid = Grid.of(space, space.codes(data), model.stops)
    made.setting = replace(made.setting, reading=model.reading, grid=grid)
    made.method = method_of(Engine(device=device))
    return made


def read(folder: Path) -> None:
    """Keep the readings of both models, and the models."""
    data = ifonly.datasets.load("adult")
    train, _ = data.split()
    space = ifonly.Space.infer(train.features, categorical=data.categorical)
    for name, model in fitted().items():
        setting = Explainer(model, data=train.features, space=space, method="exact").setting
        kept = {"reading": setting.reading, "stops": dict(setting.grid.stops)}
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(kept))
        (folder / f"{name}_model.pickle").write_bytes(pickle.dumps(model))


def taken_along(folder: Path, name: str, device: str = "cpu") -> ReadTrees:
    """A model that was read elsewhere."""
    return ReadTrees(**pickle.loads((folder / f"{name}.pickle").read_bytes()), device=device)


def judge(folder: Path) -> None:
    """What the models themselves say of the answers that were kept."""
    for name in NAMES:
        model = pickle.loads((folder / f"{name}_model.pickle").read_bytes())
        codes, wanted = (
            np.load(folder / f"{name}_answers.npz")[key] for key in ("codes", "wanted")
        )
        said = model.predict(taken_along(folder, name).reading.space.rows(codes))
        print(f"{name}: {np.mean(said == wanted):.4%} of {len(codes):,} answers are as wanted")


if __name__ == "__main__":
    {"read": read, "judge": judge}[sys.argv[1]](Path(sys.argv[2]))
