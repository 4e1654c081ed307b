"""`ifonly audit`: whether recourse is equal for the groups of a file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from ifonly.cli import explain as asking
from ifonly.cli import terminal as tables
from ifonly.cli.messages import say
from ifonly.cli.options import as_robust, as_target, as_tolerance, as_workers
from ifonly.cli.output import check_writable, deliver
from ifonly.errors import DataError, OptionError, nearest
from ifonly.explainer import Explainer
from ifonly.fairness.audited import audited, checked_terms
from ifonly.fairness.groups import read_groups
from ifonly.fairness.result import Audit
from ifonly.models.adapters.names import own_names
from ifonly.solve.question import Budget as Limit
from ifonly.tables.files import read_rule_file, read_table
from ifonly.tables.training import open_model


class Format(StrEnum):
    """How an audit is written."""

    TABLE = "table"
    JSON = "json"


Rows = Annotated[Path, typer.Argument(help="The rows to audit, accepted and refused.")]
Target = Annotated[str, typer.Option(help="The class that people want, or a range LOW..HIGH.")]
Group = Annotated[
    list[str] | None,
    typer.Option("--group", help="A column of the rows; numbers with cuts: 'age: 25, 45, 65'."),
]
Beside = Annotated[
    Path | None,
    typer.Option("--groups", help="A table of groups, a line per row: CSV or Parquet."),
]
Written = Annotated[Format | None, typer.Option("--format", help="By default the ending of --out.")]
Report = Annotated[Path | None, typer.Option(help="The HTML report to write.")]
K = Annotated[int, typer.Option("-k", "--k", help="How many answers per refused row.")]
Within = Annotated[float | None, typer.Option(help="The budget of effectiveness, a distance.")]
Part = Annotated[float, typer.Option("--share", help="The share that cost and choice speak of.")]
Least = Annotated[int, typer.Option(help="Groups of fewer refused rows are not compared.")]


def audit(
    context: typer.Context,
    rows: Rows,
    *,
    data: asking.Data,
    model: asking.Model,
    target: Target,
    group: Group = None,
    groups: Beside = None,
    outcome: asking.Outcome = "",
    rule: asking.Rules = None,
    rules: asking.RuleFile = None,
    written: Written = None,
    out: asking.Out = None,
    report: Report = None,
    k: K = 4,
    within: Within = None,
    share: Part = 0.5,
    least: Least = 30,
    trust_pickle: asking.TrustPickle = False,
    trust: asking.Trust = None,
    inputs: asking.Inputs = "",
    seed: asking.Seed = 0,
    method: asking.Method = "auto",
    threshold: asking.Threshold = None,
    categorical: asking.Named = None,
    ordinal: asking.Orders = None,
    weight: asking.Weights = None,
    budget: asking.Budget = None,
    workers: asking.Workers = "1",
    certify: asking.Certify = None,
    plausible: asking.Usual = None,
    robust: asking.Others = None,
    robust_share: asking.Share = None,
    robust_deviations: asking.Deviations = None,
    margin: asking.Beyond = 0.0,
    tolerance: asking.Off = None,
    missing: asking.Missing = None,
) -> None:
    """Audit a model: is recourse equal for the groups of these rows?

    Exits with 0 where every row was measured, with 3 where some were left out; the report and the
    JSON count them.
    """
    check_writable(out)
    check_writable(report)
    own = open_model(model, inputs, trust_pickle=trust_pickle, trust=trust or ())
    train, asked = asking.inputs_of(rows, data, outcome, own, missing or ())
    names, cuts = as_cuts(group or ())
    terms = checked_terms(share, within, least, seed)
    known = read_groups(_beside(names, groups, asked), asked, cuts)
    train, more = train.drop(columns=_unread(names, own, train)), (ordinal, weight, None)
    space = asking.stated_space(train, own, outcome, *more, thousands=",", categorical=categorical)
    lines = [*(rule or ()), *(() if rules is None else read_rule_file(rules, space))]
    over: dict[str, Any] = {"data": train, "space": space, "rules": lines, "method": method}
    explainer = Explainer(own, budget=(most := Limit.of(budget)).to_prepare, **over)
    ask: dict[str, Any] = {"k": k, "threshold": threshold, "certify": certify or False}
    ask |= {"plausible": plausible, "margin": margin, "budget": most}
    ask |= {"robust": as_robust(robust or (), robust_share, robust_deviations, trust_pickle, trust)}
    ask |= {"tolerance": as_tolerance(tolerance or (), space.names)}
    ask |= {"workers": as_workers(workers)}
    ask["target"] = as_target(target, explainer.setting.model.classes)
    result = audited(explainer, asked, known, terms, **ask)
    command = shlex.join(["ifonly", *context.obj])
    finish(replace(result, record={**result.record, "command": command}), written, out, report)


def finish(audit: Audit, written: Format | None, out: Path | None, report: Path | None) -> None:
    """Write an audit, say what was left out, and end with the exit code that it deserves."""
    json = out is not None and out.suffix.lower() == ".json"
    chosen = written or (Format.JSON if json else Format.TABLE)
    if report is not None:
        deliver(audit.to_html(), report)
    deliver(audit.to_json() if chosen is Format.JSON else tables.by_group(audit.by_group), out)
    for note in audit.notes:
        say(note)
    if audit.record["left_out"]:
        raise typer.Exit(3)


def as_cuts(texts: Sequence[str]) -> tuple[list[str], dict[str, list[float]]]:
    """The attributes that texts name, and where their groups begin.

    >>> as_cuts(["sex", "age: 25, 45"])
    (['sex', 'age'], {'age': [25.0, 45.0]})
    """
    names: list[str] = []
    cuts: dict[str, list[float]] = {}
    for text in texts:
        match = re.fullmatch(r"\s*(.+?)\s*:\s*([^:]+)", text)
        name, numbers = (match[1], match[2]) if match else (text.strip(), "")
        try:
            edges = [float(one) for one in numbers.split(",") if one.strip()]
        except ValueError:
            raise OptionError(
                f"--group {text!r} has cuts that are no numbers.", "Write --group 'age: 25, 45'."
            ) from None
        names.append(name)
        cuts |= {name: edges} if edges else {}
    return names, cuts


def _beside(names: list[str], path: Path | None, rows: pd.DataFrame) -> Any:
    """The names of columns of the rows; or, of a file beside them, what is named, or all."""
    if path is None:
        if not names:
            raise OptionError(
                "No groups are named.", "Add --group COLUMN, or --groups FILE with a line per row."
            )
        return names
    frame = read_table(path, say=say)
    for name in names:
        if name not in frame.columns and name not in rows.columns:
            known = [*frame.columns, *rows.columns]
            raise DataError(f"Neither file has a column {name!r}.", nearest(name, known))
    if len(frame) != len(rows):
        raise DataError(
            f"{str(path)!r} has {len(frame)} lines, and there are {len(rows)} rows.",
            "Give a line for each row, in the order of the rows.",
        )
    frame.index = rows.index
    chosen = [name for name in names if name not in frame.columns]
    return pd.concat([frame, rows[chosen]], axis=1)[names or list(frame.columns)]


def _unread(names: list[str], model: Any, train: pd.DataFrame) -> list[str]:
    """The attributes in the training file that the model was not trained on."""
    columns = list(map(str, train.columns))
    known = own_names(getattr(model, "feature_names_in_", ()), columns)
    return [name for name in names if known and name in columns and name not in known]
