"""SHAP: the permutation explainer's values of each feature of rows, on fitted pipelines."""

import json
import sys
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import shap

warnings.filterwarnings("ignore")


def values_of(task):
    """[n, d] what each feature adds to the probability of the wanted class."""
    train = pd.DataFrame(task["train"])
    names, levels = list(train.columns), task["levels"]
    places = {name: {level: i for i, level in enumerate(levels[name])} for name in levels}
    pipeline = joblib.load(task["pipeline"])

    def encoded(frame):
        columns = [frame[n].map(places[n]) if n in levels else frame[n] for n in names]
        return np.stack([np.asarray(one, dtype=float) for one in columns], axis=1)

    def score(values):
        frame = pd.DataFrame(np.asarray(values, dtype=float), columns=names)
        for name in levels:
            frame[name] = np.array(levels[name], dtype=object)[frame[name].astype(int)]
        frame = frame.astype(train.dtypes.to_dict())
        return pipeline.predict_proba(frame)[:, task["wanted"]]

    masker = shap.maskers.Independent(encoded(train), max_samples=len(train))
    explainer = shap.PermutationExplainer(score, masker, seed=0)
    rows = encoded(pd.DataFrame(task["rows"])[names])
    most = 10 * (2 * len(names) + 1)  # ten permutations, in few calls of the pipeline
    return explainer(rows, max_evals=most, batch_size=most, silent=True).values.tolist()


if __name__ == "__main__":
    asked = json.loads(Path(sys.argv[1]).read_text())["asked"]
    Path(sys.argv[2]).write_text(json.dumps({"values": [values_of(one) for one in asked]}))
