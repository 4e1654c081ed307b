"""What is computed again and again on a GPU, recorded once: its kernels then start together.

For few rows a kernel takes less time than Python takes to start it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Compute = Callable[[], Tensor]


def recorder(device: torch.device) -> Callable[[Compute], Compute]:
    """A function that records a computation of a fixed shape, which never asks the host anything.

    Each call of what it returns computes anew, from what its inputs are by then, and overwrites the
    last result.
    """
    stream: Any = torch.cuda.Stream  # torch leaves it untyped
    side, pool = stream(device), torch.cuda.graph_pool_handle()
    warm = False

    def record(compute: Compute) -> Compute:
        nonlocal warm
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.device(device):
            here = torch.cuda.current_stream()
            side.wait_stream(here)
            with torch.cuda.stream(side):
                if not warm:  # libraries set themselves up at their first call
                    compute()
                    warm = True
                graph.capture_begin(pool=pool, capture_error_mode="thread_local")
                try:
                    result = compute()
                finally:
                    graph.capture_end()
            here.wait_stream(side)

        def again() -> Tensor:
            graph.replay()
            return result

        return again

    return record
