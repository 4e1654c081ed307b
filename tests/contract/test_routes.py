"""What each route says is what ifonly says in Python."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly import CausalModel
from ifonly.answers.why import why_of
from ifonly.contract import ROUTES, Handler
from ifonly.contract.routes.distribution import LEAST

from .asking import as_json

ROW = {"income": 10, "job": "a"}


def other_handlers() -> list[Handler]:
    """Those of a regressor and of three classes, whose wanted outcomes are of another kind."""
    data = pd.DataFrame({"a": np.arange(30.0), "b": np.arange(30)[::-1]})
    number = ifonly.as_model(lambda frame: 2 * frame["a"] + frame["b"], task="regression")
    three = ifonly.as_model(
        lambda frame: np.eye(3)[(frame["a"] // 11).astype(int).clip(0, 2)], classes=[0, 1, 2]
    )
    return [Handler(ifonly.Explainer(model, data=data)) for model in (number, three)]


def test_every_example_of_the_schemas_is_answered(small: Handler, mixed: Handler) -> None:
    for handler in (small, mixed, *other_handlers()):
        for name, schemas in handler.schemas().items():
            route = ROUTES[name]
            assert schemas["request"]["additionalProperties"] is False
            for example in schemas["request"]["examples"]:
                status, text = handler.respond(name, json.dumps(example))
                if handler is mixed and name == "region":  # its model takes what is carried
                    assert status == 422
                    continue
                assert status == 200, (name, text)
                if handler is small and name != "record":  # which has the time
                    assert handler.respond(name, example) == (200, text), "it is deterministic"
                assert route.reply.model_validate_json(text).model_dump_json() == text
                assert set(json.loads(text)) == set(schemas["reply"]["properties"])


def test_the_schemas_know_the_columns_of_the_model(mixed: Handler) -> None:
    schema = mixed.schemas()["explain"]["request"]["$defs"]["Row"]
    age, pay = schema["properties"]["age"], schema["properties"]["pay"]
    assert age == {"type": "integer", "description": "From 18 to 68 in the data."}
    assert pay["type"] == ["number", "null"]
    assert schema["properties"]["grade"] == {"enum": ["low", "mid", "high"]}
    assert schema["properties"]["member"] == {"enum": [False, True]}
    assert set(schema["required"]) == set(schema["properties"])
    assert mixed.schemas()["plan"]["request"]["$defs"]["Changes"]["required"] == []


def test_the_model_says_what_it_is(mixed: Handler, frame: pd.DataFrame) -> None:
    reply = mixed.answer("model", "{}")
    cards = {card.name: card for card in reply.features}
    assert list(cards) == [name for name in frame if name != "customer"]
    assert (cards["pay"].label, cards["pay"].unit, cards["pay"].missing) == ("Income", "EUR", True)
    assert (cards["age"].type, cards["age"].low) == ("integer", frame["age"].min())
    assert (cards["since"].type, cards["since"].unit) == ("date-time", "days")
    assert cards["since"].low == frame["since"].min().isoformat()
    assert cards["grade"].kind == "ordinal"
    assert [level.label for level in cards["grade"].levels] == ["low", "middle", "high"]
    assert [level.value for level in cards["member"].levels] == [False, True]
    assert [(g.name, g.label, g.columns) for g in reply.groups] == [
        ("job", "Occupation", ["job_a", "job_b", "job_c"])
    ]
    assert [(c.value, c.label) for c in reply.classes] == [(0, "refused"), (1, "granted")]
    assert (reply.carried, reply.rules) == (["customer"], ["age only increases"])
    record = mixed.explainer.explain(frame[:0]).record
    for what in ("model", "space", "rules"):
        assert getattr(reply.fingerprints, what) == record[f"{what}_fingerprint"]


def test_predictions_are_those_of_the_model_itself(
    mixed: Handler, explainer: ifonly.Explainer, frame: pd.DataFrame
) -> None:
    model = explainer.setting.model.scores  # asked with codes
    reply = mixed.answer("predict", {"rows": as_json(frame[:4]), "curve": "grade"})
    codes = explainer.setting.space.codes(frame[:4])
    tagged = np.column_stack([codes, np.arange(4)])
    np.testing.assert_allclose([one.scores for one in reply.rows], model(tagged))
    assert [len(curve) for curve in reply.curves] == [3] * 4
    for row, curve, own in zip(reply.rows, reply.curves, frame["grade"], strict=False):
        assert [point.value for point in curve] == ["low", "mid", "high"]
        at_row = next(point for point in curve if point.value == own)
        assert at_row.scores == pytest.approx(row.scores)
        assert at_row.prediction == row.prediction


def test_a_curve_of_a_group_sets_one_of_its_columns(mixed: Handler, frame: pd.DataFrame) -> None:
    row = as_json(frame[:1])[0]
    by_group, by_column = (
        mixed.answer("predict", {"rows": [row], "curve": name}).curves[0]
        for name in ("job", "job_b")
    )
    assert by_group == by_column
    for point in by_group:
        edited = row | {f"job_{name}": int(name == point.value) for name in "abc"}
        (said,) = mixed.answer("predict", {"rows": [edited]}).rows
        assert said.scores == pytest.approx(point.scores)
        assert said.prediction == point.prediction


def test_a_curve_has_few_values_of_a_number_and_a_threshold_decides(small: Handler) -> None:
    request = {"rows": [ROW], "curve": "income", "points": 3, "threshold": 0.9}
    (curve,) = small.answer("predict", request).curves
    assert [(point.value, point.prediction) for point in curve] == [
        (10, "no"),
        (30, "no"),
        (50, "yes"),
    ]
    assert small.answer("predict", {"rows": []}).rows == []


def test_rules_are_parsed_or_marked_where_they_cannot_be(mixed: Handler) -> None:
    lines: list[Any] = [
        "age at  least 30",
        "  pay at mst 3",
        {"rule": "fixed", "name": "age"},
        "",
        5,
    ]
    reply = mixed.answer("check_rules", {"rules": lines})
    said = [(one.text, one.error.partition(":")[2], one.place) for one in reply.rules]
    assert said[0] == ("age at least 30", "", None)
    assert said[1] == ("", " after 'pay', 'at' is not a verb of a rule.", len("  pay "))
    assert reply.rules[1].hint == "Did you mean 'at most'?"
    assert said[2][0] == "age fixed"
    assert reply.rules[3].place == 0
    assert "5 is not a rule" in reply.rules[4].error
    assert reply.rules[0].rule == {"rule": "between", "name": "age", "low": 30.0, "high": None}
    assert reply.rules[0].features == ["age"]
    again = mixed.answer("check_rules", {"rules": [one.rule for one in reply.rules if one.rule]})
    assert [one.text for one in again.rules] == [one.text for one in reply.rules if one.text]


@pytest.mark.parametrize(
    ("rules", "conflict"),
    [
        (["age at most 20", "pay fixed"], ["age only increases", "age at most 20"]),
        (["age at most 60"], []),
    ],
)
def test_rules_that_conflict_for_a_row(
    mixed: Handler, frame: pd.DataFrame, rules: list[str], conflict: list[str]
) -> None:
    row = {**as_json(frame[:1])[0], "age": 40}
    reply = mixed.answer("check_rules", {"rules": rules, "row": row})
    assert sorted(reply.conflict) == sorted(conflict)


def test_rules_that_no_row_can_satisfy(small: Handler) -> None:
    reply = small.answer("check_rules", {"rules": ["income <= 10", "income >= 20"]})
    assert "No row can satisfy the rules" in reply.error


def test_why_is_that_of_answers(small: Handler) -> None:
    for rules in (["income fixed", "job fixed"], ["income fixed"]):
        (said,) = small.answer("why", {"rows": [ROW], "k": 1, "rules": rules}).rows
        answers = small.explainer.explain(pd.DataFrame([ROW]), k=1, rules=rules)
        why = why_of(answers, 0, lift=False)  # what to lift, a page asks for itself, and later
        assert (said.status, said.sentence) == (why.status, str(why))
        assert (said.conflict, said.rejected) == (list(why.conflict), dict(why.rejected))
        assert said.conflict == rules or said.rejected == {"income fixed": said.valid}


def test_what_was_just_asked_is_not_asked_again_to_say_why(small: Handler) -> None:
    question = {"rows": [ROW], "k": 1, "rules": ["income fixed"]}
    other = {**question, "rules": ["job fixed", "income fixed"]}
    alone = [small.answer("why", one) for one in (question, other)]
    small.answer("explain", {**question, "reasons": True})
    kept = dict(small.last)
    assert small.answer("why", question) == alone[0]
    assert all(small.last[key] is answers for key, answers in kept.items())
    assert small.answer("why", other) == alone[1]
    assert not kept.keys() & small.last.keys()
    small.answer("explain", {"rows": [ROW, ROW], "k": 1})
    assert not small.last


def test_a_plan_is_that_of_answers(mixed: Handler, frame: pd.DataFrame) -> None:
    rules = ["grade increases => age increases by at least 2"]
    answers = mixed.explainer.explain(frame[:1], k=3, rules=rules)
    row = as_json(frame[:1])[0]
    reply = mixed.answer("explain", {"rows": [row], "k": 3, "rules": rules})
    for place, way in enumerate(reply.rows[0].answers):
        changes = {one.feature: one.after for one in way.changes}
        steps = mixed.answer("plan", {"row": row, "changes": changes, "rules": rules}).steps
        assert [one.sentence for one in steps] == [str(s) for s in answers.plan(0, place).steps]
        assert {c.feature: c.after for step in steps for c in step.changes} == changes


def test_consequences_are_told_apart_and_planned() -> None:
    data = pd.DataFrame({"degree": ["no", "yes"] * 20, "pay": [10, 30] * 20})
    model = ifonly.as_model(lambda frame: frame["pay"] > 25, classes=[0, 1])
    pay = {"pay": lambda causes: causes["degree"].map({"no": 10, "yes": 30})}
    causes = CausalModel({"pay": ("degree",)}, pay, actions=("degree",))
    handler = Handler(ifonly.Explainer(model, data=data, causes=causes))
    row = {"degree": "no", "pay": 10}
    (way,) = handler.answer("explain", {"rows": [row], "k": 1}).rows[0].answers
    assert {one.feature: one.follows for one in way.changes} == {"degree": False, "pay": True}
    assert handler.answer("model", {}).causes
    changes = {one.feature: one.after for one in way.changes if not one.follows}
    (step,) = handler.answer("plan", {"row": row, "changes": changes}).steps
    assert step.sentence == "degree from no to yes; then pay 30"
    assert [one.follows for one in step.changes] == [False, True]


def test_a_late_reply_has_statuses_and_is_no_problem(small: Handler) -> None:
    request = {"rows": [ROW, ROW], "k": 1, "budget": {"seconds": 1e-9}}
    reply = small.answer("explain", request)
    assert [row.status for row in reply.rows] == ["skipped"] * 2
    assert all(row.sentence and row.score is None for row in reply.rows)


def test_scores_of_a_batch_are_counted(small: Handler) -> None:
    rows = [{"income": income, "job": "a"} for income in (10, 41, 50)]
    reply = small.answer("score_batch", {"rows": rows, "threshold": 0.5})
    assert (reply.wanted, reply.scores, reply.reach) == ("yes", [0.0, 1.0, 1.0], 2)
    assert (reply.predictions, reply.failed) == (["no", "yes", "yes"], 0)
    reply = small.answer("score_batch", {"rows": rows, "wanted": "no"})
    assert (reply.scores, reply.reach) == ([1.0, 0.0, 0.0], None)


COLUMN = {
    "number": st.floats(-100, 100).map(lambda one: round(one, 1)) | st.just(float("nan")),
    "whole": st.integers(0, 5),
    "level": st.sampled_from("aaaaabbbcd") | st.none(),
}


@settings(max_examples=15, deadline=None)
@given(
    st.integers(1, 80).flatmap(
        lambda n: st.fixed_dictionaries(
            {name: st.lists(one, min_size=n, max_size=n) for name, one in COLUMN.items()}
        )
    )
)
def test_no_bin_has_fewer_than_ten_rows_and_none_is_lost(columns: dict[str, list[Any]]) -> None:
    data = pd.DataFrame({**columns, "one": 1})
    data = data.loc[:, data.notna().any()]
    model = ifonly.as_model(lambda frame: np.zeros(len(frame), int), classes=[0, 1])
    explainer = ifonly.Explainer(model, data=data)
    reply = Handler(explainer).answer("distribution", {})
    for shown in reply.histograms:
        values = data[shown.feature]
        counts = [one.count for one in shown.bins]
        assert all(count >= LEAST for count in counts)
        gaps, level = int(values.isna().sum()), shown.feature == "level"
        assert shown.missing == (None if level or gaps < LEAST else gaps)
        known = len(values) if level else len(values) - gaps
        assert sum(counts) == (known if known >= LEAST else 0)
        for one in shown.bins:
            inside = values.isin(one.levels) if level else values.between(one.low, one.high)
            if None in one.levels:
                inside |= values.isna()
            assert inside.sum() == one.count


def test_regions_are_those_of_the_answers(small: Handler) -> None:
    (areas,) = small.answer("region", {"rows": [ROW], "k": 2}).rows
    answers = small.explainer.explain(pd.DataFrame([ROW]), k=2)
    own = [answers.region(0), *(answers.region(0, a) for a in range(int(answers.filled.sum())))]
    assert [one.sentence for one in (areas.row, *areas.answers)] == [str(one) for one in own]
    assert [one.rules for one in (areas.row, *areas.answers)] == [list(one.rules) for one in own]
    assert [one.proved for one in (areas.row, *areas.answers)] == [one.proved for one in own]


def test_examples_are_real_rows_with_the_wanted_outcome(
    mixed: Handler, explainer: ifonly.Explainer, frame: pd.DataFrame
) -> None:
    rows = as_json(frame[:3])
    for under_rules in (True, False):
        asked = {"rows": rows, "k": 2, "under_rules": under_rules}
        found = mixed.answer("examples", asked).rows
        real = explainer.explain(frame[:3], k=2).examples(n=2, rules=under_rules)
        assert [[way.sentence for way in row.answers] for row in found] == [
            lines[: int(filled.sum())]
            for lines, filled in zip(real.sentences(), real.filled, strict=True)
        ]
        assert any(row.answers for row in found)
