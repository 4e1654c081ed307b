"""`ifonly explain`: answers to the rows of a file."""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from rich.text import Text

from ifonly import certificates
from ifonly.answers import Answers
from ifonly.cli.failing import failures, tell_reasons, with_reasons
from ifonly.cli.output import check_writable, deliver
from ifonly.cli.reading import read_rule_file, read_table
from ifonly.cli.stating import as_ordinal, as_row_rules, as_weights, number_of
from ifonly.cli.talking import rows_done, talk
from ifonly.errors import DataError, OptionError, TargetError, nearest
from ifonly.explainer import Explainer
from ifonly.models.files import load_model
from ifonly.rules import Rule
from ifonly.space import Space


class Format(StrEnum):
    """How answers are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    HTML = "html"
    PARQUET = "parquet"


Rows = Annotated[Path, typer.Argument(help="The rows to explain: CSV or Parquet.")]
Data = Annotated[Path, typer.Option(help="The rows that the model was trained on.")]
Model = Annotated[Path, typer.Option(help="The model: .skops, or .joblib and .pkl when trusted.")]
Outcome = Annotated[str, typer.Option(help="The outcome column of the files; it is left out.")]
Target = Annotated[str, typer.Option(help="The wanted class, 'opposite', or a range LOW..HIGH.")]
K = Annotated[int, typer.Option("-k", help="How many answers to each row.")]
Rules = Annotated[
    list[str] | None, typer.Option("--rule", help="For example 'age only increases'.")
]
RuleFile = Annotated[
    Path | None, typer.Option("--rules", help="A file of rules: one a line, or a JSON list.")
]
RowRules = Annotated[
    list[str] | None,
    typer.Option("--row-rule", help="Of one row, by its position from 0: '3: age fixed'."),
]
Written = Annotated[
    Format | None, typer.Option("--format", help="By default what --out ends in, else a table.")
]
Out = Annotated[Path | None, typer.Option(help="The file to write, in place of stdout.")]
Trust = Annotated[bool, typer.Option("--trust-pickle", help="Open files that can run code.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same answers.")]
Method = Annotated[str, typer.Option(help="How answers are searched for.")]
Diversity = Annotated[float, typer.Option(help="From 0 (closest) to 1 (widest).")]
Threshold = Annotated[float | None, typer.Option(help="The score that decides, if not 0.5.")]
Effort = Annotated[str, typer.Option(help="'small', 'base' or 'thorough'; 'auto' by the model.")]
Budget = Annotated[float | None, typer.Option(help="The most seconds; what is found is kept.")]
Minimal = Annotated[bool, typer.Option("--minimal", help="Only changes that are needed.")]
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
    float | None, typer.Option(help="Prove how near an answer can be: the most seconds a row.")
]
Failures = Annotated[
    bool, typer.Option("--explain-failures", help="Say why rows lack answers; takes longer.")
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
    trust_pickle: Trust = False,
    seed: Seed = 0,
    method: Method = "auto",
    diversity: Diversity = 0.55,
    threshold: Threshold = None,
    categorical: Named = None,
    ordinal: Orders = None,
    weight: Weights = None,
    effort: Effort = "auto",
    budget: Budget = None,
    minimal: Minimal = False,
    certify: Certify = None,
    explain_failures: Failures = False,
) -> None:
    """Explain rows: k checked ways in which each would have got another outcome.

    Exits with 0 where every row is answered, with 3 where some lack answers.
    """
    check_writable(out)
    train, asked, loaded = _inputs(rows, data, model, outcome, trust_pickle=trust_pickle)
    kinds: dict[str, Any] = {
        "categorical": categorical or (),
        "ordinal": as_ordinal(ordinal or (), train),
    }
    explainer = Explainer(
        loaded,
        data=train,
        rules=[*(rule or ()), *_rules_of(rules, train, kinds)],
        method=method,
        diversity=diversity,
        weights=as_weights(weight or (), train.columns),
        effort=effort,
        minimal=minimal,
        certify=certify or False,
        **kinds,
    )
    with rows_done("Explaining rows") as progress:
        answers = explainer.explain(
            asked,
            target=as_target(target, explainer.setting.model.classes),
            k=k,
            row_rules=as_row_rules(row_rule or (), len(asked)),
            threshold=threshold,
            seed=seed,
            budget=budget,
            progress=progress,
            keep=True,
        )
    _write(answers, written or _format_of(out), out, reasons=explain_failures)
    _end(answers)


def as_target(text: str, classes: tuple[Any, ...]) -> Any:
    """The target that a text means to a model: a class by its text, or a range LOW..HIGH.

    >>> as_target("1", (0, 1)), as_target("200..250.5", ()), as_target("..9", ())
    (1, (200.0, 250.5), (-inf, 9.0))
    """
    for known in classes:
        if str(known) == text or (isinstance(known, float) and number_of(text) == known):
            return known
    ends = re.fullmatch(r"(.*)\.\.(.*)", text)
    low, high = (ends[1], ends[2]) if ends else ("", "")
    bounds = (number_of(low or "-inf"), number_of(high or "inf"))
    if ends and (low or high) and None not in bounds:
        return bounds
    if not classes:
        raise TargetError(
            f"The model predicts numbers, and {text!r} is not a range of them.",
            "Give --target LOW..HIGH, such as 200..250; an end may be left out.",
        )
    return text


def _inputs(
    rows: Path, data: Path, model: Path, outcome: str, *, trust_pickle: bool
) -> tuple[pd.DataFrame, pd.DataFrame, Any]:
    """The training features, the rows asked, and the model."""
    train = read_table(data)
    asked = read_table(rows, like=train)
    loaded = load_model(model, trust_pickle=trust_pickle)
    if outcome:
        train, asked = _without(outcome, train, asked)
    else:
        _check_features(train, loaded)
    return train, asked, loaded


def _rules_of(path: Path | None, train: pd.DataFrame, kinds: dict[str, Any]) -> tuple[Rule, ...]:
    """The rules of a file, if there is one."""
    return () if path is None else read_rule_file(path, Space.infer(train, **kinds))


def _without(outcome: str, *frames: pd.DataFrame) -> list[pd.DataFrame]:
    """The frames without the outcome column; one of them has it."""
    if not any(outcome in frame.columns for frame in frames):
        raise DataError(
            f"The files have no outcome column {outcome!r}.",
            f"{nearest(outcome, frames[0].columns)} Without one, leave --outcome out.",
        )
    return [frame.drop(columns=outcome, errors="ignore") for frame in frames]


def _check_features(train: pd.DataFrame, model: Any) -> None:
    """Refuse an outcome column that is left in, in the words of the command line."""
    known = list(getattr(model, "feature_names_in_", train.columns))
    extra = [name for name in train.columns if name not in known]
    if extra:
        raise DataError(
            f"The training file has the column {extra[0]!r}, which the model was not trained on.",
            f"If it is the outcome, add --outcome {extra[0]!r}.",
        )


def _format_of(out: Path | None) -> Format:
    ending = "" if out is None else out.suffix.lower().removeprefix(".")
    return Format(ending) if ending in [str(known) for known in Format] else Format.TABLE


def _write(answers: Answers, written: Format, out: Path | None, *, reasons: bool) -> None:
    told = failures(answers) if reasons else {}
    if written is Format.TABLE:
        deliver(with_reasons(answers, told), out)
        return
    if written is Format.JSON:
        deliver(answers.to_json() + "\n", out)
    elif written is Format.CSV:
        deliver(answers.frame().to_csv(index=False), out)
    elif written is Format.PARQUET:
        if out is None:
            raise OptionError(
                "Parquet is no text for stdout.", "Name a file: --out answers.parquet."
            )
        answers.to_parquet(out)
        talk().print(Text(f"Written: {out}"))
    else:
        deliver(answers.to_html(), out)
    tell_reasons(answers, told)


def _end(answers: Answers) -> None:
    """Say how it went, and end with 3 where rows lack answers."""
    counts = Counter(str(status) for status in answers.status)
    told = ", ".join(f"{count} {status}" for status, count in counts.items())
    talk().print(f"{len(answers)} row{'s' if len(answers) > 1 else ''}: {told}.")
    if answers.bound is not None:
        proofs = certificates.lines(answers)
        proved, gaps = int(proofs["proved"].sum()), proofs["gap"]
        rest = "" if proved == len(answers) else f"; the widest gap is {gaps.max():.1%}"
        talk().print(f"Proved that none is nearer for {proved} of {len(answers)}{rest}.")
    if not all(status.answered for status in answers.status):
        raise typer.Exit(3)
