"""A process that has all loaded, and forks a driver for each line that it reads: quick to kill.

A line is JSON: the rows, the folder of the run, and the most bytes of a file. The answer is the id
of the driver's process. What ends the driver is written beside the folder.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from ifonly import scale
from ifonly.errors import IfonlyError
from ifonly.solve.workers.worker import unpacked


def main() -> None:
    explainer = unpacked(Path(sys.argv[1]).read_bytes())
    space = explainer.setting.space
    explainer.explain(space.rows(explainer.setting.reference.codes[:2]))  # loads the rest
    import pyarrow.parquet  # noqa: F401

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if not pid:
            drive(explainer, **asked)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


def drive(explainer: Any, rows: str, out: str, most: int, **question: Any) -> None:
    said = "done"
    try:
        if most:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        scale.explain(explainer, rows, out=out, workers=1, **question)
    except IfonlyError as error:
        said = str(error)
    except BaseException:
        said = traceback.format_exc()
    Path(f"{out}.said").write_text(said)
    os._exit(0)


if __name__ == "__main__":
    main()
