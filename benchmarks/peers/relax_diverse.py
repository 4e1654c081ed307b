"""jax-relax's DiverseCF on a network: all rows at once, compiled before it is timed."""

import json
import sys
import time
import warnings
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
from relax.data_module import DataModule
from relax.explain import prepare_cf_module
from relax.methods import DiverseCF
from relax.strategy import VmapStrategy

warnings.filterwarnings("ignore")


def network(layers, place, own):
    """A function of inputs in the order `own` that gives the probabilities of both classes."""
    order = [place.index(column) for column in own]
    layers = [(jnp.array(kernel), jnp.array(bias)) for kernel, bias in layers]
    layers[0] = (layers[0][0][jnp.array(order)], layers[0][1])

    def predict(x):
        *hidden, (last, offset) = layers
        for kernel, bias in hidden:
            x = jax.nn.relu(x @ kernel + bias)
        positive = jax.nn.sigmoid(x @ last + offset)
        return jnp.concatenate([1 - positive, positive], axis=-1)

    return predict


def decoded(units, features, train, names):
    """A list of rows for each row asked, of units [q, k, w]."""
    columns, start = {}, 0
    for name, levels in features:
        part = units[..., start : start + max(1, len(levels))]
        start += part.shape[-1]
        low, high = (0, 1) if levels else (train[name].min(), train[name].max())
        columns[name] = (
            np.array(levels, dtype=object)[part.argmax(-1)]
            if levels
            else low + part[..., 0] * (high - low)
        )
    q, k = units.shape[:2]
    return [[[columns[n][i, j] for n in names] for j in range(k)] for i in range(q)]


def main(task):
    """Answers of all rows, the seconds of each run, and the network's scores as relax has it."""
    train = pd.DataFrame(task["train"])
    names = list(train.columns)
    config = {
        "data_dir": ".",
        "data_name": "data",
        "continous_cols": task["continuous"],
        "discret_cols": task["categorical"],
    }
    data = DataModule.from_config(config, train.assign(outcome=task["outcome"]))
    features = [(name, []) for name in task["continuous"]]
    features += [(name, sorted(train[name].unique())) for name in task["categorical"]]
    own = [(name, level) for name, levels in features for level in levels or [None]]
    predict = network(task["layers"], [tuple(column) for column in task["columns"]], own)
    # `transform` leaves out the last column, whatever it is.
    xs = jnp.asarray(data.transform(pd.DataFrame(task["rows"]).assign(outcome=0)))
    method = prepare_cf_module(DiverseCF({"n_cfs": task["k"]}), data, predict)
    keys = jax.random.split(jax.random.PRNGKey(task["seed"]), len(xs))

    @jax.jit
    def explain(xs, keys):
        return VmapStrategy()(method.generate_cf, xs, predict, 1 - predict(xs), keys)

    def timed():
        start = time.perf_counter()
        units = explain(xs, keys).block_until_ready()
        return units, time.perf_counter() - start

    _, compiling = timed()
    runs = [timed() for _ in range(task["repeats"])]
    units = np.asarray(runs[0][0], dtype=np.float64)
    return {
        "answers": decoded(units.reshape(len(xs), -1, units.shape[-1]), features, train, names),
        "seconds": [seconds for _, seconds in runs],
        "compiling": compiling,
        "scores": np.asarray(predict(xs))[:, 1].tolist(),
    }


if __name__ == "__main__":
    result = main(json.loads(Path(sys.argv[1]).read_text()))
    Path(sys.argv[2]).write_text(json.dumps(result, default=float))
