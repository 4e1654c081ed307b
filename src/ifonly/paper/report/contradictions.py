"""Where the paper contradicts itself, its records or its code, with what is found here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ifonly.paper.authors.facts import DATA


@dataclass(frozen=True)
class Contradiction:
    """What is said in one place, what in another, and what is found here."""

    subject: str
    said: str
    against: str
    found: str


FIXED = (
    Contradiction(
        "Training sizes",
        "The table 'Dataset description' gives 1,443 (COMPAS), 6,513 (Adult), 800 "
        "(German-Credit) and 8,133 (LendingClub) as training data size.",
        "The split is 80 % to 20 %. Three of these are the sizes of the test part; only "
        "German-Credit's is the training part.",
        "The table of data sets below has both parts.",
    ),
    Contradiction(
        "The direction of German-Credit",
        "The table names 'Bad' as the undesired class and 'Good' as the desired one.",
        "The figures show the row 'bad' of the records: the authors' model gives 1 for bad, "
        "and the step from good to bad was drawn.",
        "The charts here show the same outcome, 'bad'; the tables have both.",
    ),
    Contradiction(
        "F1 of LIME on Adult",
        "The text has 0.19 at 0.5 MAD.",
        "The records have 0.176.",
        "The claim is checked against the text, to 0.05.",
    ),
    Contradiction(
        "LendingClub's precision at k = 10",
        "The text has 0.61 for DiverseCF at 0.5 MAD and k = 10.",
        "The records have 0.53 there, and 0.61 to 0.62 at k = 8.",
        "The claim is checked by its direction, not by its figure.",
    ),
    Contradiction(
        "DiverseCF beside its baselines in F1",
        "A caption says that DiverseCF outperforms the baseline methods except in LendingClub.",
        "The text says that they perform similarly except in LendingClub.",
        "The text's sentence is checked.",
    ),
    Contradiction(
        "The distance in the loss",
        "The text averages over continuous and over categorical features.",
        "The authors' code sums over one-hot columns inside the kernel.",
        "The recipes take the code's, since with the text's the diversity of large sets is "
        "too weak to keep their points apart.",
    ),
    Contradiction(
        "The share of instances with the desired outcome",
        "The table has 0.30 for Adult and 0.25 for German-Credit.",
        "In the data they are 0.24 and 0.70.",
        "Adult's 0.30 is about the share that the authors' network gives the outcome to.",
    ),
)


def contradictions(accuracy: pd.DataFrame, echo: pd.DataFrame) -> list[Contradiction]:
    """Every contradiction that a reader of the figures must know."""
    return [
        Contradiction(
            "LendingClub's linear model",
            "The paper prints a test accuracy of 0.67.",
            "The published weights do not reach it.",
            f"{_lending(accuracy)} A linear model trained here is explained in their place.",
        ),
        Contradiction(
            "The neighbourhood of the 1-NN test",
            "The text samples uniformly from a hypersphere.",
            "The authors' code draws each number from an interval of its own, which makes a box, "
            "and starts from the same seed for every feature, which ties the columns together. "
            "The guess from counterfactuals after the sparsity step still counts those before it. "
            "Its distance sums over features where the text's distance averages.",
            _echo(echo),
        ),
        *FIXED,
    ]


def _lending(accuracy: pd.DataFrame) -> str:
    column = "authors' weights"
    if column not in accuracy.columns:
        return "The records are not at hand here."
    part = accuracy[
        (accuracy["data set"] == DATA["lending_club"].title) & (accuracy["model"] == "Linear")
    ]
    reached = float(part[column].iloc[0]) if len(part) else np.nan
    if np.isnan(reached):
        return "LendingClub's table is not at hand here."
    return f"They reach {reached:.3f}, and ours {float(part['oversampled'].iloc[0]):.3f}."


def _echo(echo: pd.DataFrame) -> str:
    if echo.empty:
        return "The authors' counterfactuals are not at hand here."
    part = echo[(echo["method"] == "DiverseCF-Sparse") & (echo["outcome"] == ">50K")]
    summary = "; ".join(
        f"{name} {', '.join(f'{value:.2f}' for value in part[name])}"
        for name in echo.columns
        if name not in ("method", "outcome", "radius")
    )
    return f"F1 of their own counterfactuals (Adult, '>50K', k = 4) at 0.5, 1 and 2 MAD: {summary}."
