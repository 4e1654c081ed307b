"""What an audit states about itself: rows left out, groups not compared, rows drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from ifonly.fairness.compared import OVERALL, Compared, Terms
from ifonly.fairness.facts import Facts
from ifonly.fairness.groups import MISSING
from ifonly.fairness.one_pass import Pass


def notes_of(one: Pass, facts: Facts, terms: Terms, tables: Compared) -> tuple[str, ...]:
    """All that a reader must know before the tables, in sentences."""
    return (*_rows(one, facts), *_groups(one, terms, tables), *_asked(one, facts))


def _rows(one: Pass, facts: Facts) -> Iterator[str]:
    for reason, count in one.left_out.items():
        yield f"Left out: {_count(count, 'row')}. {reason}."
    refused, reached = len(facts.cost), int(np.isfinite(facts.cost).sum())
    if not refused:
        yield "No row is refused: there is no recourse to measure."
        return
    proved = int(facts.proved_none.sum())
    if not reached:
        why = Counter(note for note in getattr(one.answers, "notes", ()) if note).most_common(1)
        yield f"No refused row has an answer{f'. Most often: {why[0][0]}' if why else '.'}"
    if lost := refused - reached - proved:
        yield (
            f"{_count(lost, 'refused row')} without an answer found, and without a proof that "
            "there is none: `certify` may settle them."
        )
    if helped := int((~np.isfinite(facts.cost) & facts.works.any(axis=1)).sum()):
        yield (
            f"{_count(helped, 'refused row')} without an answer found, for which an action in "
            "common works all the same: the search missed answers there, and reach is higher."
        )


def _groups(one: Pass, terms: Terms, tables: Compared) -> Iterator[str]:
    for name in map(str, one.groups.columns):
        levels, codes = one.groups_of(name)
        if levels[-1].lstrip("_") == MISSING:
            count = int((codes == len(levels) - 1).sum())
            yield f"{_count(count, 'row')} without a value of {name}: the group {levels[-1]!r}."
    sizes = tables.sizes[tables.sizes["attribute"] != OVERALL]
    for line in sizes.to_dict("records"):
        who, refused = f"{line['attribute']} = {line['group']}", int(line["refused"])
        rows = _count(int(line["rows"]), "row")
        if int(line["rows"]) < terms.least:
            yield f"{who}: {rows}, fewer than {terms.least}: not compared."
        elif not refused:
            yield f"{who}: none of its {rows} is refused and searched."
        elif refused < terms.least:
            yield (
                f"{who}: {_count(refused, 'refused row')}, fewer than {terms.least}: its recourse "
                "is not compared."
            )


def _asked(one: Pass, facts: Facts) -> Iterator[str]:
    for question, count in facts.asked.items():
        every = f"{len(facts.cost):,} refused rows"
        yield f"{question}: asked of {count:,} of {every}, drawn at random."
    for name in map(str, one.groups.columns):
        if name not in facts.flips:
            yield f"{name} is no input of the model: a change of it alone flips no decision."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
