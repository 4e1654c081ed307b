"""What an agent reads: the tools with the columns of the model, and replies in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mcp.types import Tool, ToolAnnotations

from ifonly.contract import Handler
from ifonly.contract.types import Fingerprints

TOOLS = {
    "describe_model": (
        "model",
        "Describe the model: its features with their values, its classes, and the rules in force. "
        "Call this first.",
    ),
    "check_rules": (
        "check_rules",
        "Check rules before they are used: how each one is understood, or where it is not, and "
        "which of them conflict for a row. Rules are lines such as 'age only increases', "
        "'education fixed', 'income at most 50000', 'at most 2 features change'.",
    ),
    "explain": (
        "explain",
        "Explain decisions: k different ways in which each row would have got another outcome. "
        "Each way is confirmed by the model and satisfies the rules. Repeat the sentences as they "
        "are. A row without ways has a status and the reason.",
    ),
    "reasons": (
        "reasons",
        "State why rows got their outcome: at most four principal reasons, whether or not anybody "
        "can act on them. Ways to another outcome are those of explain.",
    ),
    "what_if": (
        "predict",
        "Ask the model itself about rows with other values, or about all values of one feature "
        "('curve').",
    ),
    "why": (
        "why",
        "Find out why rows have no ways: which rules conflict, and which reject the candidates.",
    ),
    "plan": (
        "plan",
        "Put the changes of a way in an order in which no step breaks a rule.",
    ),
}
"""The route of each tool, and what an agent reads about it."""


def tools_of(handler: Handler) -> list[Tool]:
    """The tools for one model; the schemas have its own columns."""
    schemas = handler.schemas()
    return [
        Tool(
            name=name,
            description=text,
            input_schema=schemas[route]["request"],
            output_schema=_with_evidence(schemas[route]["reply"]),
            annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
        )
        for name, (route, text) in TOOLS.items()
    ]


def _with_evidence(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a reply that has the fingerprints of what answered."""
    own = {"fingerprints": Fingerprints.model_json_schema()}
    return schema | {"properties": {**own, **schema["properties"]}}


def in_words(route: str, reply: dict[str, Any]) -> str:
    """A reply as lines of text, the evidence last.

    >>> marks = {"model": "a", "space": "b", "rules": "c"}
    >>> said = {"prediction": "yes", "scores": [0.25, 0.75], "note": ""}
    >>> reply = {"classes": ["no", "yes"], "rows": [said], "curves": [], "fingerprints": marks}
    >>> print(in_words("predict", reply))
    Row 0: yes (no: 0.25, yes: 0.75).
    Evidence: model a, space b, rules c.
    """
    marks = ", ".join(f"{what} {mark}" for what, mark in reply["fingerprints"].items())
    return "\n".join([*_WORDS[route](reply), f"Evidence: {marks}."])


def in_words_of_problem(problem: dict[str, Any]) -> str:
    """What is wrong with a call, where, and what to do."""
    shown = problem["errors"] or [problem]
    lines = [
        f"{one['field']}: {one['detail']} {one['hint']}".removeprefix(": ").rstrip()
        for one in shown
    ]
    return "\n".join([f"{problem['title']}.", *lines])


def _model(reply: dict[str, Any]) -> Iterator[str]:
    """The model: its classes, features and rules."""
    known = ", ".join(_labelled(one) for one in reply["classes"])
    yield f"The model decides between {known}." if known else "The model predicts a number."
    for one in reply["features"]:
        values = f"from {one['low']} to {one['high']} {one['unit']}".rstrip()
        if one["levels"]:
            values = ", ".join(map(_labelled, one["levels"]))
        yield f"{_labelled(one | {'value': one['name']})}: {one['kind']}, {values}."
    yield f"Rules in force: {'; '.join(reply['rules']) or 'none'}."


def _labelled(one: dict[str, Any]) -> str:
    """A value, and what people call it where that differs."""
    value, label = str(one["value"]), str(one["label"])
    return value if label == value else f"{value} ({label})"


def _explain(reply: dict[str, Any]) -> Iterator[str]:
    """The status and the ways of each row, and what is proved."""
    for place, row in enumerate(reply["rows"]):
        score = "" if row["score"] is None else f" with a score of {row['score']:.3g}"
        note = f" {row['note']}" if row["note"] and row["answers"] else ""
        yield f"Row {place}: {row['status']}. The model says {row['prediction']}{score}.{note}"
        yield from (f"{i}. {way['sentence']}" for i, way in enumerate(row["answers"], 1))
        if row["sentence"]:
            yield row["sentence"]
        if proof := row["certificate"]:
            bound = f"No answer costs less than {proof['bound']}." if proof["bound"] else ""
            parts = ("Proved." if proof["proved"] else "Not proved.", bound, proof["reason"])
            yield " ".join(part for part in parts if part)


def _predict(reply: dict[str, Any]) -> Iterator[str]:
    """What the model says of each row, and of the points of its curve."""
    for place, row in enumerate(reply["rows"]):
        yield f"Row {place}: {_said(reply['classes'], row)}."
        curve = reply["curves"][place] if reply["curves"] else []
        yield from (f"  {point['value']}: {_said(reply['classes'], point)}" for point in curve)


def _said(classes: list[Any], said: dict[str, Any]) -> str:
    """A prediction with the score of each class, or why there is none."""
    if said["note"]:
        return str(said["note"])
    pairs = zip(classes, said["scores"], strict=False)
    scores = ", ".join(f"{name}: {score:.3g}" for name, score in pairs if score is not None)
    return f"{said['prediction']}" + f" ({scores})" * bool(scores)


def _check_rules(reply: dict[str, Any]) -> Iterator[str]:
    """How each rule is understood, and which conflict."""
    for place, rule in enumerate(reply["rules"]):
        where = "" if rule["place"] is None else f" (at character {rule['place']})"
        wrong = f"not understood{where}: {rule['error']} {rule['hint']}".rstrip()
        yield f"Rule {place}: {wrong if rule['error'] else rule['text']}"
    if reply["error"]:
        yield reply["error"]
    if reply["conflict"]:
        yield f"No answer to the row can satisfy all of: {'; '.join(reply['conflict'])}."


def _why(reply: dict[str, Any]) -> Iterator[str]:
    """What prevents answers for each row."""
    yield from (f"Row {i}: {row['sentence']}" for i, row in enumerate(reply["rows"]))


def _reasons(reply: dict[str, Any]) -> Iterator[str]:
    """The reasons of each row, numbered."""
    for place, row in enumerate(reply["rows"]):
        yield f"Row {place}: {row['prediction']}. {row['note']}".rstrip()
        for i, one in enumerate(row["reasons"], 1):
            code = f"[{one['code']}] " if one["code"] else ""
            mark = "" if one["actionable"] else " A reason that nobody can act on."
            yield f"{i}. {code}{one['sentence']}{mark}"


def _plan(reply: dict[str, Any]) -> Iterator[str]:
    """The steps, numbered."""
    steps = enumerate(reply["steps"], 1)
    yield from (f"{i}. {step['sentence']}" for i, step in steps)
    if not reply["steps"]:
        yield "Nothing changes."


_WORDS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "model": _model,
    "explain": _explain,
    "predict": _predict,
    "check_rules": _check_rules,
    "reasons": _reasons,
    "why": _why,
    "plan": _plan,
}
