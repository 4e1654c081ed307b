"""A space of people, whose features the lines of the text form speak of."""

from __future__ import annotations

import pytest

from ifonly.space import Space

NUMBERS = "age", "age at start", "hours_per_week", "income", "debt", "loan", "words", "words_unique"


@pytest.fixture(scope="session")
def people() -> Space:
    return Space.describe(
        *({"name": name, "low": 0, "high": 300_000, "mad": 10} for name in NUMBERS),
        {"name": "race", "levels": ["White", "Black", "Other"]},
        {"name": "gender", "levels": ["Female", "Male"]},
        {
            "name": "occupation",
            "levels": ["Sales", "Service", "Farming", "none, yet", "none", "on and off"],
        },
        {
            "kind": "ordinal",
            "name": "education",
            "levels": ["School", "HS-grad", "Bachelors", "Masters", "Doctorate"],
        },
        {"name": "plan", "levels": [1, 2.5, 10, "10", "3 years", "in between", "1 - 2", "True"]},
        {"name": "married", "levels": [True, False]},
        {"name": "referee", "levels": ["known", "missing"], "missing": True},
    )
