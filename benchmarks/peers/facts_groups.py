"""FACTS of AIF360 on binned rows: the subgroups it finds worst, with their actions for both sides.

The model adds a weight per level, and refuses below 0. `python facts_groups.py TASK RESULT`.
"""

import json
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
from aif360.sklearn.detectors.facts import FACTS


class Added:
    """A model of weights by level: 1 where they add up to 0 or more."""

    def __init__(self, weights, start):
        self.weights, self.start = weights, start

    def predict(self, X):
        total = np.full(len(X), float(self.start))
        for name, weights in self.weights.items():
            total += X[name].astype(str).map(weights).astype(float).to_numpy()
        return (total >= 0).astype(int)


def interval(text):
    """The interval that is written as '(26.0, 34.0]'."""
    return pd.Interval(*map(float, text.strip("(]").split(",")))


def main(given: str, got: str) -> None:
    """Answer a task."""
    task = json.loads(Path(given).read_text())
    rows = pd.DataFrame(task["rows"]).astype(object)
    rows["age"] = [interval(text) for text in rows["age"]]  # a column that FACTS always expects
    model = Added(task["weights"], task["start"])
    start = time.perf_counter()
    detector = FACTS(
        clf=model,
        prot_attr=task["protected"],
        categorical_features=list(rows.columns),
        freq_itemset_min_supp=task["support"],
        feature_weights=defaultdict(lambda: 1),
        feats_not_allowed_to_change=task["fixed"],
    ).fit(rows, verbose=False)
    fitted = time.perf_counter() - start
    result = {"seconds": fitted, "rules": len(detector.rules_by_if), "metrics": {}}
    for metric, viewpoint in task["metrics"]:
        start = time.perf_counter()
        detector.bias_scan(
            metric=metric, viewpoint=viewpoint, top_count=task["top"], phi=0.3, c=2,
            sort_strategy="max-cost-diff-decr-ignore-exists-subgroup-empty",
        )  # fmt: skip
        found = []
        for subgroup, sides in detector.top_rules.items():
            actions = {
                str(side): [
                    {"action": then.to_dict(), "effectiveness": float(rest[0])}
                    for then, *rest in thens
                ]
                for side, (_, thens) in sides.items()
            }
            found.append({"conditions": subgroup.to_dict(), "actions": actions})
        seconds = time.perf_counter() - start
        result["metrics"][f"{metric} {viewpoint}"] = {"found": found, "seconds": seconds}
    Path(got).write_text(json.dumps(result, default=str))


if __name__ == "__main__":
    main(*sys.argv[1:])
