"""Write the OpenAPI description of the contract, with rows of any columns.

A service describes its own models at `/openapi.json`. This one is for the types of the page, which
must fit every model: `python scripts/write_openapi.py > openapi.json`.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pydantic.json_schema import models_json_schema

from ifonly.contract import ROUTES, DecisionRecord
from ifonly.contract.problem import Problem


def openapi() -> dict[str, Any]:
    """Every route of the contract, with the schemas of its request and its reply."""
    asked = [(route.request, "validation") for route in ROUTES.values()]
    said = [(route.reply, "serialization") for route in ROUTES.values()]
    beside = [(Problem, "serialization"), (DecisionRecord, "serialization")]
    place = "#/components/schemas/{model}"
    names, schemas = models_json_schema([*asked, *said, *beside], ref_template=place)  # type: ignore[arg-type]
    return {
        "openapi": "3.1.0",
        "info": {"title": "The contract of ifonly", "version": "1"},
        "paths": {
            f"/v1/{name}": {
                "post": {
                    "operationId": name,
                    "requestBody": {
                        "required": True,
                        "content": _json(names[route.request, "validation"]),
                    },
                    "responses": {
                        "200": {
                            "description": "The reply",
                            "content": _json(names[route.reply, "serialization"]),
                        }
                    },
                }
            }
            for name, route in ROUTES.items()
        },
        "components": {"schemas": schemas["$defs"]},
    }


def _json(schema: Any) -> dict[str, Any]:
    """The content of a body in JSON."""
    return {"application/json": {"schema": schema}}


if __name__ == "__main__":
    json.dump(openapi(), sys.stdout, indent=1)
