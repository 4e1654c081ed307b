"""What the paper prints: its names, its settings and its two tables of data sets and models.

Mothilal, Sharma and Tan (2020), Explaining Machine Learning Classifiers through Diverse
Counterfactual Explanations, FAT* '20, doi:10.1145/3351095.3372850.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

KS = (1, 2, 4, 6, 8, 10)
"""The numbers of counterfactuals that the paper asks for."""
RADII = (0.5, 1.0, 2.0)
"""How wide it looks around a row, in median absolute deviations."""
ROWS = 500
"""How many rows of each test part it explains."""
BASELINES = ("SingleCF", "RandomInitCF", "NoDiversityCF")
DIVERSE, SPARSE, OURS, LIME, EXACT = (
    "DiverseCF",
    "DiverseCF-Sparse",
    "ifonly",
    "LIME",
    "MixedIntegerCF",
)


@dataclass(frozen=True)
class DataFacts:
    """What the paper says of one data set."""

    title: str
    short: str
    """The name in its tables."""
    outcomes: Mapping[int, str]
    """The names of the outcomes."""
    plotted: str
    """The counterfactual outcome that its figures show."""
    hidden: int
    """The neurons of the non-linear model."""
    accuracy: Mapping[str, float]
    """Test accuracy by kind of model, from the table 'Model accuracy and feature information'."""
    features: tuple[int, int]
    """Continuous and categorical ones."""
    range_of_numbers: tuple[float, float, float]
    levels: tuple[float, float, float]
    train_size: int
    desired_share: float


DATA = {
    "adult": DataFacts(
        "Adult-Income",
        "Adult",
        {0: "<=50K", 1: ">50K"},
        ">50K",
        20,
        {"linear": 0.82, "ann": 0.82},
        (2, 6),
        (1, 39.5, 99),
        (2, 4.5, 8),
        6513,
        0.30,
    ),
    "lending_club": DataFacts(
        "LendingClub",
        "LendingClub",
        {0: "default", 1: "paid"},
        "paid",
        5,
        {"linear": 0.67, "ann": 0.66},
        (4, 4),
        (1, 16292, 200000),
        (4, 5.5, 7),
        8133,
        0.8,
    ),
    "german_credit": DataFacts(
        "German-Credit",
        "German",
        {0: "bad", 1: "good"},
        "bad",
        20,
        {"linear": 0.73, "ann": 0.77},
        (5, 15),
        (1, 668, 15945),
        (2, 4, 10),
        800,
        0.25,
    ),
    "compas": DataFacts(
        "COMPAS",
        "COMPAS",
        {0: "won't recidivate", 1: "will recidivate"},
        "won't recidivate",
        20,
        {"linear": 0.67, "ann": 0.67},
        (1, 4),
        (0, 3.5, 38),
        (2, 3.25, 6),
        1443,
        0.55,
    ),
}
"""In the order of the paper's figures."""

KINDS = {"linear": "Linear", "ann": "Non-linear"}

SET_METRICS = {
    "valid_unique": "%Valid CFs",
    "categorical_diversity": "Cat-Diversity",
    "continuous_diversity": "Cont-Diversity",
    "continuous_count_diversity": "Cont-Count-Diversity",
    "categorical_proximity": "Cat-Proximity",
    "continuous_proximity": "Cont-Proximity",
    "continuous_sparsity": "Cont-Sparsity",
}
"""The rows of its figures of set metrics; more is better in each."""
