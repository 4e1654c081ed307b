"""The dice-ml code of the tutorial 'from dice-ml', run block after block as it is written there."""

import json
import sys
import types
import warnings
from pathlib import Path

import dice_ml
import joblib
import pandas as pd

warnings.filterwarnings("ignore")


def main(task):
    """How many answers each step found, and how a step ends that the text says to fail."""
    display = types.ModuleType("IPython.display")
    display.display = lambda frame: None
    sys.modules |= {"IPython": types.ModuleType("IPython"), "IPython.display": display}
    names = {name: pd.DataFrame(frame) for name, frame in task["frames"].items()}
    names["pipeline"] = joblib.load(task["pipeline"])
    for block in task["blocks"]:
        exec(block, names)
    explainer, queries = names["explainer"], names["queries"]
    asked = {"total_CFs": 4, "desired_class": "opposite"}
    return {
        "version": dice_ml.__version__ if hasattr(dice_ml, "__version__") else "",
        "found": counts(names["found"]),
        "limited": counts(names["limited"]),
        "narrow": counts(names["narrow"]),
        "weights": ending(explainer, queries, proximity_weight=0.2, **asked),
        "alone": ending(explainer, queries[:1], features_to_vary=["hours_per_week"], **asked),
    }


def counts(found):
    """How many answers each row has; None where there is none."""
    frames = [one.final_cfs_df for one in found.cf_examples_list]
    return [None if frame is None else len(frame) for frame in frames]


def ending(explainer, rows, **options):
    """The name of the error of a question."""
    try:
        explainer.generate_counterfactuals(rows, **options)
    except Exception as error:
        return type(error).__name__
    return ""


if __name__ == "__main__":
    result = main(json.loads(Path(sys.argv[1]).read_text()))
    Path(sys.argv[2]).write_text(json.dumps(result))
