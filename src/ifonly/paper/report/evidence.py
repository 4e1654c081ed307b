"""The figures that claims are decided by: ours from a run, the authors' from their records."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ifonly.datasets import load
from ifonly.paper.authors.facts import DATA, KINDS
from ifonly.paper.authors.records import Records
from ifonly.paper.claims import Evidence
from ifonly.paper.experiments.training import OVERSAMPLED
from ifonly.paper.runs.results import Results
from ifonly.space import Space


def ours(results: Results) -> Evidence:
    """What a run gave."""
    return Evidence(
        sets=results.sets(),
        boundary=results.boundary(),
        linear=results.linear(),
        models=results.table("models"),
        causal=results.table("causal"),
        lambdas=results.table("lambdas"),
        losses=results.table("losses"),
        qualitative=results.table("qualitative"),
    )


def theirs(records: Records, data: tuple[str, ...]) -> Evidence:
    """What the authors recorded, of some data sets; their weights are asked here."""
    sets, boundary = records.sets(), records.boundary()
    return Evidence(
        sets=sets[sets["data"].isin(data)].assign(over="full"),
        boundary=boundary[boundary["data"].isin(data)],
        models=weights_table(records, data),
    )


def weights_table(records: Records, data: tuple[str, ...]) -> pd.DataFrame:
    """One line a data set and kind of model: what the authors' weights reach on the test part."""
    lines = []
    for name in data:
        train, test = load(name).split()
        space = Space.infer(train.features, categorical=train.categorical)
        codes = space.codes(test.features)
        for kind in KINDS:
            model = records.network(name, kind, space)
            said = np.array(model.classes)[np.asarray(model.scores(codes)).argmax(axis=1)]
            lines.append(
                {
                    "data": name,
                    "model": kind,
                    "method": OVERSAMPLED,
                    "accuracy": float(np.mean(said == test.outcome.to_numpy())),
                    "predicts_desired": float(np.mean(said == test.desired)),
                }
            )
    return pd.DataFrame(lines)


def pooled(results: pd.DataFrame, records: Records) -> pd.DataFrame:
    """One line a data set and k: the share of valid and unique answers, the authors' and ours.

    The outcomes are pooled, each as often as the authors asked for it.
    """
    theirs_by = records.sets().set_index(["data", "method", "k", "outcome"])["valid_unique"]
    lines = []
    for method in ("DiverseCF", "DiverseCF-Sparse"):
        own = results[
            (results["method"] == method)
            & (results["outcome"] == "both")
            & (results["over"] == "all")
        ]
        for data, k, share in zip(own["data"], own["k"], own["valid_unique"], strict=True):
            counts = records.counts(data)
            shares = [theirs_by.get((data, method, k, one), np.nan) for one in counts]
            recorded = float(np.average(shares, weights=list(counts.values())))
            lines.append(
                {
                    "data set": DATA[data].title,
                    "method": method,
                    "k": k,
                    "authors' records": recorded,
                    "here": share,
                    # The records are rounded to 0.001 of a percent.
                    "at least as many": share >= recorded - 1e-5,
                }
            )
    return pd.DataFrame(lines)
