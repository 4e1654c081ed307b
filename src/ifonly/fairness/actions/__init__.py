"""Few actions for everybody, and who takes which."""

from ifonly.fairness.actions.action import Action, Said, Step, applied
from ifonly.fairness.actions.few import ActionSet, FewActions, few_actions
from ifonly.fairness.actions.if_then import IfThen, if_then
from ifonly.fairness.actions.tree import ActionTree, action_tree

__all__ = [
    "Action",
    "ActionSet",
    "ActionTree",
    "FewActions",
    "IfThen",
    "Said",
    "Step",
    "action_tree",
    "applied",
    "few_actions",
    "if_then",
]
