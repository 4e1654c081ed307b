"""The tables of the report: what the paper prints beside what comes out here."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ifonly.datasets import Dataset, load
from ifonly.errors import FileError
from ifonly.paper.authors.facts import DATA, DIVERSE, KINDS, LIME, OURS, RADII, SET_METRICS, SPARSE
from ifonly.paper.authors.records import Records
from ifonly.paper.claims import Evidence
from ifonly.paper.experiments.training import AS_IT_IS, OVERSAMPLED


def described(data: tuple[str, ...]) -> pd.DataFrame:
    """The paper's table 'Dataset description', recomputed: a line a fact, paper and here."""
    lines = []
    for name in data:
        facts = DATA[name]
        try:
            dataset = load(name)
        except FileError:
            continue
        train, test = dataset.split()
        numbers, levels = _range(dataset), _levels(dataset)
        share = float((dataset.outcome == dataset.desired).mean())
        summary = {
            "continuous and categorical features": (
                f"{facts.features[0]} and {facts.features[1]}",
                f"{len(dataset.continuous)} and {len(dataset.categorical)}",
            ),
            "range of numbers (least, mean, most)": (_triple(facts.range_of_numbers), numbers),
            "levels (fewest, mean, most)": (_triple(facts.levels), levels),
            "training rows": (
                f"{facts.train_size:,}",
                f"{len(train.features):,} (test {len(test.features):,})",
            ),
            "share with the desired outcome": (f"{facts.desired_share:.2f}", f"{share:.2f}"),
        }
        for fact, (paper, here) in summary.items():
            lines.append({"data set": facts.title, "fact": fact, "paper": paper, "here": here})
    return pd.DataFrame(lines)


def accuracies(models: pd.DataFrame, weights: pd.DataFrame | None) -> pd.DataFrame:
    """The eight test accuracies: the paper's, ours with and without oversampling, the authors'.

    Beside each accuracy stands the share of test rows that get the desired outcome.
    """
    lines = []
    for data, facts in DATA.items():
        for kind, title in KINDS.items():
            line = {"data set": facts.title, "model": title, "paper": facts.accuracy[kind]}
            for method, name in ((OVERSAMPLED, "oversampled"), (AS_IT_IS, "as it is")):
                line |= _accuracy(models, data, kind, method, name)
            if weights is not None:
                line |= _accuracy(weights, data, kind, OVERSAMPLED, "authors' weights")
            lines.append(line)
    return pd.DataFrame(lines)


def against_lime(boundary: pd.DataFrame, k: int) -> pd.DataFrame:
    """F1, precision and recall of DiverseCF, ifonly and LIME for every outcome, at one k."""
    if boundary.empty:
        return pd.DataFrame()
    lines = []
    for data, facts in DATA.items():
        for outcome in (facts.plotted, *(set(facts.outcomes.values()) - {facts.plotted})):
            for radius in RADII:
                part = boundary[
                    (boundary["data"] == data)
                    & (boundary["outcome"] == outcome)
                    & (boundary["radius"] == radius)
                    & (boundary["k"] == k)
                ].set_index("method")
                line = {
                    "data set": facts.title,
                    "outcome": outcome,
                    "drawn in the paper": outcome == facts.plotted,
                    "radius": f"{radius:g} MAD",
                }
                for method in (DIVERSE, SPARSE, OURS, LIME):
                    for name in ("f1", "precision", "recall"):
                        known = method in part.index
                        line[f"{method} {name}"] = part.loc[method, name] if known else np.nan
                lines.append(line)
    return pd.DataFrame(lines).dropna(how="all", subset=[f"{DIVERSE} f1", f"{LIME} f1"])


def beside_ours(sets: pd.DataFrame, k: int) -> pd.DataFrame:
    """The set metrics of ifonly beside those of DiverseCF-Sparse, outcomes pooled, at one k."""
    if sets.empty:
        return pd.DataFrame()
    part = sets[(sets["outcome"] == "both") & (sets["over"] == "full") & (sets["k"] == k)]
    names = {**SET_METRICS, "distance": "Distance", "changed": "Features changed", "det": "det K"}
    lines = [
        {
            "data set": DATA[str(line["data"])].title,
            "method": line["method"],
            **{title: line[name] for name, title in names.items()},
        }
        for _, line in part[part["method"].isin([SPARSE, OURS])].iterrows()
    ]
    return pd.DataFrame(lines)


def echoed(echo: pd.DataFrame, records: Records | None) -> pd.DataFrame:
    """F1 of the authors' own Adult counterfactuals at k = 4: their record, and by each sampling."""
    if echo.empty or records is None:
        return pd.DataFrame()
    recorded = records.boundary()
    recorded = recorded[(recorded["data"] == "adult") & (recorded["k"] == 4)]
    # The cell's own method and k are those of its name; the lines carry the variants.
    wide = echo.pivot_table(
        index=["variant", "outcome", "radius"], columns="sampling", values="f1"
    ).reset_index()
    key = recorded.set_index(["method", "outcome", "radius"])["f1"]
    places = zip(wide["variant"], wide["outcome"], wide["radius"], strict=True)
    wide.insert(3, "authors' record", [float(key[place]) for place in places])
    titles = {
        "variant": "method",
        "sphere": "sphere, independent",
        "box": "box, independent",
        "tied": "box, as the authors drew",
    }
    return wide.rename(columns=titles).rename_axis(columns=None)


def _accuracy(
    table: pd.DataFrame, data: str, kind: str, method: str, name: str
) -> dict[str, float]:
    part = table
    if not table.empty:
        part = table[
            (table["data"] == data) & (table["model"] == kind) & (table["method"] == method)
        ]
    if part.empty:
        return {name: np.nan, f"{name}: desired": np.nan}
    line = part.iloc[0]
    return {name: float(line["accuracy"]), f"{name}: desired": float(line["predicts_desired"])}


def _range(dataset: Dataset) -> str:
    numbers = dataset.features[list(dataset.continuous)]
    mean = float(numbers.to_numpy(dtype=float).mean())
    return _triple((float(numbers.min().min()), mean, float(numbers.max().max())))


def _levels(dataset: Dataset) -> str:
    counts = dataset.features[list(dataset.categorical)].nunique()
    return _triple((int(counts.min()), float(counts.mean()), int(counts.max())))


def _triple(numbers: tuple[float, float, float]) -> str:
    summary = (f"{one:,.0f}" if abs(one) >= 1000 else f"{one:.4g}" for one in numbers)
    return f"({', '.join(summary)})"


def accuracy_notes(table: pd.DataFrame) -> list[str]:
    """What explains the differences from the paper's accuracies, in figures of the table."""
    notes = []
    for _, line in table.iterrows():
        gap = line["oversampled"] - line["paper"]
        if not abs(gap) > 0.015:
            continue
        summary = (
            f"{line['data set']}, {str(line['model']).lower()}: {line['oversampled']:.3f} where "
            f"the paper has {line['paper']:.2f}. With the minority oversampled to parity the model "
            f"gives the desired outcome to {line['oversampled: desired']:.0%} of the test rows, "
            f"without oversampling to {line['as it is: desired']:.0%} (accuracy "
            f"{line['as it is']:.3f})"
        )
        if "authors' weights" in table.columns and not np.isnan(line["authors' weights"]):
            theirs, share = line["authors' weights"], line["authors' weights: desired"]
            summary += f"; the authors' weights give it to {share:.0%} and reach {theirs:.3f}"
            shares = sorted([line["oversampled: desired"], line["as it is: desired"]])
            if shares[0] < share < shares[1] and theirs > line["oversampled"]:
                summary += ", between the two: they were oversampled to less than parity"
        notes.append(f"{summary}.")
    return notes


def evidence_tables(evidence: Evidence) -> dict[str, pd.DataFrame]:
    """The whole tables behind charts and claims, by the name of their file."""
    found = {
        "sets": evidence.sets,
        "boundary": evidence.boundary,
        "linear": evidence.linear,
        "lambdas": evidence.lambdas,
        "losses": evidence.losses,
        "causal": evidence.causal,
    }
    return {name: table for name, table in found.items() if not table.empty}
