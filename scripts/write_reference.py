"""Write the pages of the reference that code knows best: `python scripts/write_reference.py`.

The command line comes from the typer app, the REST contract from its OpenAPI description. What is
written is committed; a test writes it again and compares.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import typer

sys.path.insert(0, str(Path(__file__).parent))

from write_openapi import openapi

from ifonly.cli.app import app
from ifonly.contract import ROUTES
from ifonly.contract.question import Question

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
NOTE = "<!-- Written by scripts/write_reference.py: edit what it reads, not this page. -->"
ROW = {"income": 21000, "debt": 4000, "job": "service"}
"""The row of the examples."""
KINDS = {"str": "text", "int": "integer", "float": "number", "bool": "", "Path": "path"}


def main() -> None:
    """Write both pages."""
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """The text of each page, by the name of its file."""
    return {"command-line.md": command_line(), "rest.md": rest()}


def command_line() -> str:
    """Every command with its arguments and options."""
    group: Any = typer.main.get_command(app)
    intro = f"{group.help} `ifonly COMMAND --help` shows the same in a terminal.\n\n{group.epilog}"
    parts = [f"# Command line\n\n{NOTE}\n\n{intro}"]
    parts += [_command(name, command) for name, command in _commands(group, "ifonly")]
    return "\n\n".join(parts) + "\n"


def _commands(group: Any, before: str) -> Iterator[tuple[str, Any]]:
    """The commands of a group and of the groups in it, by their whole names."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before} {name}")
        else:
            yield f"{before} {name}", command


def _command(name: str, command: Any) -> str:
    """The section of one command."""
    options = [one for one in command.params if one.name != "help" and not one.hidden]
    words = [_word(one) for one in options if not one.opts[0].startswith("-")]
    needed = [
        f"{one.opts[0]} {_kind(one)}" for one in options if one.required and one.opts[0][0] == "-"
    ]
    usage = " ".join([name, *words, *needed, "[OPTIONS]"])
    lines = [f"| {_names(one)} | {_cell(one.help or '')}{_default(one)} |" for one in options]
    table = "\n".join(["| argument or option | meaning |", "|---|---|", *lines])
    head = f"## {name}\n```text\n{usage}\n```\n{_text(command.help)}"
    return f"{head}\n\n{table}" if lines else head


def _word(argument: Any) -> str:
    """An argument in the usage line."""
    name = str(argument.metavar or argument.name).upper()
    name += "..." if argument.nargs == -1 or argument.multiple else ""
    return name if argument.required else f"[{name}]"


def _names(option: Any) -> str:
    """How an option is written, with the kind of its value."""
    if not option.opts[0].startswith("-"):
        return f"`{_word(option)}`"
    names = ", ".join(f"`{one}`" for one in [*option.opts, *option.secondary_opts])
    kind = _kind(option)
    more = "; several times" if option.multiple else ""
    return f"{names} {kind}{more}".rstrip()


def _kind(option: Any) -> str:
    """What the value of an option is: a kind, or the words that it may be."""
    annotation = option.type_descriptor.annotation
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " · ".join(f"`{one.value}`" for one in annotation)
    text = getattr(annotation, "__name__", str(annotation))
    found = next((kind for kind in KINDS if re.search(rf"\b{kind}\b", text)), "str")
    return KINDS[found].upper()


def _default(option: Any) -> str:
    """The default, where there is one worth saying."""
    if option.required:
        return " Required."
    value = option.default
    if value is None or value is False or value == "" or callable(value):
        return ""
    shown = getattr(value, "value", value)
    return f" Default: `{str(shown).lower() if isinstance(shown, bool) else shown}`."


def rest() -> str:
    """Every route of the contract, with the fields of its request and reply, and every type."""
    told = openapi()
    schemas = told["components"]["schemas"]
    used = {_name(schema) for schema in _bodies(told)}
    head = (
        f"# REST contract\n\n{NOTE}\n\n"
        "Each route is a POST of JSON to `/v1/ROUTE`, or to `/v1/models/MODEL/ROUTE` where a "
        "service has several models. A request may state the `version` of the contract, which is "
        "1, and a reply has it. An error is a [Problem](#problem) with a status of 400 and above. "
        "A service describes its own models, with their columns, at `/openapi.json`. "
        "[Ask over JSON](../guides/ask-over-json.md) and [Run the service](../guides/serve.md) "
        "show how it is used; health, jobs and metrics are there.\n\n"
        "| route | request |\n|---|---|\n"
    )
    head += "\n".join(f"| [{name}](#{name}) | {_said(schemas, name)} |" for name in ROUTES)
    routes = [_route(name, told["paths"][f"/v1/{name}"]["post"], schemas) for name in ROUTES]
    rest = [name for name in sorted(schemas) if name not in used]
    types = [_type(name, schemas[name]) for name in rest]
    return "\n\n".join([head, *routes, "## Types", *types]) + "\n"


def _said(schemas: dict[str, Any], name: str) -> str:
    return _cell(schemas[ROUTES[name].request.__name__]["description"])


def _bodies(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schemas of all requests and replies."""
    for path in told["paths"].values():
        yield path["post"]["requestBody"]["content"]["application/json"]["schema"]
        yield path["post"]["responses"]["200"]["content"]["application/json"]["schema"]


def _route(name: str, post: dict[str, Any], schemas: dict[str, Any]) -> str:
    """The section of one route."""
    request = ROUTES[name].request
    asked = schemas[_name(post["requestBody"]["content"]["application/json"]["schema"])]
    replied = schemas[_name(post["responses"]["200"]["content"]["application/json"]["schema"])]
    said = _text(asked["description"])
    if issubclass(request, Question) and name != "explain":
        said += " It has the fields of [explain](#explain)"
        own = [one for one in asked["properties"] if one not in Question.model_fields]
        asked = asked | {"properties": {one: asked["properties"][one] for one in own}}
        said += ", and these:" if own else "."
    parts = [f"## {name}", f"`POST /v1/{name}`. {said}", _fields(asked, asked.get("required", ()))]
    for example in request.examples(ROW, ROW, "opposite")[:1]:
        parts.append(f"```json\n{json.dumps(example, indent=1)}\n```")
    parts += [f"**Reply.** {_text(replied['description'])}", _fields(replied)]
    return "\n\n".join(filter(None, parts))


def _type(name: str, schema: dict[str, Any]) -> str:
    """The section of one type."""
    said = _text(schema.get("description", ""))
    fields = _fields(schema) or f"{_json_kind(schema)}."
    return "\n\n".join(filter(None, [f"### {name}", said, fields]))


def _fields(schema: dict[str, Any], needed: Iterable[str] = ()) -> str:
    """A table of the fields of an object; nothing where it has none."""
    lines = [
        f"| `{name}` | {_json_kind(one)} | {_meaning(name, one, needed)} |"
        for name, one in schema.get("properties", {}).items()
        if name != "version"
    ]
    return "\n".join(["| field | type | meaning |", "|---|---|---|", *lines]) if lines else ""


def _meaning(name: str, field: dict[str, Any], needed: Iterable[str]) -> str:
    """What a field means, and what it is where it is left out."""
    text = _cell(field.get("description", ""))
    if name in needed:
        return f"{text} Required.".strip()
    default = field.get("default")
    return f"{text} Default: `{json.dumps(default)}`.".strip() if "default" in field else text


def _json_kind(schema: dict[str, Any]) -> str:
    """A type of JSON in a few words, with links to the types of the contract."""
    if "$ref" in schema:
        return f"[{_name(schema)}](#{_name(schema).lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_json_kind(one) for one in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return " or ".join(
            f"`{json.dumps(one)}`" for one in schema.get("enum", [schema.get("const")])
        )
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"list of {_json_kind(schema.get('items', {}))}"
    inside = schema.get("additionalProperties")
    if kind == "object" and isinstance(inside, dict):
        return f"object of {_json_kind(inside)}"
    return str(kind)


def _name(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[1]


def _text(text: str) -> str:
    """Help text as Markdown."""
    return re.sub(r"\n(?!\n)(?<!\n\n)", " ", text.replace("\r", "").strip()).replace("<", "&lt;")


def _cell(text: str) -> str:
    """Text in a cell of a table."""
    return " ".join(_text(text).split()).replace("|", r"\|")


if __name__ == "__main__":
    main()
