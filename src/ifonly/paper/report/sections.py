"""The sections of the report, in the order of the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from ifonly.paper.authors.facts import DATA, EXACT, LIME, SET_METRICS
from ifonly.paper.experiments.linear import METHODS as LINEAR_METHODS
from ifonly.paper.experiments.sets import METHODS
from ifonly.paper.report import figures, tables
from ifonly.paper.report.claims_page import RULES, claims_table, counted
from ifonly.paper.report.contradictions import contradictions
from ifonly.paper.report.evidence import pooled
from ifonly.paper.report.findings import Findings
from ifonly.render.page_parts import Section, listed, not_run, picture, table, text

FIGURES = {"f1": "F1", "precision": "Precision", "recall": "Recall"}
DRAWN = (
    "Means over the rows where a method found all k, for the outcome that the paper draws; higher "
    "is better in every chart."
)


def charts(found: Findings) -> dict[str, Any]:
    """The figures of a run by name; one without any results is left out."""
    ours, theirs = found.ours, found.theirs
    drawn: dict[str, Any] = {}
    if not ours.sets.empty:
        recorded = None if theirs is None else theirs.sets
        drawn["sets"] = figures.set_metrics(ours.sets, recorded, METHODS)
    if not ours.linear.empty:
        over = _linear_over(ours.linear)
        drawn["linear"] = figures.set_metrics(ours.linear, None, LINEAR_METHODS, over=over)
    if not ours.boundary.empty:
        recorded = None if theirs is None else theirs.boundary
        for name in FIGURES:
            drawn[name] = figures.boundary(ours.boundary, recorded, name, (*METHODS, LIME))
    if not ours.causal.empty:
        drawn["causal"] = figures.causal(ours.causal)
    if not ours.lambdas.empty:
        drawn["lambdas"] = figures.lambdas(ours.lambdas)
    return drawn


def lead(found: Findings) -> str:
    """What this page is, in HTML: how it was run, and how many claims hold."""
    summary = counted(found.verdicts)
    plan, facts = found.plan, found.facts
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    models = "the authors' own weights" if plan.models == "published" else "trained here"
    return "".join(
        text(sentence)
        for sentence in (
            "The evaluation of 'Explaining Machine Learning Classifiers through Diverse "
            "Counterfactual Explanations' (Mothilal, Sharma and Tan, FAT* 2020), run again with "
            "ifonly: what the paper claims, what its authors recorded, what comes out here.",
            f"Of {len(found.verdicts)} checked sentences: {summary}.",
            f"Models: {models}. Up to {plan.rows} rows per data set, k = "
            f"{', '.join(map(str, plan.ks))}, seed {plan.seed}, boundary sampled in a "
            f"{plan.within} with {plan.samples} points per row.",
            f"{facts['date']}; {facts['processor']}, {facts['cores']} cores; "
            f"{facts['seconds']:.0f} seconds for this run, {found.results.seconds:.0f} seconds for "
            f"all kept cells one after the other; Python {facts['python']}; {versions}.",
        )
    )


def every(found: Findings, svgs: Mapping[str, bytes]) -> Iterator[Section]:
    """Every section, with the charts given as SVG."""
    yield Section("claims", "Claims", [table(claims_table(found.verdicts), RULES, "claims")])
    yield _contradictions(found)
    yield _models(found)
    yield _sets(found, svgs)
    yield _linear(found, svgs)
    yield _boundary(found, svgs)
    yield _qualitative(found)
    yield _causal(found, svgs)
    yield _lambdas(found, svgs)
    yield _cells(found)


def _contradictions(found: Findings) -> Section:
    lines = pd.DataFrame([vars(one) for one in contradictions(found.accuracy, found.echo)])
    return Section(
        "contradictions", "Where the paper contradicts itself or its records", [table(lines)]
    )


def _models(found: Findings) -> Section:
    accuracy = found.accuracy
    return Section(
        "models",
        "Data sets and models",
        [
            table(tables.described(found.plan.data), "The table 'Dataset description', recomputed"),
            table(accuracy, "Test accuracy, and the share of test rows given the desired outcome"),
            listed(tables.accuracy_notes(accuracy)),
        ],
    )


def _sets(found: Findings, svgs: Mapping[str, bytes]) -> Section:
    parts = [_chart(svgs, "sets", f"Set metrics on the non-linear models. {DRAWN}")]
    sets, records = found.ours.sets, found.records
    if records is not None and not sets.empty and found.plan.models == "published":
        beside = pooled(sets, records)
        enough = int(beside["at least as many"].sum())
        parts += [
            text(
                f"Unique valid answers, outcomes pooled: at least the published share in {enough} "
                f"of {len(beside)} cells."
            ),
            table(beside, "Unique valid share, all rows, outcomes pooled"),
        ]
    for k in (4, 10):
        parts.append(
            table(
                tables.beside_ours(sets, k),
                f"ifonly's default beside DiverseCF-Sparse at k = {k}, outcomes pooled",
            )
        )
    return Section("sets", "Validity, proximity and diversity", parts)


def _linear(found: Findings, svgs: Mapping[str, bytes]) -> Section:
    linear = found.ours.linear
    summary = (
        "means over the rows where MixedIntegerCF found all k (unique validity over all rows)"
        if not linear.empty and _linear_over(linear) == "full"
        else "means over all rows, since MixedIntegerCF was not run"
    )
    caption = (
        f"Set metrics on the linear models, {summary}; German-Credit, which the paper has in its "
        "supplement, included."
    )
    parts = [_chart(svgs, "linear", caption)]
    missing = [why for cell, why in found.results.missing.items() if cell.method == EXACT]
    if missing:
        parts.append(not_run(f"{EXACT}, {len(missing)} cells.", missing[0]))
    if not linear.empty:
        part = linear[(linear["over"] == "all") & (linear["outcome"] == "both")]
        shown = part[["data", "method", "k", *SET_METRICS]].rename(columns=SET_METRICS)
        shown["data"] = [DATA[one].title for one in shown["data"]]
        parts.append(table(shown, "Over all rows, outcomes pooled"))
    return Section("linear", "Linear models", parts)


def _linear_over(linear: pd.DataFrame) -> str:
    """The rows that means are drawn over: the paper's, where MixedIntegerCF was run."""
    return "full" if EXACT in set(linear["method"]) else "all"


def _boundary(found: Findings, svgs: Mapping[str, bytes]) -> Section:
    parts = [
        _chart(svgs, name, f"{title} of the counterfactual outcome, 1-NN and LIME. {DRAWN}")
        for name, title in FIGURES.items()
    ]
    parts.append(
        table(tables.against_lime(found.ours.boundary, 4), "Both outcomes, at k = 4, rows with all")
    )
    if not found.echo.empty:
        parts += [
            text(
                "The authors' own counterfactuals for Adult at k = 4 through the test of this "
                "library. Independent samples give less than their records; drawn as their code "
                "drew, with every feature started again from one seed, they come out as recorded."
            ),
            table(found.echo, "F1 of the authors' counterfactuals"),
        ]
    else:
        parts.append(not_run("the authors' own counterfactuals.", "Give --published FOLDER."))
    return Section("boundary", "The local decision boundary", parts)


def _qualitative(found: Findings) -> Section:
    examples = found.ours.qualitative
    parts = []
    for data in dict.fromkeys(examples["data"]) if not examples.empty else ():
        for method in dict.fromkeys(examples["method"]):
            part = examples[(examples["data"] == data) & (examples["method"] == method)]
            shown = part.drop(columns=["data", "model", "method", "k"]).dropna(axis=1, how="all")
            desired = DATA[data].title
            parts.append(table(shown, f"{desired}, {method}"))
    return Section("examples", "Examples", parts or [not_run("the qualitative table.")])


def _causal(found: Findings, svgs: Mapping[str, bytes]) -> Section:
    parts = [_chart(svgs, "causal", "Changes of education that nobody could follow (Adult).")]
    for cell, why in found.results.missing.items():
        if cell.experiment == "causal":
            parts.append(not_run(f"{cell.name}.", why))
    causal = found.ours.causal
    if not causal.empty:
        shown = causal.drop(columns=["data", "model", "method", "k"])
        parts.append(table(shown, "Infeasible changes, of all changes and of all answers"))
    return Section("causal", "Causal feasibility", parts)


def _lambdas(found: Findings, svgs: Mapping[str, bytes]) -> Section:
    parts = [_chart(svgs, "lambdas", "Proximity and diversity over a grid of lambdas, k = 4.")]
    losses = found.ours.losses
    if not losses.empty:
        shown = losses.rename(columns={"method": "yloss"}).drop(columns=["model", "k"])
        parts.append(table(shown, "Answers by the loss, k = 4"))
    return Section("lambdas", "The choice of lambda1, lambda2 and the loss", parts)


def _cells(found: Findings) -> Section:
    missing = [{"cell": cell.name, "why": why} for cell, why in found.results.missing.items()]
    return Section(
        "cells",
        "Cells",
        [
            text(f"{len(found.results.frames)} cells have results, {len(missing)} have none."),
            table(pd.DataFrame(missing), "Not run"),
            table(found.results.times(), "Seconds that the cells took"),
        ],
    )


def _chart(svgs: Mapping[str, bytes], name: str, caption: str) -> str:
    return picture(svgs[name], name, caption) if name in svgs else not_run(caption)
