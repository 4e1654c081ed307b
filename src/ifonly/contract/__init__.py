"""Everything that is not Python asks through here: typed, versioned JSON, and no web framework.

    handler = Handler(ifonly.Explainer(model, data=train))
    status, text = handler.respond("explain", '{"rows": [{"income": 10}], "k": 2}')

A service, a page, a notebook and an agent carry these requests and replies, and add nothing.
"""

try:
    import pydantic as _pydantic  # noqa: F401
except ImportError:
    from ifonly.errors import MissingExtra

    raise MissingExtra("pydantic", "contract") from None

from ifonly.contract.handler import ROUTES, Handler
from ifonly.contract.problem import Problem, Refused
from ifonly.contract.records.decision_record import DecisionRecord, canonical, row_hash
from ifonly.contract.types import VERSION, Limits, Reply, Request

__all__ = [
    "ROUTES",
    "VERSION",
    "DecisionRecord",
    "Handler",
    "Limits",
    "Problem",
    "Refused",
    "Reply",
    "Request",
    "canonical",
    "row_hash",
]
