"""ifonly: diverse counterfactual explanations, each one checked by your own model.

answers = ifonly.explain(model, rows, data=train, k=4, rules=["race fixed"])
answers.frame(); answers.sentences()
"""

from ifonly import metrics
from ifonly.answers import Answers
from ifonly.errors import IfonlyError
from ifonly.explainer import Explainer, explain
from ifonly.models import as_model
from ifonly.rules import between, fixed, one_of, only_decreases, only_increases
from ifonly.space import Categorical, Continuous, Ordinal, Space
from ifonly.status import Status

__all__ = [
    "Answers",
    "Categorical",
    "Continuous",
    "Explainer",
    "IfonlyError",
    "Ordinal",
    "Space",
    "Status",
    "as_model",
    "between",
    "explain",
    "fixed",
    "metrics",
    "one_of",
    "only_decreases",
    "only_increases",
]
