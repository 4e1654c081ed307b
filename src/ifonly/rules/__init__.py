"""What an answer must obey."""

from ifonly.rules.box import Box
from ifonly.rules.features import between, fixed, one_of, only_decreases, only_increases
from ifonly.rules.rule import Rule
from ifonly.rules.text import as_rules, parse

__all__ = [
    "Box",
    "Rule",
    "as_rules",
    "between",
    "fixed",
    "one_of",
    "only_decreases",
    "only_increases",
    "parse",
]
