"""What cannot be answered is a problem with its field, and never anything else."""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.contract import ROUTES, Handler, Limits, Problem
from ifonly.errors import MissingExtra, OptionError

from .asking import problem

ROW = {"income": 10, "job": "a"}


def asked(**changes: Any) -> str:
    return json.dumps({"rows": [ROW], "k": 1, **changes})


def row(**changes: Any) -> str:
    return asked(rows=[ROW, {**ROW, **changes}])


@pytest.mark.parametrize(
    ("body", "status", "field", "told"),
    [
        ("", 400, "", "not JSON"),
        (b"\xff\xfe\xff", 400, "", "not JSON"),
        ("[1]", 400, "", "The body is [1]"),
        ('{"rows": [], "rows": []}', 400, "rows", "stands twice"),
        ('{"rows": [{"income": 1, "income": 2}]}', 400, "rows[0].income", "stands twice"),
        ('{"rows": [{"income": NaN}]}', 400, "rows[0].income", "finite"),
        ('{"rows": [{"income": 1e999}]}', 400, "rows[0].income", "finite"),
        ('{"rows": [{"income": %s}]}' % ("9" * 5000), 400, "rows[0].income", "finite"),
        ('{"rows": [{"income": 9007199254740992}]}', 400, "rows[0].income", "too large"),
        ('{"rows": [{"job": "\\ud800"}]}', 400, "rows[0].job", "half of a character"),
        ("[" * 200_000, 400, "", "nested"),
        ('{"rows": ' + "[" * 30 + "]" * 30 + "}", 400, "rows" + "[0]" * 19, "nested"),
        ("{}", 422, "rows", "absent"),
        (asked(versio=1), 422, "versio", "no field 'versio'"),
        (asked(version=2), 422, "version", "2 cannot be used"),
        (asked(rows={}), 422, "rows", "cannot be used"),
        (asked(rows=[5]), 422, "rows[0]", "5 cannot be used"),
        (asked(k="4"), 422, "k", "'4' cannot be used"),
        (asked(k=True), 422, "k", "True cannot be used"),
        (asked(k=0), 422, "k", "0 cannot be used"),
        (asked(k=1.5), 422, "k", "1.5 cannot be used"),
        (asked(k=1000), 422, "k", "too many"),
        (asked(seed=-1), 422, "seed", "-1 cannot be used"),
        (asked(diversity=2), 422, "diversity", "2 cannot be used"),
        (asked(threshold=1), 422, "threshold", "1 cannot be used"),
        (asked(budget={"seconds": 0}), 422, "budget.seconds", "0 cannot be used"),
        (asked(budget={"minutes": 1}), 422, "budget.minutes", "no field"),
        (asked(plausible="yes"), 422, "plausible", "'yes' cannot be used"),
        (asked(tolerance={"job": 1}), 422, "tolerance", "a category"),
        (asked(tolerance={"job": -1}), 422, "tolerance.job", "-1 cannot be used"),
        (asked(margin=-1), 422, "margin", "-1 cannot be used"),
        (asked(certify=-1), 422, "certify", "-1 cannot be used"),
        (asked(target=None), 422, "target", "None cannot be used"),
        (asked(target="maybe"), 422, "target", "no class 'maybe'"),
        (asked(target=["yes", "no"]), 422, "target", "2 targets for 1 rows"),
        (asked(target=[True]), 422, "target[0]", "no class True"),
        (asked(target={"low": 1}), 422, "target", "a classifier"),
        (asked(weights={"agee": 1}), 422, "weights.agee", "no feature"),
        (asked(weights={"job": "x"}), 422, "weights.job", "'x' cannot be used"),
        (asked(weights={"job": {"up": -1}}), 422, "weights.job.up", "-1 cannot be used"),
        (asked(weights={"job": 1e10}), 422, "weights.job", "cannot be used"),
        (asked(weights={"job": {"up": 2}}), 422, "weights.job", "no order"),
        (asked(rules=["job fixed", "job fixd"]), 422, "rules[1]", "cannot be understood"),
        (asked(rules=[5]), 422, "rules[0]", "5 is not a rule"),
        (asked(rules=[{"rule": "fixed"}]), 422, "rules[0]", "lacks its 'name'"),
        (asked(rules=["x" * 10_000]), 422, "rules[0]", "10000 characters"),
        (asked(rules=["job fixed"] * 300), 413, "rules", "300 rules"),
        (asked(rules=["income >= 20", "income <= 10"]), 422, "rules", "No row can satisfy"),
        (asked(row_rules=[[], []]), 422, "row_rules", "2 lists for 1 rows"),
        (asked(row_rules=[["nothing"]]), 422, "row_rules[0][0]", "cannot be understood"),
        (row(age=3), 422, "rows[1].age", "no column 'age'"),
        (asked(rows=[{"income": 10}]), 422, "rows[0].job", "'job' is absent"),
        (row(income="10"), 422, "rows[1].income", "'10' is not a number"),
        (row(income=True), 422, "rows[1].income", "True is not a number"),
        (row(income=[10]), 422, "rows[1].income", "[10] is not a number"),
        (row(income=1e101), 422, "rows[1].income", "too large"),
        (row(income=10.5), 422, "rows[1].income", "whole numbers"),
        (row(income=None), 422, "rows[1].income", "no missing values"),
        (row(job="z"), 422, "rows[1].job", "'z' is not a known level"),
        (row(job=["a"]), 422, "rows[1].job", "not a known level"),
        (row(job="a" * 10_000), 422, "rows[1].job", "not a known level"),
        (asked(rows=[ROW] * 2000), 413, "rows", "2000 rows"),
    ],
)
def test_a_bad_question(small: Handler, body: Any, status: int, field: str, told: str) -> None:
    found = problem(small, "explain", body)
    assert (found.status, found.field) == (status, field)
    assert told in found.detail
    assert len(found.detail) < 2100
    assert found.type.startswith("urn:ifonly:problem:")
    code, text = small.respond("explain", body)
    assert code == status
    assert Problem.model_validate_json(text) == found


@pytest.mark.parametrize(
    ("name", "body", "field", "told"),
    [
        ("predict", {"rows": [ROW], "curve": "jop"}, "curve", "no feature 'jop'"),
        ("predict", {"rows": [ROW], "points": 1}, "points", "1 cannot be used"),
        ("predict", {"rows": [dict.fromkeys("abc", 1)]}, "rows[0].income", "'income' is absent"),
        ("distribution", {"features": ["job", "x"]}, "features[1]", "no feature 'x'"),
        ("distribution", {"features": "job"}, "features", "cannot be used"),
        ("plan", {"row": ROW, "changes": {"jop": "b"}}, "changes.jop", "no column"),
        ("plan", {"row": {**ROW, "job": 1}, "changes": {}}, "row.job", "not a known level"),
        ("check_rules", {"rules": [], "row": {"job": "a"}}, "row.income", "absent"),
        ("score_batch", {"rows": [ROW], "wanted": "maybe"}, "wanted", "no class"),
        ("score_batch", {"rows": [ROW], "wanted": "opposite"}, "wanted", "not a class"),
        ("model", {"rows": []}, "rows", "no field 'rows'"),
    ],
)
def test_a_bad_request_of_another_route(
    small: Handler, name: str, body: Any, field: str, told: str
) -> None:
    found = problem(small, name, body)
    assert (found.status, found.field) == (422, field)
    assert told in found.detail


@pytest.fixture(scope="module")
def examples(small: Handler) -> dict[str, dict[str, Any]]:
    """A request of each route that has one."""
    found = {route: one["request"]["examples"] for route, one in small.schemas().items()}
    return {route: some[0] for route, some in found.items() if some}


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_a_misspelled_field_is_named_with_the_one_that_is_absent(
    small: Handler, examples: dict[str, dict[str, Any]], data: st.DataObject
) -> None:
    needed = [
        (route, name)
        for route, one in ROUTES.items()
        for name, field in one.request.model_fields.items()
        if field.is_required() and route in examples
    ]
    route, name = data.draw(st.sampled_from(needed))
    request = dict(examples[route])
    place = data.draw(st.integers(0, len(name) - 1))
    other = data.draw(st.sampled_from([name[:place] + name[place + 1 :], f"{name}s", f"my_{name}"]))
    assume(other not in ROUTES[route].request.model_fields)
    request[other] = request.pop(name)
    found = problem(small, route, request)
    assert (found.status, found.field) == (422, other)
    assert found.detail == f"There is no field {other!r}."
    assert found.hint == f"Did you mean {name!r}?"


def test_an_absent_field_is_asked_for(small: Handler) -> None:
    found = problem(small, "explain", {"instances": [ROW]})
    assert (found.field, found.detail) == ("rows", "This field is absent.")
    assert found.hint == "Give 'rows'; there is no field 'instances'."
    assert problem(small, "explain", {}).hint == "Give 'rows'."


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("yesterday", "not a date"),
        ("now", "not a date"),
        ("2024-02-30", "not a date"),
        ("2024-02-03T10:00:00Z", "time zone"),
        (20240203, "not a date"),
    ],
)
def test_a_date_that_is_none(mixed: Handler, value: Any, told: str) -> None:
    (request, *_) = mixed.schemas()["predict"]["request"]["examples"]
    request["rows"][1]["since"] = value
    found = problem(mixed, "predict", request)
    assert found.field == "rows[1].since"
    assert told in found.detail + found.hint


def test_every_cell_with_an_error_is_listed(small: Handler) -> None:
    rows = [{"income": i if i % 40 else "x", "job": "a" if i % 50 else "z"} for i in range(100)]
    found = problem(small, "score_batch", {"rows": rows})
    places = ["rows[0].income", "rows[40].income", "rows[80].income", "rows[0].job", "rows[50].job"]
    assert [one.field for one in found.errors] == places
    rows = [{"income": "x", "job": "a"}] * 5000
    assert len(problem(small, "score_batch", {"rows": rows}).errors) == 100


def test_what_is_beyond_the_limits_of_a_handler(small: Handler) -> None:
    limits = Limits(body=100, rows=1, batch_rows=2, k=1, rules=1, seconds=5.0)
    strict = Handler(small.explainer, limits=limits)
    assert problem(strict, "predict", {"rows": [ROW], "curve": "job"}).field == "points"
    assert problem(strict, "explain", " " * 101).status == 413
    assert problem(strict, "explain", {"rows": [ROW, ROW]}).field == "rows"
    assert problem(strict, "explain", {"rows": [ROW]}).field == "k"
    assert problem(strict, "check_rules", {"rules": ["job fixed"] * 2}).field == "rules"
    wanted = {"rows": [ROW], "k": 1, "budget": {"seconds": 60}}
    assert strict.answer("explain", wanted).record["budget"] == {"pairs": [["seconds", 5.0]]}
    assert strict.answer("model", {}).limits.seconds == 5.0


def test_without_pydantic_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    monkeypatch.delitem(sys.modules, "ifonly.contract")
    with pytest.raises(MissingExtra, match="pip install 'ifonly\\[contract\\]'"):
        importlib.import_module("ifonly.contract")


def test_an_unknown_route_and_an_unknown_unit(small: Handler) -> None:
    found = problem(small, "explian", "{}")
    assert (found.status, found.hint) == (404, "Did you mean 'explain'?")
    with pytest.raises(OptionError, match="no feature 'pay'"):
        Handler(small.explainer, units={"pay": "EUR"})


def test_a_model_that_fails_is_no_fault_of_the_request() -> None:
    def broken(frame: Any) -> Any:
        if len(frame) == 1:
            raise ZeroDivisionError("secret")
        return frame["income"] > 40

    data = ifonly.datasets.make_lender(30, seed=0).frame[["income"]]
    handler = Handler(ifonly.Explainer(ifonly.as_model(broken, classes=[0, 1]), data=data))
    said = handler.answer("predict", {"rows": [{"income": 10}]}).rows[0]
    assert said.prediction is None
    assert said.scores == [None, None]
    assert said.note


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["job", "income", "a", "yes", "job fixed", "opposite", "P1D", 10, 1]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=4) | st.sampled_from(["income", "job", "rows", "k", "rule", "name"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, Any]:
    """A request of some route in which one thing is something else."""
    name = draw(st.sampled_from(sorted(ROUTES)))
    request = (
        {"rows": [dict(ROW)], "k": 1}
        if name in ("explain", "reasons", "why")
        else {"rows": [dict(ROW)]}
    )
    if name in ("plan", "check_rules"):
        request = {"row": dict(ROW), "changes": {"job": "b"}, "rules": ["job fixed"]}
    known = sorted(ROUTES[name].request.model_fields)
    for _ in range(draw(st.integers(1, 3))):
        request[draw(st.sampled_from(known))] = draw(JSON)
    if draw(st.booleans()):
        request = {key: one for key, one in request.items() if key in known}
    return name, request


@settings(max_examples=150, deadline=None)
@given(request=damaged() | st.tuples(st.sampled_from(sorted(ROUTES)), JSON))
def test_garbage_is_answered_or_refused_and_never_crashes(
    small: Handler, request: tuple[str, Any]
) -> None:
    name, given = request
    for body in (given, json.dumps(given)):
        status, text = small.respond(name, body)
        assert status == 200 or 400 <= status < 500, text
        reply = json.loads(text, parse_constant=lambda one: pytest.fail(f"{one} in a reply"))
        assert reply["version"] == 1 if status == 200 else reply["status"] == status


@settings(max_examples=50, deadline=None)
@given(st.text() | st.binary())
def test_bytes_are_refused(small: Handler, body: str | bytes) -> None:
    text = body if isinstance(body, str) else body.decode(errors="replace")
    assume("{" not in text)  # which may be an object, and is drawn elsewhere
    assert small.respond("model", body)[0] == 400
