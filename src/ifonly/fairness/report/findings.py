"""What a report says first: the differences that are beyond chance, in sentences of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import pandas as pd

from ifonly.fairness.data import AuditData
from ifonly.fairness.measures import MEASURES
from ifonly.fairness.report.wording import between, p_text
from ifonly.render.html import isolated

LEVEL = 0.05
"""Below it, a p-value is called a difference."""
SAID = {
    "selection_rate": "{0} of {1} have the wanted outcome, and {2} of {3}.",
    "reach": "{0} of the refused rows of {1} have an answer at all, and {2} of those of {3}.",
    "flips": "another value of it alone would give the wanted outcome to {0} of the refused rows "
    "of {1}, and to {2} of those of {3}.",
}
"""What is said of a measure where the intervals of its worst and best group do not overlap."""


def findings(audit: AuditData) -> list[str]:
    """What is known at once, then what the measures, the tests and the subgroups show."""
    sizes = audit.sizes.iloc[0]
    lines = [
        f"{sizes['rows']:,} rows, {sizes['refused']:,} of them refused and asked what it would "
        f"take to get {isolated(str(audit.record['target']))}."
    ]
    for name in audit.record["groups"]:
        lines += [*_apart(audit, name), *_tested(audit, name), *_alarms(audit, name)]
    if len(lines) == 1 and len(audit.tests):
        lines.append(
            f"No group's curve of costs differs from that of the others at the {LEVEL:.0%} level "
            "after Holm's correction, and no measure stated here is apart. That is no proof that "
            "the groups are equal: see the intervals."
        )
    return lines


def worst_and_best(one: pd.DataFrame, better: int) -> tuple[Any, Any] | None:
    """The worst and the best group of a measure, where their intervals do not overlap."""
    known = one.dropna(subset=["value"])
    if len(known) < 2:
        return None
    order = (better * known["value"]).sort_values(kind="stable").index
    low, high = known.loc[order[0]], known.loc[order[-1]]
    apart = low["high"] < high["low"] if better > 0 else low["low"] > high["high"]
    return (order[0], order[-1]) if apart else None


def _apart(audit: AuditData, attribute: str) -> Iterator[str]:
    """The measures of which two groups are surely apart."""
    own = audit.measures[audit.measures["attribute"] == attribute]
    for measure, words in SAID.items():
        one = own[own["measure"] == measure].set_index("group")
        ends = worst_and_best(one, MEASURES[measure])
        if ends is not None:
            parts: list[str] = []
            for group in ends:
                value, low, high = one.loc[group, ["value", "low", "high"]]
                parts += [between(measure, value, low, high), isolated(str(group))]
            yield f"<b>{isolated(attribute)}</b>: {words.format(*parts)}"


def _tested(audit: AuditData, attribute: str) -> Iterator[str]:
    """The groups whose curves differ from those of the others."""
    found = audit.tests[
        (audit.tests["p_holm"] < LEVEL) & (audit.tests["attribute"] == attribute)
    ].sort_values("p_holm", kind="stable")
    for line in found.to_dict("records"):
        side = "fewer" if line["difference"] > 0 else "more"
        yield (
            f"<b>{isolated(attribute)} = {isolated(line['group'])}</b>: within a cost of "
            f"{line['budget']:.3g}, {100 * abs(line['difference']):.0f} percentage points {side} "
            "refused rows have an answer than of the others "
            f"(p {escape(p_text(line['p_holm'], sign='= '))} by the permutation test of groups, "
            "after Holm's correction)."
        )


def _alarms(audit: AuditData, attribute: str) -> Iterator[str]:
    """The worst subgroup in which a group is worse off than others under the same conditions."""
    found = audit.further.worst.get(attribute)
    if found is not None and found.alarms:
        count, first = len(found.alarms), found.alarms[0]
        yield (
            f"<b>{isolated(attribute)}</b>, under the same conditions: {count} "
            f"subgroup{'s' * (count != 1)} with a difference that chance does not explain. The "
            f'first: {escape(first.sentence)} See <a href="#worst">Where it is worst</a>.'
        )
