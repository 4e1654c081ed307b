"""ifonly: diverse counterfactual explanations, each one checked by your own model.

    answers = ifonly.explain(model, rows, data=train, k=4, rules=["race fixed"])
    answers.frame(); answers.sentences()

Names are loaded when they are first used, so that `import ifonly` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ifonly import datasets as datasets
    from ifonly import errors as errors
    from ifonly import metrics as metrics
    from ifonly import models as models
    from ifonly import objective as objective
    from ifonly import recipes as recipes
    from ifonly import refine as refine
    from ifonly import rules as rules
    from ifonly import scale as scale
    from ifonly import search as search
    from ifonly import select as select
    from ifonly import testing as testing
    from ifonly.answers import Answers as Answers
    from ifonly.api import explain as explain
    from ifonly.api import explain_again as explain_again
    from ifonly.api import suggest_rules as suggest_rules
    from ifonly.causal import CausalModel as CausalModel
    from ifonly.client import connect as connect
    from ifonly.demands.robust import Refits as Refits
    from ifonly.demands.robust import Robust as Robust
    from ifonly.demands.robust import Within as Within
    from ifonly.errors import IfonlyError as IfonlyError
    from ifonly.explainer import Explainer as Explainer
    from ifonly.fairness.audited import audit as audit
    from ifonly.fairness.result import Audit as Audit
    from ifonly.models import as_model as as_model
    from ifonly.plausible import Plausible as Plausible
    from ifonly.problem.goal import Logit as Logit
    from ifonly.problem.goal import Target as Target
    from ifonly.rules import Rules as Rules
    from ifonly.rules import at_least as at_least
    from ifonly.rules import at_most as at_most
    from ifonly.rules import at_most_change as at_most_change
    from ifonly.rules import between as between
    from ifonly.rules import causes as causes
    from ifonly.rules import changes as changes
    from ifonly.rules import decreases as decreases
    from ifonly.rules import determines as determines
    from ifonly.rules import fixed as fixed
    from ifonly.rules import forbid as forbid
    from ifonly.rules import in_steps as in_steps
    from ifonly.rules import increases as increases
    from ifonly.rules import missing as missing
    from ifonly.rules import none_of as none_of
    from ifonly.rules import one_of as one_of
    from ifonly.rules import only_change as only_change
    from ifonly.rules import only_decreases as only_decreases
    from ifonly.rules import only_increases as only_increases
    from ifonly.rules import ratio as ratio
    from ifonly.rules import relation as relation
    from ifonly.rules import takes as takes
    from ifonly.rules import together as together
    from ifonly.rules.suggested.suggestions import Suggestions as Suggestions
    from ifonly.solve.method import Method as Method
    from ifonly.solve.method import MethodLike as MethodLike
    from ifonly.space import Categorical as Categorical
    from ifonly.space import Continuous as Continuous
    from ifonly.space import Ordinal as Ordinal
    from ifonly.space import Space as Space
    from ifonly.space import cost as cost
    from ifonly.status import Status as Status
    from ifonly.typical import prototypes as prototypes

_HOMES = {
    "ifonly.answers": "Answers",
    "ifonly.causal": "CausalModel",
    "ifonly.client": "connect",
    "ifonly.demands.robust": "Refits Robust Within",
    "ifonly.errors": "IfonlyError",
    "ifonly.explainer": "Explainer",
    "ifonly.fairness.audited": "audit",
    "ifonly.fairness.result": "Audit",
    "ifonly.api": "explain explain_again suggest_rules",
    "ifonly.models": "as_model",
    "ifonly.plausible": "Plausible",
    "ifonly.problem.goal": "Logit Target",
    "ifonly.rules": (
        "Rules at_least at_most at_most_change between causes changes decreases determines fixed "
        "forbid in_steps increases missing none_of one_of only_change only_decreases "
        "only_increases ratio relation takes together"
    ),
    "ifonly.rules.suggested.suggestions": "Suggestions",
    "ifonly.solve.method": "Method MethodLike",
    "ifonly.space": "Categorical Continuous Ordinal Space cost",
    "ifonly.status": "Status",
    "ifonly.typical": "prototypes",
}
_MODULES = (
    *("datasets", "errors", "metrics", "models", "objective", "recipes"),
    *("refine", "rules", "search", "select", "testing"),
)
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [*_HOME, *_MODULES]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("ifonly")
    if name in _MODULES or name == "scale":  # which `import *` leaves alone
        return import_module(f"ifonly.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'ifonly' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
