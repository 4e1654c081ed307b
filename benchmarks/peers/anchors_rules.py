"""Anchors: a rule for each row on a fitted pipeline, until the time is spent."""

import json
import sys
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from anchor.anchor_tabular import AnchorTabularExplainer

warnings.filterwarnings("ignore")


def main(task):
    """The conditions and seconds of each row, and the pipeline's decisions of the rows."""
    train = pd.DataFrame(task["train"])
    names, levels = list(train.columns), task["levels"]
    places = {name: {level: i for i, level in enumerate(levels[name])} for name in levels}
    pipeline = joblib.load(task["pipeline"])

    def encoded(frame):
        columns = [frame[n].map(places[n]) if n in levels else frame[n] for n in names]
        return np.stack([np.asarray(one, dtype=float) for one in columns], axis=1)

    def predict(values):
        frame = pd.DataFrame(np.asarray(values, dtype=float), columns=names)
        for name in levels:
            frame[name] = np.array(levels[name], dtype=object)[frame[name].astype(int)]
        return pipeline.predict(frame.astype(train.dtypes.to_dict()))

    categories = {names.index(name): list(map(str, levels[name])) for name in levels}
    explainer = AnchorTabularExplainer(["0", "1"], names, encoded(train), categories)
    rows = encoded(pd.DataFrame(task["rows"])[names])
    rules, seconds = [], []
    began = time.perf_counter()
    np.random.seed(0)  # noqa: NPY002
    for row in rows:
        start = time.perf_counter()
        found = explainer.explain_instance(row, predict, threshold=task["precision"])
        rules.append(found.names())
        seconds.append(time.perf_counter() - start)
        if time.perf_counter() - began > task["seconds"]:
            break
    return {"rules": rules, "seconds": seconds, "decided": predict(rows).tolist()}


if __name__ == "__main__":
    result = main(json.loads(Path(sys.argv[1]).read_text()))
    Path(sys.argv[2]).write_text(json.dumps(result))
