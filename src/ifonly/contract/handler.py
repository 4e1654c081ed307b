"""The one that answers: a request by the name of its route becomes a reply, or a problem.

A new route is a file in `routes`, with its request, its reply and its function, and an entry in
`ROUTES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import ValidationError

from ifonly.contract.context import Context
from ifonly.contract.problem import Refused
from ifonly.contract.routes.batches.explain_batch import explain_batch
from ifonly.contract.routes.batches.read_table import read_table
from ifonly.contract.routes.batches.score_batch import score_batch
from ifonly.contract.routes.check_rules import check_rules
from ifonly.contract.routes.complete_rule import complete_rule
from ifonly.contract.routes.distribution import distribution
from ifonly.contract.routes.examples import examples
from ifonly.contract.routes.explain import explain
from ifonly.contract.routes.model import model
from ifonly.contract.routes.plan import plan
from ifonly.contract.routes.predict import predict
from ifonly.contract.routes.reasons import reasons
from ifonly.contract.routes.record import record
from ifonly.contract.routes.region import region
from ifonly.contract.routes.verify import verify
from ifonly.contract.routes.why import why
from ifonly.contract.schemas import schemas_of
from ifonly.contract.strict_json import read_json
from ifonly.contract.types import Reply, Request
from ifonly.errors import IfonlyError, TargetError, nearest


@dataclass(frozen=True)
class Route:
    """A function that answers requests of a type."""

    answer: Callable[[Any, Any], Reply]
    request: type[Request]
    reply: type[Reply]

    @classmethod
    def of(cls, answer: Callable[[Any, Any], Reply]) -> Route:
        """The route of a function, whose types say what it takes and returns."""
        types = get_type_hints(answer)
        return cls(answer, types["request"], types["return"])


ROUTES = {
    answer.__name__: Route.of(answer)
    for answer in (
        *(model, explain, reasons, predict, check_rules, complete_rule, why, plan, region),
        *(examples, distribution, read_table, score_batch, explain_batch, record, verify),
    )
}
"""What can be asked, by name: `/v1/NAME` of a service."""


@dataclass(frozen=True)
class Handler(Context):
    """Answers requests about one model: JSON in, JSON out, whatever carries it.

    Parameters
    ----------
    explainer
        A prepared `ifonly.Explainer`.
    limits
        The most rows, answers, rules, bytes and seconds of a request.
    units
        What the numbers of features count, for people to read: {'income': 'EUR'}.

    Raises
    ------
    OptionError
        A unit is of no feature.

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [10, 30, 50], "job": ["a", "b", "a"]})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> handler = Handler(ifonly.Explainer(rich, data=data))
    >>> reply = handler.answer("explain", '{"rows": [{"income": 10, "job": "a"}], "k": 1}')
    >>> reply.rows[0].answers[0].changes
    [Change(feature='income', before=10, after=41, follows=False)]
    """

    def answer(self, name: str, request: str | bytes | Mapping[str, Any]) -> Any:
        """The reply to a request.

        Parameters
        ----------
        name
            The route, such as 'explain'.
        request
            The JSON of the request, or what it holds.

        Returns
        -------
        Reply
            That of the route; `reply.model_dump_json()` is its JSON.

        Raises
        ------
        Refused
            The request cannot be answered; its `problem` says why, and where.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> handler = Handler(ifonly.Explainer(rich, data=data))
        >>> handler.answer("predict", {"rows": [{"income": 45}]}).rows[0].prediction
        'yes'
        """
        asked = self.read(name, request)
        with refused(asked):
            return ROUTES[name].answer(self, asked)

    def read(self, name: str, request: str | bytes | Mapping[str, Any]) -> Any:
        """A request as the route has it, before it is answered.

        Parameters
        ----------
        name, request
            As for `answer`.

        Returns
        -------
        Request

        Raises
        ------
        Refused
            It is not of the route's schema.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> Handler(ifonly.Explainer(rich, data=data)).read("explain", '{"rows": []}').k
        4
        """
        route = ROUTES.get(name)
        if route is None:
            hint = nearest(name, ROUTES)
            raise Refused(f"There is no route {name!r:.60}.", hint, kind="route")
        given = read_json(request, self.limits.body)
        try:
            return route.request.model_validate(given)
        except ValidationError as error:
            raise Refused.invalid(error, given, route.request.model_fields) from None

    def respond(self, name: str, request: str | bytes | Mapping[str, Any]) -> tuple[int, str]:
        """The HTTP status and the JSON of a reply, or of the problem.

        Parameters
        ----------
        name, request
            As for `answer`.

        Returns
        -------
        tuple of int and str

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> status, text = Handler(ifonly.Explainer(rich, data=data)).respond("plan", "{")
        >>> status, text[:34]
        (400, '{"type":"urn:ifonly:problem:json",')
        """
        try:
            return 200, self.answer(name, request).model_dump_json()
        except Refused as refused:
            return refused.problem.status, refused.problem.model_dump_json()

    def schemas(self) -> dict[str, dict[str, Any]]:
        """The JSON Schemas of every route's request and reply, and that of problems.

        A row has the model's own columns, and every request an example that can be answered.

        Returns
        -------
        dict
            {route: {'request': schema, 'reply': schema, 'problem': schema}}.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> schemas = Handler(ifonly.Explainer(rich, data=data)).schemas()
        >>> schemas["explain"]["request"]["$defs"]["Row"]["properties"]
        {'income': {'type': 'integer', 'description': 'From 10 to 50 in the data.'}}
        >>> schemas["explain"]["request"]["examples"]
        [{'rows': [{'income': 30}], 'k': 2, 'target': 'opposite', ...
        """
        return schemas_of(self, {name: (r.request, r.reply) for name, r in ROUTES.items()})


@contextmanager
def refused(asked: Request | None = None) -> Iterator[None]:
    """Every error inside is the problem of a request."""
    try:
        yield
    except Refused:
        raise
    except IfonlyError as error:
        raise Refused.of(error, _field(error, asked)) from error
    except Exception as error:
        message = f"Answering failed with {type(error).__name__}."
        raise Refused(message, "See the log of the server.", kind="internal") from error


def _field(error: IfonlyError, asked: Request | None) -> str:
    """The field that an error of the whole question is about: the one that its message names."""
    if isinstance(error, TargetError) and "threshold" not in error.message:
        return "target"
    known = () if asked is None else type(asked).model_fields
    given = (name for name in known if asked is not None and name in asked.model_fields_set)
    return next((name for name in given if re.search(rf"\b{name}\b", error.message)), "")
