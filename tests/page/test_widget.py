"""The page in a notebook: messages in, replies of the contract out."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pandas as pd
import pytest

import ifonly
from ifonly.contract import ROUTES, Handler
from ifonly.errors import MissingExtra, OptionError

DATA = pd.DataFrame({"income": [10, 30, 50, 70], "job": ["a", "b", "a", "b"]})
MODEL = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
EXPLAINER = ifonly.Explainer(MODEL, data=DATA, rules=["job fixed"])


def told(widget: Any, message: Any) -> list[Any]:
    """What a widget sends back to the page."""
    sent: list[Any] = []
    widget.send = lambda content, buffers=None: sent.append(json.loads(json.dumps(content)))
    widget._handle_custom_msg(message, [])
    return sent


def test_every_message_is_answered_as_the_contract_answers_it() -> None:
    widget, row = EXPLAINER.page(DATA[:1]), DATA[:1].to_dict("records")
    bodies: list[Any] = [{}, {"rows": row, "k": 2}, {"rows": 3}, {"x": 1}]
    for name, body in product([*ROUTES, "nothing", "__class__"], bodies):
        status, text = Handler(EXPLAINER).respond(name, body)
        (said,) = told(widget, {"id": 7, "name": name, "body": body})
        wanted = json.loads(text)
        for one in (said["body"], wanted):
            one.pop("record", None)  # which says how long it took
            for kept in one.get("records", []):
                kept.pop("time"), kept.pop("run")
        assert said == {"id": 7, "status": status, "body": wanted}


@pytest.mark.parametrize("message", [{}, {"id": 1}, {"id": 2, "name": None, "body": []}])
def test_a_message_that_asks_nothing_gets_a_problem(message: Any) -> None:
    (said,) = told(EXPLAINER.page(), message)
    assert said["status"] == 404
    assert said["body"]["type"] == "urn:ifonly:problem:route"


def test_a_page_of_answers_asks_what_they_were_asked() -> None:
    options: dict[str, Any] = {"k": 2, "target": "yes", "seed": 3, "rules": ["income <= 60"]}
    answers = EXPLAINER.explain(DATA[:2], **options)
    widget = answers.page(row=1, title="Loans")
    start = widget.start
    assert (start["rows"], start["row"]) == (DATA[:2].to_dict("records"), 1)
    asked = {**start["options"], "rows": start["rows"]}
    (said,) = told(widget, {"id": 1, "name": "explain", "body": asked})
    ways = [[way["sentence"] for way in row["answers"]] for row in said["body"]["rows"]]
    assert ways == answers.sentences()


def test_answers_of_a_file_have_no_page(refused: Any) -> None:
    answers = ifonly.Answers.from_json(EXPLAINER.explain(DATA[:1]).to_json())
    refused(OptionError, "no model", hint="Ask again", ask=answers.page)


def test_without_anywidget_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "ifonly.page.widget", raising=False)
    with pytest.raises(MissingExtra) as caught:
        EXPLAINER.page(DATA[:1])
    assert "ifonly[page]" in caught.value.hint
