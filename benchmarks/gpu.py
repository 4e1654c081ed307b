"""A million Adult rows on a GPU: DiverseCF-Sparse at k = 4 on the published network.

Timed from codes on the host to judged answers on the host; the frame's codes are stated apart. The
same rows go through the CPU for a sample, so that the quality of both stands side by side.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import torch

from ifonly.explainer import Explainer
from ifonly.methods import Method
from ifonly.recipes import PATIENT
from ifonly.refine import Sparsify
from ifonly.search import Gradient
from ifonly.select import InOrder
from networks import module
from published import published
from scaling import many_rows


def measure(device: str, rows: Any, method: Method) -> dict[str, Any]:
    """Seconds and quality of one run."""
    explainer = Explainer(
        module(published("adult"), device), data=published("adult").train, method=method
    )
    explainer.explain(rows[:2000], k=4)  # warm
    start = time.perf_counter()
    explainer.setting.space.codes(rows)
    reading = time.perf_counter() - start
    start = time.perf_counter()
    answers = explainer.explain(rows, k=4)
    total = time.perf_counter() - start
    table = answers.metrics().mean(numeric_only=True)
    return {
        "device": device,
        "rows": len(rows),
        "seconds": round(total - reading, 2),
        "seconds_reading_the_frame": round(reading, 2),
        "full": float(np.mean([status == "found" for status in answers.status])),
        **{
            name: round(float(table[name]), 4)
            for name in ("valid_unique", "objective", "distance", "det")
        },
    }


def main() -> None:
    """Print one line of JSON a run."""
    counts = [int(one) for one in sys.argv[1:]] or [1_000_000]
    method = Method(
        Gradient(restarts=0, summed=True, pace=PATIENT), refiner=Sparsify(), selector=InOrder()
    )
    if torch.cuda.is_available():
        print(torch.cuda.get_device_name(), torch.__version__)
        for q in counts:
            print(
                json.dumps(measure("cuda", many_rows(published("adult").rows, q), method)),
                flush=True,
            )
    print(json.dumps(measure("cpu", many_rows(published("adult").rows, 2000), method)), flush=True)


if __name__ == "__main__":
    main()
