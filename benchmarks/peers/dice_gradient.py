"""dice-ml's gradient method on a network, row after row until the seconds are spent."""

import json
import sys
import time
import warnings
from pathlib import Path

import dice_ml
import numpy as np
import pandas as pd
import torch

warnings.filterwarnings("ignore")


def network(layers, place, names):
    """The network, its first layer in dice-ml's order of columns; it gives a probability."""
    order = [place.index(name) for name in names]
    parts = []
    for i, (kernel, bias) in enumerate(layers):
        kernel = np.array(kernel)[order] if i == 0 else np.array(kernel)
        linear = torch.nn.Linear(*kernel.shape)
        linear.weight.data = torch.tensor(kernel.T, dtype=torch.float32)
        linear.bias.data = torch.tensor(bias, dtype=torch.float32)
        parts += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*parts[:-1], torch.nn.Sigmoid()).eval()


def main(task):
    """Answers and seconds of each row, and the network's scores of the rows as dice-ml has it."""
    torch.manual_seed(task["seed"])
    np.random.seed(task["seed"])  # noqa: NPY002  (dice-ml draws from it)
    train = pd.DataFrame(task["train"])
    names = list(train.columns)
    data = dice_ml.Data(
        dataframe=train.assign(outcome=task["outcome"]),
        continuous_features=task["continuous"],
        outcome_name="outcome",
    )
    # Its order of columns is known once it is built.
    place = [f if level is None else f"{f}_{level}" for f, level in task["columns"]]
    stand_in = torch.nn.Sequential(torch.nn.Linear(len(place), 1), torch.nn.Sigmoid())
    model = dice_ml.Model(model=stand_in, backend="PYT", func="ohe-min-max")
    explainer = dice_ml.Dice(data, model, method="gradient")
    model.model = network(task["layers"], place, data.ohe_encoded_feature_names)
    rows = pd.DataFrame(task["rows"])
    scores = model.get_output(rows, transform_data=True)[:, 0].tolist()
    answers, seconds = [], []
    began = time.perf_counter()
    for i in range(len(rows)):
        start = time.perf_counter()
        try:
            found = explainer.generate_counterfactuals(
                rows[i : i + 1], total_CFs=task["k"], desired_class="opposite"
            ).cf_examples_list[0]
            frame = found.final_cfs_df_sparse
            frame = found.final_cfs_df if frame is None else frame
            answers.append(json.loads(frame[names].to_json(orient="values")))
        except dice_ml.utils.exception.UserConfigValidationException:
            answers.append([])  # none found
        seconds.append(time.perf_counter() - start)
        if time.perf_counter() - began > task["seconds"]:
            break
    return {"answers": answers, "seconds": seconds, "scores": scores}


if __name__ == "__main__":
    result = main(json.loads(Path(sys.argv[1]).read_text()))
    Path(sys.argv[2]).write_text(json.dumps(result))
