"""ifonly on models of AutoGluon, FLAML and MLflow, fitted here, saved and opened again.

`peers.ask("automl", "automl_models", {"features": columns, "outcome": labels, "rows": 20})` gives a
line for each kind: its name, whether every row was answered, the share of answers that are valid by
the library's own `predict`, and milliseconds per row.
"""

import json
import pickle
import sys
import tempfile
import time
import warnings
from pathlib import Path

import mlflow.pyfunc
import mlflow.sklearn
import numpy as np
import pandas as pd
from autogluon.tabular import TabularPredictor
from flaml.automl import AutoML
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly
from ifonly.models.files.load import load_model

warnings.filterwarnings("ignore")


def autogluon(frame, outcome, folder):
    """A predictor, and its folder."""
    trees = {"RF": {"n_estimators": 30}, "GBM": {"num_boost_round": 30}}
    predictor = TabularPredictor("outcome", path=str(folder / "gluon"), verbosity=0)
    predictor.fit(frame.assign(outcome=outcome), hyperparameters=trees)
    return predictor.predict, {"AutoGluon": predictor, "AutoGluon, folder": folder / "gluon"}


def flaml(frame, outcome, folder):
    """An AutoML object, and its pickle."""
    automl = AutoML()
    automl.fit(
        frame, outcome, task="classification", estimator_list=["rf"], max_iter=3, verbose=0, seed=0
    )
    (folder / "flaml.pkl").write_bytes(pickle.dumps(automl))
    return automl.predict, {"FLAML": automl, "FLAML, pickle": folder / "flaml.pkl"}


def mlflow_folders(frame, outcome, folder):
    """A pipeline saved by MLflow in each of its formats, and through `mlflow.pyfunc`."""
    numbers = list(frame.select_dtypes("number"))
    text = [name for name in frame if name not in numbers]
    one_hot = OneHotEncoder(handle_unknown="ignore")
    encode = make_column_transformer((StandardScaler(), numbers), (one_hot, text))
    model = make_pipeline(encode, LogisticRegression(max_iter=500)).fit(frame, outcome)
    kinds = {}
    for form in ("skops", "cloudpickle"):
        mlflow.sklearn.save_model(model, folder / form, serialization_format=form)
        kinds[f"MLflow, {form}"] = folder / form
    kinds["mlflow.pyfunc"] = mlflow.pyfunc.load_model(str(folder / "cloudpickle"))
    return model.predict, kinds


def measured(model, frame, rows, decide):
    """Whether all rows are answered, the share that is valid, and milliseconds per row."""
    if isinstance(model, Path):
        model = load_model(model, trust_pickle=True)
    start = time.perf_counter()
    answers = ifonly.explain(model, frame[:rows], data=frame, k=2)
    spent = time.perf_counter() - start
    found = answers.frame()
    wanted = np.array(answers.wanted, dtype=object)[found["query"]]
    valid = float((np.asarray(decide(found[list(frame)])) == wanted).mean()) if len(found) else 0.0
    done = all(status.answered or status == "already" for status in answers.status)
    return [done, valid, 1e3 * spent / rows]


def main(task):
    """The lines of all kinds."""
    frame, outcome = pd.DataFrame(task["features"]), pd.Series(task["outcome"])
    lines = []
    with tempfile.TemporaryDirectory() as place:
        for make in (autogluon, flaml, mlflow_folders):
            decide, kinds = make(frame, outcome, Path(place))
            for kind, model in kinds.items():
                lines.append([kind, *measured(model, frame, task["rows"], decide)])
    return {"lines": lines}


if __name__ == "__main__":
    result = main(json.loads(Path(sys.argv[1]).read_text()))
    Path(sys.argv[2]).write_text(json.dumps(result))
