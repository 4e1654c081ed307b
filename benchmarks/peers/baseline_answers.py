"""The former default on the tables of the part 'answers', by the package's own source of then."""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

warnings.filterwarnings("ignore")


def number_of_ways(answers):
    """[q] of how many ways the answers of a row are: what changes, which way, to which level."""
    way = np.sign(answers.points - answers.x[:, None])
    way = np.where(answers.space.continuous, way, answers.points + 1)
    way = np.where(answers.changed(), np.nan_to_num(way, nan=0.5), 0)
    found = zip(way, answers.filled, strict=True)
    return [len(np.unique(row[filled], axis=0)) for row, filled in found]


def main(task):
    """Per cell: distances and full rows of the default, changed features of needed answers."""
    sys.path[:0] = [task["source"], task["benchmarks"]]
    import ifonly
    from data_tables import fitted, table
    from ifonly.search import Engine

    assert ifonly.__file__.startswith(task["source"])
    found = {}
    for name, kind in task["cells"]:
        one = table(name, task["rows"])
        model = fitted(kind, one)
        explainer = ifonly.Explainer(model, data=one.train)
        explainer.explain(one.rows[:2], k=task["k"])
        runs = []
        for _ in range(task["repeats"]):
            start = time.process_time()
            answers = explainer.explain(one.rows, k=task["k"])
            runs.append(time.process_time() - start)
        took = float(np.median(runs))
        needed = ifonly.Explainer(model, data=one.train, method=Engine(needed=True))
        minimal = needed.explain(one.rows, k=task["k"])
        found[f"{name} {kind}"] = {
            "nearest": answers.distance()[:, 0].tolist(),
            "changes": answers.changed()[:, 0].sum(axis=-1).tolist(),
            "full": answers.filled.all(axis=1).tolist(),
            "distance": float(answers.distance()[answers.filled].mean()),
            "changed": float(minimal.changed().sum(axis=-1)[minimal.filled].mean()),
            "changed of rows": minimal.changed().sum(axis=-1).mean(axis=1).tolist(),
            "ways": number_of_ways(minimal),
            "ms": 1e3 * took / len(one.rows),
            "decimals": {
                feature.name: feature.decimals
                for feature in answers.space.features
                if hasattr(feature, "decimals")
            },
        }
    return found


if __name__ == "__main__":
    result = main(json.loads(Path(sys.argv[1]).read_text()))
    Path(sys.argv[2]).write_text(json.dumps(result))
