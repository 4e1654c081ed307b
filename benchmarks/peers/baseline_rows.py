"""The rows of the part 'engine', by the package's own source of then."""

import json
import sys
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")


def main(task):
    """Per cell: which rows are full, and the milliseconds per row."""
    sys.path[:0] = [task["source"], task["benchmarks"]]
    import ifonly
    from engine_rows import asked

    assert ifonly.__file__.startswith(task["source"])
    found = {}
    for name, kind in task["cells"]:
        one = asked(name, kind, task["rows"])
        found[f"{name} {kind}"] = {key: one[key] for key in ("full", "ms", "barred")}
    return found


if __name__ == "__main__":
    result = main(json.loads(Path(sys.argv[1]).read_text()))
    Path(sys.argv[2]).write_text(json.dumps(result))
