"""What an answer must obey."""

from ifonly.rules.box import Box
from ifonly.rules.constructors import (
    at_least,
    at_most,
    between,
    changes,
    decreases,
    in_steps,
    increases,
    none_of,
    one_of,
    only_decreases,
    only_increases,
)
from ifonly.rules.joint_constructors import (
    at_most_change,
    causes,
    determines,
    fixed,
    forbid,
    missing,
    only_change,
    ratio,
    relation,
    takes,
    together,
)
from ifonly.rules.json import from_plain, to_plain
from ifonly.rules.language.given import as_rules, parse, read_rules
from ifonly.rules.rule import Rule, Rules
from ifonly.rules.scene import Scene

__all__ = [
    "Box",
    "Rule",
    "Rules",
    "Scene",
    "as_rules",
    "at_least",
    "at_most",
    "at_most_change",
    "between",
    "causes",
    "changes",
    "decreases",
    "determines",
    "fixed",
    "forbid",
    "from_plain",
    "in_steps",
    "increases",
    "missing",
    "none_of",
    "one_of",
    "only_change",
    "only_decreases",
    "only_increases",
    "parse",
    "ratio",
    "read_rules",
    "relation",
    "takes",
    "to_plain",
    "together",
]
