"""`ifonly explain`: answers to the rows of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from ifonly.cli.finish import Format, output_of
from ifonly.cli.messages import say
from ifonly.cli.options import (
    as_groups,
    as_method,
    as_robust,
    as_row_rules,
    as_target,
    as_tolerance,
    as_weights,
    as_workers,
)
from ifonly.explainer import Explainer
from ifonly.models.adapters.table import encoded_levels
from ifonly.solve.question import Budget as Limit
from ifonly.space import Space
from ifonly.tables.columns import Words
from ifonly.tables.files import read_rule_file, read_table
from ifonly.tables.orders import as_ordinal
from ifonly.tables.training import check_features, open_model, without

Rows = Annotated[Path, typer.Argument(help="The rows to explain: CSV or Parquet.")]
Data = Annotated[Path, typer.Option(help="The rows that the model was trained on.")]
Model = Annotated[
    Path,
    typer.Option(
        help="The model: .skops, .onnx, a booster's file; .joblib, .pkl, .pt2, a folder of MLflow "
        "or AutoGluon when trusted."
    ),
]
Outcome = Annotated[str, typer.Option(help="The outcome column of the files; it is left out.")]
Target = Annotated[
    str, typer.Option(help="The wanted class, 'opposite', 'other', or a range LOW..HIGH.")
]
K = Annotated[int, typer.Option("-k", "--k", help="How many answers per row.")]
Rules = Annotated[
    list[str] | None,
    typer.Option(
        "--rule", help="For example 'age only increases'; 'suggested': those of the data."
    ),
]
RuleFile = Annotated[
    Path | None,
    typer.Option(
        "--rules", help="A file of rules: one per line, # before a comment; or a JSON list."
    ),
]
RowRules = Annotated[
    list[str] | None,
    typer.Option("--row-rule", help="A rule for one row, by its position from 0: '3: age fixed'."),
]
Written = Annotated[
    Format | None, typer.Option("--format", help="By default the ending of --out, else a table.")
]
Out = Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")]
TrustPickle = Annotated[bool, typer.Option("--trust-pickle", help="Open files that can run code.")]
Trust = Annotated[
    list[str] | None, typer.Option(help="A type that a .skops file may hold, by its exact name.")
]
Inputs = Annotated[
    str,
    typer.Option(
        help="What makes the input of a torch module: the file of a fitted transformer, or 'units'."
    ),
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same answers.")]
Method = Annotated[str, typer.Option(help="The search method.")]
Diversity = Annotated[
    float | None, typer.Option(help="From 0 (closest) to 1 (most diverse); 0.55 by default.")
]
Threshold = Annotated[float | None, typer.Option(help="The score that decides, if not 0.5.")]
Effort = Annotated[
    str | None, typer.Option(help="'small', 'base' or 'thorough'; by default, by the model.")
]
Device = Annotated[
    str | None, typer.Option(help="Search on a device of torch, such as 'cuda': a GPU.")
]
Budget = Annotated[
    float | None, typer.Option(help="The most seconds; what is found by then is kept.")
]
Workers = Annotated[str, typer.Option(help="How many processes answer the rows, or 'all' cores.")]
Needed = Annotated[bool, typer.Option("--needed/--no-needed", help="Only changes that are needed.")]
Tight = Annotated[bool, typer.Option("--tight/--no-tight", help="Numbers no further than needed.")]
Round = Annotated[
    bool, typer.Option("--round-numbers/--no-round-numbers", help="Prefer round numbers.")
]
Named = Annotated[
    list[str] | None, typer.Option(help="A column of numbers that are names of categories.")
]
Orders = Annotated[
    list[str] | None,
    typer.Option("--ordinal", help="Levels, lowest first: 'education: school, college'."),
]
Weights = Annotated[
    list[str] | None,
    typer.Option("--weight", help="The price of a change: 'age=2', 'income=up 3, down 1'."),
]
Certify = Annotated[
    float | None, typer.Option(help="Prove how near an answer can be: the most seconds per row.")
]
Usual = Annotated[
    float | None,
    typer.Option("--plausible", help="As usual as this share of the training rows: 0.05."),
]
Others = Annotated[
    list[Path] | None, typer.Option("--robust", help="Another model that must agree; repeatable.")
]
Share = Annotated[float | None, typer.Option(help="The share of them that must agree.")]
Deviations = Annotated[
    float | None,
    typer.Option(help="By how many standard deviations their mean score must lead: 1.6."),
]
Beyond = Annotated[float, typer.Option("--margin", help="How far beyond the threshold: 0.1.")]
Off = Annotated[
    list[str] | None,
    typer.Option(
        "--tolerance", help="The outcome stays if a number ends up off: 'income=500', or 0.1 of it."
    ),
]
Groups = Annotated[
    list[str] | None,
    typer.Option("--one-hot", help="Columns that are one category: 'job_a, job_b'; 'none': none."),
]
Thousands = Annotated[
    str, typer.Option(help="What stands between the thousands of numbers; '' for nothing.")
]
Fillable = Annotated[
    list[str] | None, typer.Option(help="A column in which answers may give a missing value.")
]
Erasable = Annotated[
    list[str] | None, typer.Option(help="A column in which answers may leave out the value.")
]
Carry = Annotated[
    list[str] | None,
    typer.Option("--carry", help="A column that is no feature: answers keep it as the row has it."),
]
Failures = Annotated[
    bool, typer.Option("--explain-failures", help="Say why rows lack answers; takes longer.")
]
Missing = Annotated[
    list[str] | None,
    typer.Option("--missing", help="A word that means a missing value; an empty field does too."),
]
Safe = Annotated[
    bool, typer.Option("--spreadsheet-safe", help="CSV in which no text runs as a formula.")
]


def explain(
    rows: Rows,
    *,
    data: Data,
    model: Model,
    outcome: Outcome = "",
    target: Target = "opposite",
    k: K = 4,
    rule: Rules = None,
    rules: RuleFile = None,
    row_rule: RowRules = None,
    written: Written = None,
    out: Out = None,
    trust_pickle: TrustPickle = False,
    trust: Trust = None,
    inputs: Inputs = "",
    seed: Seed = 0,
    method: Method = "auto",
    diversity: Diversity = None,
    threshold: Threshold = None,
    categorical: Named = None,
    ordinal: Orders = None,
    weight: Weights = None,
    effort: Effort = None,
    device: Device = None,
    budget: Budget = None,
    workers: Workers = "1",
    needed: Needed = True,
    tight: Tight = True,
    round_numbers: Round = True,
    certify: Certify = None,
    plausible: Usual = None,
    robust: Others = None,
    robust_share: Share = None,
    robust_deviations: Deviations = None,
    margin: Beyond = 0.0,
    tolerance: Off = None,
    one_hot: Groups = None,
    thousands: Thousands = ",",
    fillable: Fillable = None,
    erasable: Erasable = None,
    carry: Carry = None,
    explain_failures: Failures = False,
    missing: Missing = None,
    spreadsheet_safe: Safe = False,
) -> None:
    """Explain rows: k checked ways in which each would have got another outcome.

    Exits with 0 where every row is answered, with 3 where some lack answers. Ctrl-C ends the search
    with 130, and what is finished is written.
    """
    output = output_of(written, out, safe=spreadsheet_safe, reasons=explain_failures)
    own = open_model(model, inputs, trust_pickle=trust_pickle, trust=trust or ())
    train, asked = inputs_of(rows, data, outcome, own, missing or ())
    more = {"fillable": fillable, "erasable": erasable, "carry": carry, "categorical": categorical}
    space = stated_space(train, own, outcome, ordinal, weight, one_hot, thousands=thousands, **more)
    lines = [*(rule or ()), *(() if rules is None else read_rule_file(rules, space))]
    way, most = as_method(method, effort, device, needed, tight, round_numbers), Limit.of(budget)
    ask: dict[str, Any] = {"threshold": threshold, "diversity": diversity, "seed": seed, "k": k}
    ask |= {"certify": certify or False, "plausible": plausible, "budget": most, "keep": True}
    ask |= {"margin": margin, "tolerance": as_tolerance(tolerance or (), space.names)}
    ask |= {"robust": as_robust(robust or (), robust_share, robust_deviations, trust_pickle, trust)}
    ask |= {"row_rules": as_row_rules(row_rule, len(asked)), "workers": as_workers(workers)}
    own = Explainer(own, data=train, budget=most.to_prepare, space=space, rules=lines, method=way)
    output.write(own.explain(asked, target=as_target(target, own.setting.model.classes), **ask))


def stated_space(
    train: pd.DataFrame,
    model: Any,
    outcome: str,
    ordinal: Sequence[str] | None,
    weight: Sequence[str] | None,
    one_hot: Sequence[str] | None,
    *,
    thousands: str,
    **named: list[str] | None,
) -> Space:
    """What the options say about the features, of which the model knows all."""
    prices, orders = as_weights(weight or (), train.columns), as_ordinal(ordinal or (), train)
    more: dict[str, Any] = {option: columns or () for option, columns in named.items()}
    more |= {"weights": prices, "one_hot": as_groups(one_hot), "thousands": thousands}
    space = Space.infer(train, ordinal=orders, **more)
    check_features(space.names, None if outcome else model)
    return space


def inputs_of(
    rows: Path, data: Path, outcome: str, model: Any, missing: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The training features and the rows asked, read as the model was fitted."""
    words = Words(missing, encoded_levels(model))
    train = read_table(data, words=words, say=say)
    asked = read_table(rows, like=train, words=words, say=say)
    if outcome:
        train, asked = without(outcome, train, asked)
    for name, values in words.unknown(train).items():
        say(f"The model's encoder does not know {', '.join(map(repr, values[:5]))} of {name!r}.")
    return train, asked
