"""All rules that the data suggest, the most useful first."""

from __future__ import annotations

from itertools import islice

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules.language.dates import in_units
from ifonly.rules.linear import Linear
from ifonly.rules.rule import Rule
from ifonly.rules.suggested.bands import bands
from ifonly.rules.suggested.functions import determined, functions
from ifonly.rules.suggested.marks import equivalences, followed, implications
from ifonly.rules.suggested.orders import orders
from ifonly.rules.suggested.sums import Relation, sums
from ifonly.rules.suggested.table import LEAST_ROWS, Suggestion, Table
from ifonly.space import Space


def find_rules(space: Space, codes: np.ndarray, most: int) -> tuple[Suggestion, ...]:
    """At most so many rules that hold for every row of codes [n, d].

    Equations come first, then values that go together, columns that others determine, orders, and
    last what all rows with a level have in common. What follows from a rule is not looked for.
    """
    if len(codes) < 2 * LEAST_ROWS:
        return ()
    table = Table(space, codes)
    relations = sums(table)
    twins = {max(relation) for relation, _ in relations if len(relation) == 2}
    columns = [j for j in table.varying if j not in twins]
    direct, repeats = functions(table, columns)
    columns = [j for j in columns if j not in repeats]
    follows = followed(table, direct)
    numbers = [j for j in columns if space.continuous[j]]
    found = [
        *(rule for _, rule in relations),
        *equivalences(table, columns, follows),
        *determined(table, direct),
        *bands(table, columns),
        *orders(table, numbers, _parts(space, [relation for relation, _ in relations])),
        *implications(table, columns, direct, follows),
    ]
    return tuple(islice((one for one in found if _holds(table, one)), most))


def _holds(table: Table, found: Suggestion) -> bool:
    """Whether the rule itself accepts every row: it has the last word."""
    codes = table.codes
    if not _in_units(table.space, found.rule):
        return False
    return bool(found.rule.holds(table.space, codes, codes[:, None]).all())


def _in_units(space: Space, rule: Rule) -> bool:
    """Whether a rule has no date, or only compares dates: their codes are no quantities."""
    if not any(space.features[space.index(name)].column.unit for name in rule.names):
        return True
    try:
        return isinstance(rule, Linear) and in_units(rule, space) is rule
    except RuleError:
        return False


def _parts(space: Space, relations: list[Relation]) -> set[tuple[int, int]]:
    """The pairs of a part and its total, where no other part is below 0: the order follows."""
    found = set()
    for relation in relations:
        for total, times in relation.items():
            parts = [j for j in relation if j != total and relation[j] * times < 0]
            least = all(space.low[j] >= 0 for j in parts)
            if len(parts) == len(relation) - 1 and abs(times) == 1 and least:
                found |= {(part, total) for part in parts}
    return found
