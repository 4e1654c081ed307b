"""The page of claims: each sentence, its rule, the records, what is found here, the verdict."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from ifonly.paper.claims import Verdict
from ifonly.paper.claims.claim import DIFFERS, HOLDS, UNCHECKED, word
from ifonly.paper.report.contradictions import contradictions
from ifonly.paper.report.findings import Findings

RULES = (
    "Each rule is applied to the figures of this run and, where they are at hand, to the authors' "
    "own records. A sentence 'cannot be checked' where the figures that its rule needs are missing."
)


def claims_table(verdicts: list[Verdict]) -> pd.DataFrame:
    """One line a claim: where, what, by which rule, in the records, here, and the verdict."""
    return pd.DataFrame(
        {
            "place": one.claim.place,
            "the paper says": one.claim.sentence,
            "rule": one.claim.rule,
            "authors' records": "—"
            if one.theirs is None
            else f"{word(one.theirs)}: {one.theirs.figures}",
            "here": "—" if one.ours is None else one.ours.figures,
            "verdict": one.word,
        }
        for one in verdicts
    )


def claims_page(found: Findings) -> str:
    """The claims as a page of Markdown, with the date and how it was run."""
    facts, plan = found.facts, found.plan
    head = "| the paper says | rule | authors' records | here | verdict |\n|---|---|---|---|---|"
    lines = [
        "| " + " | ".join(_plain(line[name]) for name in line.index if name != "place") + " |"
        for _, line in claims_table(found.verdicts).iterrows()
    ]
    text = counted(found.verdicts)
    return "\n".join(
        [
            "# The paper's claims, checked",
            f"{facts['date']}. Models: {plan.models}. Up to {plan.rows} rows per data set, k = "
            f"{', '.join(map(str, plan.ks))}, seed {plan.seed}, {plan.within}. "
            f"{facts['processor']}, {facts['cores']} cores; the cells took "
            f"{found.results.seconds:.0f} s in all; ifonly {facts['versions']['ifonly']}. {text}.",
            "",
            head,
            *lines,
            "",
            "## Where the paper contradicts itself or its records",
            *(
                f"- **{one.subject}.** {one.said} {one.against} {one.found}"
                for one in contradictions(found.accuracy, found.echo)
            ),
            "",
        ]
    )


def counted(verdicts: list[Verdict]) -> str:
    """How many sentences hold, differ and cannot be checked."""
    counts = Counter(one.word for one in verdicts)
    return ", ".join(
        f"{counts[kind]} {many}"
        for kind, many in ((HOLDS, "hold"), (DIFFERS, "differ"), (UNCHECKED, UNCHECKED))
    )


def _plain(value: Any) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")
