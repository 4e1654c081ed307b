"""`ifonly batch`: answers to the rows of many files, shard by shard, and how far it is."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ifonly.cli import explain as single
from ifonly.cli.explain import stated_space
from ifonly.cli.messages import say, talk
from ifonly.cli.options import as_method, as_robust, as_target, as_tolerance, as_workers
from ifonly.cli.output import check_writable, deliver
from ifonly.errors import IfonlyError, OptionError
from ifonly.explainer import Explainer
from ifonly.models.adapters.table import encoded_levels
from ifonly.render.destination import write_file
from ifonly.scale.driver import Progress
from ifonly.scale.driver import explain as explain_files
from ifonly.scale.parts.export import write_table
from ifonly.scale.run import Run, open_run
from ifonly.scale.summary import Summary
from ifonly.tables.columns import Words
from ifonly.tables.files import read_rule_file, read_table
from ifonly.tables.training import open_model, without

EVERY = 10.0
"""The seconds between two lines about progress, where no terminal shows it."""
TOLD = 10
"""So many reasons of failures are listed."""

Rows = Annotated[
    list[str], typer.Argument(help="Parquet, CSV or .npy files, folders, globs or URLs.")
]
Out = Annotated[str, typer.Option(help="The folder, or the URL, that gets one part per shard.")]
Place = Annotated[str, typer.Argument(help="The folder or the URL that was given as --out.")]
On = Annotated[str, typer.Option(help="Where it runs: 'local', or the address of an engine.")]
Id = Annotated[str | None, typer.Option("--id", help="The column that tells rows apart.")]
ShardRows = Annotated[int | None, typer.Option(help="How many rows are written together.")]
Workers = Annotated[str, typer.Option(help="How many local processes, or 'all' cores.")]
PerRow = Annotated[
    int | None, typer.Option("--model-rows-per-row", help="The most model rows for each row.")
]
Json = Annotated[bool, typer.Option("--json", help="As JSON, on stdout.")]
File = Annotated[
    Path | None, typer.Option("--out", help="A .parquet, .csv or .json file; else CSV on stdout.")
]


class Batch(TyperGroup):
    """A group whose first word may also be a file of rows."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Rows are for the command 'run', which nobody has to name."""
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


def run(
    rows: Rows,
    *,
    data: single.Data,
    model: single.Model,
    out: Out,
    on: On = "local",
    id_column: Id = None,
    shard_rows: ShardRows = None,
    workers: Workers = "all",
    outcome: single.Outcome = "",
    target: single.Target = "opposite",
    k: single.K = 4,
    rule: single.Rules = None,
    rules: single.RuleFile = None,
    trust_pickle: single.TrustPickle = False,
    trust: single.Trust = None,
    inputs: single.Inputs = "",
    seed: single.Seed = 0,
    method: single.Method = "auto",
    diversity: single.Diversity = None,
    threshold: single.Threshold = None,
    categorical: single.Named = None,
    ordinal: single.Orders = None,
    weight: single.Weights = None,
    effort: single.Effort = None,
    device: single.Device = None,
    model_rows_per_row: PerRow = None,
    plausible: single.Usual = None,
    robust: single.Others = None,
    robust_share: single.Share = None,
    robust_deviations: single.Deviations = None,
    margin: single.Beyond = 0.0,
    tolerance: single.Off = None,
    one_hot: single.Groups = None,
    thousands: single.Thousands = ",",
    fillable: single.Fillable = None,
    erasable: single.Erasable = None,
    carry: single.Carry = None,
    missing: single.Missing = None,
) -> None:
    """Explain the rows of many files, as many as there are; started again, it goes on.

    Exits with 0 where every row is answered, with 3 where some lack answers. Ctrl-C ends it with
    130, and what is finished is kept.
    """
    own = open_model(model, inputs, trust_pickle=trust_pickle, trust=trust or ())
    words = Words(missing or (), encoded_levels(own))
    train = read_table(data, words=words, say=say)
    if outcome:
        (train,) = without(outcome, train)
    more = {"fillable": fillable, "erasable": erasable, "carry": carry, "categorical": categorical}
    space = stated_space(train, own, outcome, ordinal, weight, one_hot, thousands=thousands, **more)
    lines = [*(rule or ()), *(() if rules is None else read_rule_file(rules, space))]
    way = as_method(method, effort, device, True, True, True)
    ask: dict[str, Any] = {"threshold": threshold, "diversity": diversity, "seed": seed, "k": k}
    ask |= {"plausible": plausible, "margin": margin}
    ask |= {"tolerance": as_tolerance(tolerance or (), space.names)}
    ask |= {"robust": as_robust(robust or (), robust_share, robust_deviations, trust_pickle, trust)}
    if model_rows_per_row is not None:
        ask["budget"] = {"model_rows_per_row": model_rows_per_row}
    explainer = Explainer(own, data=train, space=space, rules=lines, method=way)
    ask["target"] = as_target(target, explainer.setting.model.classes)
    cuts = {"id": id_column, "shard_rows": shard_rows, "workers": as_workers(workers)}
    _run(explainer, rows, out, on=on, words=words, like=train.head(1000), **cuts, **ask)


def _run(explainer: Explainer, rows: list[str], out: str, **options: Any) -> None:
    """Explain the rows, and say how it goes and went."""
    try:
        with _Bar() as bar:
            ended = explain_files(explainer, rows, out=out, progress=bar.show, say=say, **options)
    except KeyboardInterrupt:
        say(f"Interrupted. {_kept(out)} Start the same command again: it goes on.")
        raise typer.Exit(130) from None
    _tell(ended.summary)
    say(f"Written: {out} ({len(ended.manifest.lines)} parts)")
    if not ended.summary.answered:
        raise typer.Exit(3)


def _kept(out: str) -> str:
    """How many rows a run has answered so far, as a sentence."""
    try:
        found = open_run(out)
        return f"{found.done:,} of {found.rows:,} rows are answered and kept in {out}."
    except IfonlyError:  # not even planned yet
        return "Nothing was answered yet."


def status(out: Place, *, as_json: Json = False) -> None:
    """How far a run is, and a summary of its rows: statuses, distances, failures by reason.

    Exits with 0 where all rows are answered, with 3 where some lack answers or are to come.
    """
    found = open_run(out)
    summary = found.summary
    if as_json:
        plain: dict[str, Any] = {
            "rows": found.rows,
            "done": found.done,
            "parts": len(found.manifest.lines),
        }
        plain |= {"shards": found.plan.shards, "fingerprint": found.plan.fingerprint}
        plain |= {"summary": summary.to_plain(), "means": summary.means}
        deliver(json.dumps(plain, ensure_ascii=False) + "\n", None)
    else:
        parts = f"{len(found.manifest.lines):,} of {found.plan.shards:,} parts"
        deliver(f"{found.done:,} of {found.rows:,} rows, {parts}\n{_told(summary)}\n", None)
    if not (found.complete and summary.answered):
        raise typer.Exit(3)


def read(out: Place, *, to: File = None) -> None:
    """All answers of a run in one file: a table (.parquet, .csv), or Answers (.json).

    A table is written part by part; Answers are held in memory whole.
    """
    check_writable(to)
    found = open_run(out)
    _check_complete(found)
    if to is not None and to.suffix.lower() == ".json":
        write_file(to, found.answers().to_json() + "\n")
    elif to is not None and to.suffix.lower() not in (".parquet", ".csv"):
        raise OptionError(f"{to.name!r} is no kind of table.", "Known: .parquet, .csv, .json.")
    else:
        write_table(found.tables(), to, sys.stdout)
    if to is not None:
        say(f"Written: {to}")


def _check_complete(found: Run) -> None:
    if not found.complete:
        say(f"Only {found.done:,} of {found.rows:,} rows are answered so far.")


@dataclass
class _Bar:
    """What a person sees of a run: a line that changes in a terminal, else lines in a log."""

    console: Any = field(default_factory=talk)
    live: Any = None
    task: Any = None
    last: float = field(default_factory=time.monotonic)

    def __enter__(self) -> _Bar:
        if self.console.is_terminal:
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Live

            text = TextColumn("{task.description}")
            self.live = Live(
                text, BarColumn(), TextColumn("{task.fields[said]}"), console=self.console
            )
            self.live.start()
            self.task = self.live.add_task("rows", said="", total=None)
        return self

    def __exit__(self, *_: object) -> None:
        if self.live is not None:
            self.live.stop()

    def show(self, now: Progress) -> None:
        """Say how far it is."""
        if self.live is not None:
            self.live.update(self.task, completed=now.done, total=now.rows, said=_said(now))
        elif time.monotonic() - self.last >= EVERY or now.done == now.rows:
            self.last = time.monotonic()
            say(f"{time.strftime('%H:%M:%S')} {_said(now)}")


def _said(now: Progress) -> str:
    left = ""
    if now.seconds_left:
        left = f", {timedelta(seconds=round(now.seconds_left))} left"
    counts = ", ".join(f"{count:,} {name}" for name, count in now.summary.statuses.items())
    return (
        f"{now.done:,} of {now.rows:,} rows, {now.rows_per_second:,.1f} per second{left}; {counts}"
    )


def _told(summary: Summary) -> str:
    """Statuses, means and reasons, as lines."""
    counts = ", ".join(f"{count:,} {name}" for name, count in summary.statuses.items())
    means = summary.means
    shown = [f"{n} {means[n]:.3f}" for n in ("nearest", "distance", "changed", "det") if n in means]
    lines = [f"statuses: {counts or 'none yet'}"]
    lines += [f"means: {', '.join(shown)}"] if shown else []
    most = sorted(summary.failures.items(), key=lambda one: -one[1])[:TOLD]
    lines += [f"{count:,} rows: {reason}" for reason, count in most]
    return "\n".join(lines)


def _tell(summary: Summary) -> None:
    for line in _told(summary).splitlines():
        say(line)
