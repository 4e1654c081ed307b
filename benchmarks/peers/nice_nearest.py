"""NICE's one counterfactual a row on a fitted pipeline, until the time is spent."""

import json
import sys
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from nice import NICE

warnings.filterwarnings("ignore")


def main(task):
    """Answers and seconds of each row, and the pipeline's scores of the rows as it has them."""
    train = pd.DataFrame(task["train"])
    names = list(train.columns)
    pipeline = joblib.load(task["pipeline"])

    def predict(values):
        frame = pd.DataFrame(values, columns=names)
        return pipeline.predict_proba(frame.astype(train.dtypes.to_dict()))

    explainer = NICE(
        predict_fn=predict,
        X_train=train.to_numpy(dtype=object),
        y_train=np.array(task["outcome"]),
        cat_feat=[names.index(name) for name in task["categorical"]],
        num_feat=[names.index(name) for name in task["continuous"]],
        optimization=task["method"],
    )
    rows = pd.DataFrame(task["rows"])[names].to_numpy(dtype=object)
    explainer.explain(rows[:1])  # warm
    answers, seconds = [], []
    began = time.perf_counter()
    for i in range(len(rows)):
        start = time.perf_counter()
        answers.append(np.asarray(explainer.explain(rows[i : i + 1])).tolist())
        seconds.append(time.perf_counter() - start)
        if time.perf_counter() - began > task["seconds"]:
            break
    return {"answers": answers, "seconds": seconds, "scores": predict(rows)[:, 1].tolist()}


if __name__ == "__main__":
    result = main(json.loads(Path(sys.argv[1]).read_text()))
    Path(sys.argv[2]).write_text(json.dumps(result))
