"""The OpenAPI 3.1 description of a service: the schemas of the contract for its models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ifonly.serve.denied import PROBLEM
from ifonly.serve.forms import KSERVE, MEDIA
from ifonly.serve.security import JSON

HEADERS = {
    "X-Deadline-Seconds": "After so many seconds, what is found by then is the reply.",
    "Idempotency-Key": "A request that is sent again with its key gets the first reply.",
}


def describe(
    base: dict[str, Any], schemas: Mapping[str, Any], *, tokens: bool = False
) -> dict[str, Any]:
    """The description of a service.

    Parameters
    ----------
    base
        The description of the routes beside the contract's.
    schemas
        `Handler.schemas()` of each model, the default one first.
    tokens
        Whether a token is needed.

    Returns
    -------
    dict
    """
    components: dict[str, Any] = base.setdefault("components", {}).setdefault("schemas", {})
    paths: dict[str, Any] = base["paths"]
    for place, (model, routes) in enumerate(schemas.items()):
        for name, own in routes.items():
            problem = _moved(own["problem"], "", "Problem", components)
            request = _moved(own["request"], f"{model}.asked.", name, components)
            reply = _moved(own["reply"], f"{model}.said.", name, components)
            table = "rows" in own["request"].get("properties", {})
            said = _operation(f"{name} of {model}", request, reply, problem, own, table)
            methods = {"post": said}
            if name == "model":
                bare = {part: said[part] for part in ("responses", "summary")}
                methods["get"] = bare | {"operationId": f"get_{said['operationId']}"}
            paths[f"/v1/models/{model}/{name}"] = methods
            if place == 0:
                paths[f"/v1/{name}"] = {
                    method: one | {"operationId": f"default_{one['operationId']}"}
                    for method, one in methods.items()
                }
            if name in KSERVE:
                renamed = {"rows": "instances"}, {"rows": KSERVE[name]}
                alias = {
                    "request": _renamed(own["request"], renamed[0]),
                    "reply": _renamed(own["reply"], renamed[1]),
                }
                request = _moved(alias["request"], f"{model}.asked.", f"kserve.{name}", components)
                reply = _moved(alias["reply"], f"{model}.said.", f"kserve.{name}", components)
                text = f"{name} of {model}, as KServe asks it"
                paths[f"/v1/models/{model}:{name}"] = {
                    "post": _operation(text, request, reply, problem, alias, False)
                }
    for one in (one for methods in paths.values() for one in methods.values()):
        if "HTTPValidationError" in str(one["responses"].get("422")):
            del one["responses"]["422"]  # what FastAPI would send
        one["responses"].setdefault("default", _problems(problem))
    for name in ("HTTPValidationError", "ValidationError"):
        components.pop(name, None)
    if tokens:
        bearer = {"type": "http", "scheme": "bearer"}
        base["components"]["securitySchemes"] = {"token": bearer}
        base["security"] = [{"token": []}]
    return base


def _operation(
    summary: str, request: Any, reply: Any, problem: Any, own: Any, table: bool
) -> dict[str, Any]:
    """A route that takes a request and returns a reply."""
    examples = own["request"].get("examples", [])
    content: dict[str, Any] = {
        JSON: {
            "schema": request,
            "examples": {f"example {i}": {"value": one} for i, one in enumerate(examples, 1)},
        }
    }
    taken = [("header", *one) for one in HEADERS.items()]
    if table:
        content |= {media: {"schema": {}} for media in MEDIA}
        taken.append(("query", "options", "With a table: the request in JSON, without its rows."))
    return {
        "summary": summary,
        "operationId": "_".join(summary.split()),
        "parameters": [
            {"name": name, "in": where, "description": text, "schema": {"type": "string"}}
            for where, name, text in taken
        ],
        "requestBody": {"required": True, "content": content},
        "responses": {
            "200": {"description": "The reply", "content": {JSON: {"schema": reply}}},
            "default": _problems(problem),
        },
    }


def _problems(problem: Any) -> dict[str, Any]:
    return {"description": "Why not", "content": {PROBLEM: {"schema": problem}}}


def _renamed(schema: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A schema, and its examples, in which some properties have other names."""
    rename = {names.get(name, name): one for name, one in schema["properties"].items()}
    changed = {
        "properties": rename,
        "required": [names.get(one, one) for one in schema.get("required", [])],
    }
    if "examples" in schema:
        changed["examples"] = [
            {names.get(name, name): value for name, value in one.items()}
            for one in schema["examples"]
        ]
    return schema | changed


def _moved(
    schema: dict[str, Any], prefix: str, name: str, components: dict[str, Any]
) -> dict[str, str]:
    """A reference to a schema among the components, where its parts are put too."""
    own = dict(schema)
    parts = {**own.pop("$defs", {}), name: own}
    for part, one in parts.items():
        components[f"{prefix}{part}"] = _pointed(one, prefix)
    return {"$ref": f"#/components/schemas/{prefix}{name}"}


def _pointed(schema: Any, prefix: str) -> Any:
    """A schema whose references point among the components."""
    if isinstance(schema, list):
        return [_pointed(one, prefix) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: one.replace("#/$defs/", f"#/components/schemas/{prefix}")
        if key == "$ref" and isinstance(one, str)
        else _pointed(one, prefix)
        for key, one in schema.items()
    }
