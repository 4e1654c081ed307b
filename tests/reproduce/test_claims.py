"""Rules decide as their words say, on figures made up for them and on the authors' records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ifonly.paper.authors.facts import DATA
from ifonly.paper.authors.records import Records
from ifonly.paper.claims import CLAIMS, Evidence, decide
from ifonly.paper.claims.claim import Duel, higher, series
from ifonly.paper.report import evidence

# What the rules find in the authors' own records, where they do not bear a sentence out.
AGAINST = (
    "DiverseCF returns examples with lower proximity than other methods.",
    "On Adult-Income and COMPAS datasets, DiverseCF achieves both higher precision and recall "
    "than LIME.",
)


def sets(**shares: list[float]) -> pd.DataFrame:
    """A table of unique validity: for each method its share at k = 1 and 10, in every data set."""
    return pd.DataFrame(
        {
            "data": data,
            "outcome": facts.plotted,
            "method": method,
            "k": k,
            "over": "full",
            "valid_unique": share,
        }
        for data, facts in DATA.items()
        for method, both in shares.items()
        for k, share in zip((1, 10), both, strict=True)
    )


def found(words: str, given: Evidence) -> Any:
    (claim,) = (one for one in CLAIMS if words in one.sentence)
    return claim.check(given)


def test_nothing_can_be_checked_without_figures() -> None:
    assert {one.word for one in decide(CLAIMS, Evidence(), None)} == {"cannot be checked"}


@pytest.mark.parametrize(("least", "holds"), [(0.951, True), (0.949, False)])
def test_a_rule_decides_at_its_threshold(least: float, holds: bool) -> None:
    finding = found("nearly 100% valid", Evidence(sets=sets(DiverseCF=[1.0, least])))
    assert finding.holds is holds
    assert f"{least:.3f}" in finding.figures


def test_more_than_each_baseline_means_each() -> None:
    table = sets(DiverseCF=[1, 0.9], RandomInitCF=[1, 0.8], NoDiversityCF=[1, 0.95])
    finding = found("greater number of valid unique", Evidence(sets=table))
    assert not finding.holds
    assert "-0.050" in finding.figures
    assert "NoDiversityCF" in finding.figures


def test_no_comparison_is_no_finding() -> None:
    assert higher([]) is None
    assert higher([Duel("here", 1.0, 1.0)]).holds  # type: ignore[union-attr]


def test_a_series_takes_the_outcome_that_the_paper_draws() -> None:
    table = sets(DiverseCF=[1, 0.5])
    other = table.assign(outcome="another", valid_unique=0.1)
    figures = series(pd.concat([table, other]), "valid_unique")
    assert figures.at("adult", "DiverseCF", 10) == 0.5
    assert figures.data == tuple(DATA)


def test_the_authors_records_bear_out_all_but_two_sentences(records: Path) -> None:
    theirs = evidence.theirs(Records(records), tuple(DATA))
    verdicts = decide(CLAIMS, theirs, None)
    differing = [one.claim.sentence for one in verdicts if one.word == "differs"]
    accuracies = [one for one in differing if one.startswith("Test set accuracy")]
    assert len(accuracies) == 1  # LendingClub's linear weights
    assert sorted(set(differing) - set(accuracies)) == sorted(AGAINST)


def test_the_records_weights_reach_their_accuracies(records: Path) -> None:
    table = evidence.weights_table(Records(records), tuple(DATA))
    told = Records(records).read("models")
    for line in table.itertuples():
        recorded = told[line.data]["models"][line.model]["test_accuracy"]
        assert line.accuracy == pytest.approx(recorded, abs=1e-4)
