"""Answers written in the format asked for, and the exit code that they deserve."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import typer

from ifonly.answers import Answers, certificates
from ifonly.answers.why import Why
from ifonly.cli.failures import failures, print_reasons, with_reasons
from ifonly.cli.messages import say
from ifonly.cli.output import check_writable, deliver
from ifonly.cli.tables.spreadsheet import guarded
from ifonly.errors import OptionError
from ifonly.render.wording import unread
from ifonly.space.table.carry import Carry
from ifonly.status import Status


class Format(StrEnum):
    """How answers are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    HTML = "html"
    PARQUET = "parquet"


@dataclass(frozen=True)
class Output:
    """Where answers are written to, and how."""

    chosen: Format
    out: Path | None
    safe: bool
    """CSV that a spreadsheet runs no formula of."""
    reasons: bool
    """Whether rows without an answer say why."""

    def write(self, answers: Answers) -> None:
        """Write the answers, and end with the exit code that they deserve."""
        interrupted = bool(answers.record["interrupted"])
        if interrupted and all(status is Status.SKIPPED for status in answers.status):
            raise KeyboardInterrupt  # nothing is finished: the old file stays
        reasons_of: dict[int, Why] = {}
        if self.reasons and not interrupted:
            reasons_of, interrupted = failures(answers)
        _write(answers, self.chosen, self.out, reasons_of, safe=self.safe)
        _end(answers, self.out, interrupted=interrupted)


def output_of(written: Format | None, out: Path | None, *, safe: bool, reasons: bool) -> Output:
    """The output in the format that is asked for, or that the name of the file ends in."""
    check_writable(out)
    ending = "" if out is None else out.suffix.lower().removeprefix(".")
    chosen = written or (Format(ending) if ending in [*Format] else Format.TABLE)
    if chosen is Format.PARQUET and out is None:
        raise OptionError(
            "Parquet is binary and cannot be written to stdout.",
            "Name a file: --out answers.parquet.",
        )
    if safe and chosen is not Format.CSV:
        raise OptionError(
            f"--spreadsheet-safe is for CSV, and the format is {chosen}.",
            "Add --format csv, or leave --spreadsheet-safe out.",
        )
    return Output(chosen, out, safe, reasons)


def _write(
    answers: Answers, chosen: Format, out: Path | None, reasons: dict[int, Why], *, safe: bool
) -> None:
    if chosen is Format.TABLE:
        deliver(with_reasons(answers, reasons), out)
        return
    if chosen is Format.JSON:
        deliver(answers.to_json() + "\n", out)
    elif chosen is Format.CSV:
        frame = answers.frame()
        deliver((guarded(frame) if safe else frame).to_csv(index=False), out)
    elif out is not None and chosen is Format.PARQUET:
        answers.to_parquet(out)
        say(f"Written: {out}")
    else:
        deliver(answers.to_html(), out)
    print_reasons(answers, reasons)


def _carried(column: Carry) -> str:
    return f"{column.name} ({column.why})" if column.why else column.name


def _end(answers: Answers, out: Path | None, *, interrupted: bool) -> None:
    """Say how it went; end with 130 where it was interrupted, with 3 where rows lack answers."""
    counts = Counter(str(status) for status in answers.status)
    listed = ", ".join(f"{count} {status}" for status, count in counts.items())
    say(f"{len(answers)} row{'s' * (len(answers) != 1)}{f': {listed}' if listed else ''}.")
    if answers.record["contradicted"]:
        say("A faster route contradicted the model. The model itself was used instead.")
    if answers.ignored:
        say(unread([str(answers.name(name)) for name in answers.ignored]))
    if answers.space.one_hot:
        groups = [f"{answers.name(one.name)} ({len(one.columns)})" for one in answers.space.one_hot]
        say(f"Columns that are one category each: {', '.join(groups)}; see --one-hot.")
    if answers.space.carry:
        say(f"Carried along unchanged: {', '.join(map(_carried, answers.space.carry))}.")
    if answers.bound is not None:
        proofs = certificates.lines(answers)
        proved, gaps = int(proofs["proved"].sum()), proofs["gap"]
        rest = "" if proved == len(answers) else f"; the widest gap is {gaps.max():.1%}"
        say(f"The nearest answer {_by(answers)} is proved for {proved} of {len(answers)}{rest}.")
    if interrupted:
        searched = len(answers) - answers.status.count(Status.SKIPPED)
        where = "stdout" if out is None else str(out)
        say(f"Interrupted: {searched} of {len(answers)} rows were searched; written to {where}.")
        raise typer.Exit(130)
    if not all(status.answered for status in answers.status):
        raise typer.Exit(3)


def _by(answers: Answers) -> str:
    """What the nearest answer is the nearest by."""
    sparsity = answers.space.sparsity
    charge = f" plus {sparsity:g} times the share of features changed" if sparsity else ""
    return f"by distance{charge}"
