"""Problems as HTTP replies."""

from __future__ import annotations

from starlette.responses import Response

from ifonly.contract import Refused

PROBLEM = "application/problem+json"


class Denied(Refused):
    """A request that the front of the service refuses, with headers of the reply."""

    def __init__(
        self, kind: str, message: str, hint: str = "", *, field: str = "", **headers: str
    ) -> None:
        super().__init__(message, hint, field=field, kind=kind)
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def reply_to(refused: Refused) -> Response:
    """The reply that says why a request is refused."""
    return Response(
        refused.problem.model_dump_json(),
        refused.problem.status,
        headers=getattr(refused, "headers", None),
        media_type=PROBLEM,
    )
