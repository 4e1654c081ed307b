"""What can change, stated on the command line: rules, orders of levels, prices, and failures."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer

from ifonly import Answers, cost
from ifonly.cli.app import app
from ifonly.cli.options import as_row_rules, as_weights
from ifonly.tables.orders import as_ordinal


def refused(ran: Any, *words: str) -> None:
    """The command said what is wrong, on stderr alone, and ended with 2."""
    assert (ran.code, ran.out) == (2, ""), ran
    assert ran.err.startswith("Error: ")
    assert "\n\nHint: " in ran.err
    assert "Traceback" not in ran.err
    for word in words:
        assert word in ran.err


def framed(ran: Any) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(ran.out), dtype={"job": str})


CONTENT = {
    "rules.txt": "# what nobody changes\njob fixed\n\n  income only increases  \n",
    "rules.json": '["job fixed", {"rule": "monotone", "name": "income", "up": true}]',
    "beside.txt": "job fixed # nobody's\nincome only increases\t# 'up'\n",
    "marked.txt": "\ufeffjob fixed\r\nincome only increases\r\n",
}


@pytest.mark.parametrize("name", CONTENT)
def test_rules_of_a_file_are_those_given_one_by_one(explain: Any, folder: Path, name: str) -> None:
    (folder / name).write_text(CONTENT[name], encoding="utf-8", newline="")
    ran = explain("--rules", name, "--format", "csv")
    single = explain("--rule", "job fixed", "--rule", "income only increases", "--format", "csv")
    assert ran.code == 0
    assert ran.out == single.out


def test_every_command_with_an_option_k_takes_it_with_one_dash_or_two(explain: Any) -> None:
    assert explain("--k", "1", "--format", "csv").out == explain("-k", "1", "--format", "csv").out
    group: Any = typer.main.get_command(app)
    options = {one for name in group.commands for one in names_of(group.commands[name])}
    assert options == {("-k", "--k")}


def names_of(command: Any) -> list[tuple[str, ...]]:
    """How the options of a command are called of which one is -k."""
    return [tuple(one.opts) for one in command.params if "-k" in one.opts]


def test_a_file_and_single_rules_hold_together(explain: Any, folder: Path) -> None:
    (folder / "rules.txt").write_text("job fixed\n")
    ran = explain("--rules", "rules.txt", "--rule", "debt fixed", "-k", "1", "--format", "json")
    answers = Answers.from_json(ran.out)
    assert answers.record["rules"] == ["debt fixed", "job fixed"]
    assert set(answers.changes()["feature"]) == {"income"}


def test_moves_of_a_file_and_of_an_option_are_two_rules(explain: Any, folder: Path) -> None:
    (folder / "rules.txt").write_text("job: clerk -> nurse takes 2 of income\n")
    rule = "job: 10 -> clerk takes 1 of income"
    ran = explain("--rule", rule, "--rules", "rules.txt", "-k", "1", "--format", "json")
    assert ran.code == 0, ran.err
    lines = ['job: "10" -> clerk takes 1 of income', "job: clerk -> nurse takes 2 of income"]
    assert Answers.from_json(ran.out).record["rules"] == lines


FILES = {
    "an unknown feature": ("job fixed\n\nincom fixed\n", "Line 3: ", "Did you mean 'income'?"),
    "no rule": ("# only this\nincome grows\n", "Line 2: ", "cannot be understood"),
    "JSON that is broken": ('["job fixed"', "cannot be parsed", '["race fixed"]'),
    "a rule of JSON that does not exist": (
        '["job fixed", {"rule": "fixd", "name": "job"}]',
        "Rule 2: ",
        "Did you mean 'fixed'?",
    ),
    "a number in JSON": ("[3]", "Rule 1: 3 is not a rule", "race fixed"),
    "an empty file": ("", "is empty", "file of rules"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_of_rules_that_means_nothing_is_refused(
    explain: Any, folder: Path, case: str
) -> None:
    content, *words = FILES[case]
    (folder / "mine.txt").write_text(content)
    refused(explain("--rules", "mine.txt"), "'mine.txt'", *words)


def test_a_file_of_rules_that_cannot_be_read_is_refused(explain: Any, folder: Path) -> None:
    (folder / "rules.txt").write_bytes(b"\xff\xfejob fixed")
    refused(explain("--rules", "rule.txt"), "no file 'rule.txt'", "Did you mean 'rules.txt'?")
    garbage = explain("--rules", "rules.txt")
    assert (garbage.code, garbage.out) == (2, "")
    assert "'rules.txt' cannot be read as a file of rules" in garbage.err


def test_a_row_obeys_its_own_rules_and_no_other_row_does(explain: Any) -> None:
    free = framed(explain("--format", "csv"))
    own = ("--row-rule", "1: debt fixed", "--row-rule", " 1 : income at most 3500")
    bound = framed(explain("--format", "csv", *own))
    assert bound[bound["query"] == 0].equals(free[free["query"] == 0])
    second = bound[bound["query"] == 1]
    assert len(second)
    assert second["debt"].nunique() == 1
    assert (second["income"] <= 3500).all()


ROW_RULES = {
    "a row that is not there": ("2: debt fixed", "names row 2, and the file has 2 rows"),
    "a row below nothing": ("-1: debt fixed", "names row -1"),
    "no row": ("debt fixed", "is not the position of a row and a rule"),
    "no rule": ("0: ", "is not the position of a row and a rule"),
    "a feature that is not there": ("0: dept fixed", "Did you mean 'debt'?"),
}


@pytest.mark.parametrize("case", ROW_RULES)
def test_rules_of_rows_that_mean_nothing_are_refused(explain: Any, case: str) -> None:
    text, word = ROW_RULES[case]
    refused(explain("--row-rule", text), word)


def test_levels_go_up_in_the_order_that_is_told(explain: Any, folder: Path) -> None:
    """Whoever is in the middle of an order gets to one end of it."""
    (folder / "few.csv").write_text("income,debt,job\n2300,300,clerk\n")
    for order, seen in (("10, clerk, nurse", "nurse"), ("nurse, clerk, '10'", "10")):
        rules = ("--rule", "job only increases", "--rule", "job changes")
        ordinal = ("--ordinal", f"job: {order}")
        ran = explain(*rules, *ordinal, "--format", "csv", rows="few.csv")
        assert ran.code == 0
        assert set(framed(ran)["job"]) == {seen}


ORDERS = {
    "a level left out": (["job: clerk, nurse"], "leaves out '10'"),
    "a level misspelt": (["job: clerk, nurs, 10"], "leaves out 'nurse'"),
    "an unknown column": (["jop: clerk, nurse, 10"], "Did you mean 'job'?"),
    "no column": (["clerk, nurse, 10"], "does not state an order"),
    "no level": (["job:"], "does not state an order"),
    "an empty place": (["job: clerk,, nurse, 10"], "does not state an order"),
    "a level twice": (["job: clerk, nurse, 10, clerk"], "names clerk twice"),
    "a column twice": (["job: 10, clerk, nurse", "job: 10, nurse, clerk"], "'job' twice"),
}


@pytest.mark.parametrize("case", ORDERS)
def test_orders_that_mean_nothing_are_refused(explain: Any, case: str) -> None:
    texts, word = ORDERS[case]
    refused(explain(*(part for text in texts for part in ("--ordinal", text))), word)


def test_a_dear_change_is_avoided(explain: Any, folder: Path) -> None:
    (folder / "few.csv").write_text("income,debt,job\n2600,500,nurse\n")
    for dear, cheap in (("income=50", "debt"), ("debt=up 1, down 50", "income")):
        weight = ("--weight", dear, "--rule", "job fixed", "-k", "1")
        ran = explain(*weight, "--format", "json", rows="few.csv")
        assert set(Answers.from_json(ran.out).changes()["feature"]) == {cheap}


def test_prices_are_recorded(explain: Any) -> None:
    weights = ("--weight", "debt=2", "--weight", "income=down 0.5, up 3")
    answers = Answers.from_json(explain(*weights, "--format", "json").out)
    assert dict(answers.space.weights) == {"debt": 2.0, "income": cost(up=3.0, down=0.5)}


WEIGHTS = {
    "no price": (["income"], "does not state a price"),
    "an empty price": (["income="], "does not state a price"),
    "a word": (["income=two"], "does not state a price"),
    "nothing": (["income=0"], "--rule 'age fixed'"),
    "less than nothing": (["income=up -2"], "does not state a price"),
    "no number": (["income=nan"], "does not state a price"),
    "a way alone": (["income=up"], "does not state a price"),
    "a way that is none": (["income=aside 3"], "does not state a price"),
    "a way twice": (["income=up 3, up 4"], "does not state a price"),
    "an unknown feature": (["incom=2"], "Did you mean 'income'?"),
    "ways of levels without an order": (["job=up 2"], "its levels have no order"),
    "a feature twice": (["income=2", "income=3"], "'income' twice"),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_prices_that_mean_nothing_are_refused(explain: Any, case: str) -> None:
    texts, word = WEIGHTS[case]
    refused(explain(*(part for text in texts for part in ("--weight", text))), word)


SHUT = (
    "--row-rule",
    "1: income fixed",
    "--row-rule",
    "1: debt fixed",
    "--row-rule",
    "1: job fixed",
)
POOR = ("--rule", "only income change", "--rule", "income changes by at most 9")


def test_what_rejects_candidates_stands_under_the_row(explain: Any) -> None:
    ran = explain(*POOR, "--explain-failures")
    assert (ran.code, ran.err) == (3, "2 rows: 2 infeasible.\n")
    told = " ".join(ran.out.split())
    assert told.count("candidates have the wanted outcome; 'income changes by at most 9'") == 2
    assert "candidates" not in explain(*POOR).out


def test_a_conflict_is_named_once(explain: Any) -> None:
    ran = explain(*SHUT, "--explain-failures")
    assert (ran.code, ran.err) == (3, "2 rows: 1 found, 1 infeasible.\n")
    assert ran.out == explain(*SHUT).out
    assert ran.out.count("'income fixed'") == 1


def test_a_table_in_a_file_has_the_reasons(explain: Any, folder: Path) -> None:
    ran = explain(*POOR, "--explain-failures", "--out", "answers.txt")
    assert (ran.code, ran.out) == (3, "")
    assert "candidates have the wanted outcome" in (folder / "answers.txt").read_text()


@pytest.mark.parametrize("written", ["json", "csv", "html"])
def test_other_formats_keep_their_data_and_reasons_go_to_stderr(explain: Any, written: str) -> None:
    ran = explain(*SHUT, *POOR, "--explain-failures", "--format", written)
    plain = explain(*SHUT, *POOR, "--format", written)
    assert (ran.code, ran.out) == (3, plain.out)
    first, second, last = ran.err.splitlines()
    assert first.startswith("Row ")
    assert "candidates have the wanted outcome" in first
    assert "'income fixed'" in second
    assert last == plain.err.strip()


def test_answered_rows_have_nothing_to_explain(explain: Any) -> None:
    ran = explain("--explain-failures")
    assert (ran.code, ran.out, ran.err) == (0, explain().out, "2 rows: 2 found.\n")


def test_an_interrupted_run_does_not_search_for_reasons(
    explain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("the row was searched")

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ifonly.answers.answers.why_of", never)
    monkeypatch.setattr("ifonly.solve.workers.work.answer", interrupted)
    ran = explain("--explain-failures", "--format", "csv")
    assert (ran.code, ran.out, ran.err) == (130, "", "Interrupted.\n")


def test_an_interrupt_leaves_the_rest_unexplained(
    explain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ifonly.answers.answers.why_of", interrupted)
    ran = explain(*POOR, "--explain-failures")
    assert ran.code == 130
    assert ran.err.endswith("Interrupted: 2 of 2 rows were searched; written to stdout.\n")


ODD = pd.DataFrame({"a: b": [1.0, 2.0], "c=d": ["x, y", "z"], "e": [True, False], "f": ["1", 1]})


def test_quotes_hold_what_a_sign_would_cut() -> None:
    orders = as_ordinal(["a: b: 2, 1", "'c=d': \"x, y\", z", "e: False, True"], ODD)
    assert orders == {"a: b": [2.0, 1.0], "c=d": ["x, y", "z"], "e": [False, True]}
    assert as_weights(["c=d=2", "'a: b' = down 3"], list(ODD)) == {"c=d": 2.0, "a: b": cost(down=3)}


def test_a_rule_of_a_row_may_hold_colons() -> None:
    assert as_row_rules(["0: job: a -> b, b -> c"], 1) == {0: ["job: a -> b, b -> c"]}
