"""Where recourse is worst: subgroups by up to three conditions, compared by their curves."""

from ifonly.fairness.subgroups.conditions import Conditions
from ifonly.fairness.subgroups.subgroup import Subgroup, Subgroups
from ifonly.fairness.subgroups.worst import worst_subgroups

__all__ = ["Conditions", "Subgroup", "Subgroups", "worst_subgroups"]
