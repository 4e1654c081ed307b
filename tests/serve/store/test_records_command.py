"""`ifonly records` shows, checks and erases what a service has recorded."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

import joblib
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from ifonly.cli import main
from ifonly.contract import DecisionRecord
from ifonly.contract.question import Question, ask
from ifonly.serve.open import ModelFile
from ifonly.serve.store import open_store, read_key

from .conftest import NOON, new_schema

Run: TypeAlias = Callable[..., tuple[int, str, str]]
ASKED: list[dict[str, Any]] = [
    {"k": 2},
    {"k": 1, "rules": ["debt fixed"], "weights": {"income": 2.0}, "seed": 3},
    {"k": 1, "budget": {"seconds": 60.0}},
]


@pytest.fixture(scope="module")
def lender(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with its data, and a second one; records of three questions about two rows."""
    folder = tmp_path_factory.mktemp("lender")
    debt = [i * 37 % 90 for i in range(60)]
    data = pd.DataFrame({"income": [1000 + 50 * i for i in range(60)], "debt": debt, "zip": debt})
    paid = (data["income"] - 10 * data["debt"] > 2000).map({True: "yes", False: "no"})
    data.assign(paid=paid).to_csv(folder / "train.csv", index=False)
    for name, strength in (("model", 1.0), ("other", 1e-6)):
        model = LogisticRegression(C=strength, max_iter=1000).fit(data, paid)
        joblib.dump(model, folder / f"{name}.joblib")
    source = ModelFile(
        folder / "model.joblib",
        folder / "train.csv",
        outcome="paid",
        rule=("income only increases",),
        trust_pickle=True,
        space={"categorical": ["zip"]},
    )
    handler, key = source.load(), read_key(folder / "records.db.key")
    store = open_store(folder / "records.db", key=key)
    rows = json.loads(data[:2].to_json(orient="records"))
    pd.DataFrame(rows).assign(paid="no").to_csv(folder / "rows.csv", index=False)
    (folder / "rows.json").write_text(json.dumps(rows))
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for hour, options in enumerate(ASKED):
        answers = ask(handler, Question(rows=rows, **options))
        store.append(
            [
                DecisionRecord.of(one, row, time=NOON + timedelta(hours=hour), key=key)
                for one, row in zip(answers, rows, strict=True)
            ]
        )
    store.close()
    return folder


@pytest.fixture
def folder(lender: Path, tmp_path: Path) -> Path:
    """Records of its own for a test."""
    for name in ("records.db", "records.db.key"):
        (tmp_path / name).write_bytes((lender / name).read_bytes())
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def ran(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["records", *map(str, arguments)])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return ran


def model_of(lender: Path, name: str = "model") -> list[Any]:
    data = ["--data", lender / "train.csv", "--outcome", "paid", "--trust-pickle"]
    return ["--model", lender / f"{name}.joblib", *data]


def tamper(path: Path, statement: str, *values: Any) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement, values)
    connection.close()


def test_head_list_and_show_say_what_there_is(lender: Path, run: Run) -> None:
    store = lender / "records.db"
    code, out, _ = run("head", store)
    assert (code, out[:2], len(out)) == (0, "6:", 67)
    _, out, _ = run("list", store, "--after", 4)
    assert [line.split("\t")[0] for line in out.splitlines()] == ["5", "6"]
    assert "row kept" in out
    _, out, _ = run("show", store, 3)
    shown = json.loads(out)
    assert (shown["number"], shown["run"]["rules"]) == (3, ["income only increases", "debt fixed"])
    assert shown["row"] == {"income": 1000, "debt": 0, "zip": 0}
    code, _, err = run("show", store, 7)
    assert (code, "no entry 7" in err) == (2, True)


def test_verify_derives_answers_again(lender: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "head.txt").write_text(run("head", lender / "records.db")[1])
    store = ["verify", lender / "records.db", "--head", tmp_path / "head.txt"]
    code, out, err = run(*store, *model_of(lender))
    assert code == 0, out + err
    assert out.splitlines()[1:] == [
        "Derived again, and the same: 4",
        "Ended by a time limit, and valid: 2",
        "The records hold.",
    ]
    assert err == ""
    assert "--head" in run("verify", lender / "records.db")[2]


def test_a_store_of_a_server_is_checked_with_its_key(
    postgres: str, folder: Path, lender: Path, run: Run
) -> None:
    url = new_schema(postgres)
    key, own = read_key(folder / "records.db.key"), open_store(folder / "records.db")
    store = open_store(url, key=key)
    store.append([entry.record for entry in own.entries()])
    store.close()
    own.close()
    head = run("head", url)[1].strip()
    assert head.startswith("6:")
    given = ["--head", head, "--key", folder / "records.db.key"]
    code, out, _ = run("verify", url, *given, *model_of(lender))
    assert (code, "the same: 4" in out) == (0, True)


def test_verify_says_that_a_record_is_of_another_model(lender: Path, run: Run) -> None:
    code, out, _ = run("verify", lender / "records.db", *model_of(lender, "other"))
    assert code == 0
    assert "it was made with another model" in out
    assert "the same: 0" in out


@pytest.mark.parametrize("file", ["rows.csv", "rows.json", "rows.jsonl"])
def test_erased_rows_can_be_supplied(lender: Path, folder: Path, run: Run, file: str) -> None:
    store, head = folder / "records.db", run("head", folder / "records.db")[1].strip()
    code, _, err = run("erase", store, "--before", "2026-01-02T14:00:00")
    assert (code, "rows: 4" in err, "ackup" in err) == (0, True, True)
    assert "erased" in run("list", store)[1]
    code, out, _ = run("verify", store, "--head", head, *model_of(lender))
    assert (code, "Without their row: 4" in out, "the same: 0" in out) == (0, True, True)
    code, out, _ = run("verify", store, *model_of(lender), "--rows", lender / file)
    assert (code, "the same: 4" in out) == (0, True)


def forge(path: Path, number: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what an entry says, and hash the chain again from there on."""
    connection = sqlite3.connect(path, isolation_level=None)
    columns = "SELECT number, covered FROM ifonly_entries WHERE number >= ? ORDER BY number"
    previous = None
    for at, covered in connection.execute(columns, (number,)).fetchall():
        plain = json.loads(covered)
        if previous is None:
            change(plain)
        record = DecisionRecord.model_validate_json(
            json.dumps(plain | ({"previous": previous} if previous else {}))
        )
        previous = record.hash
        line = (record.hash, record.previous, record.covered.decode(), at)
        connection.execute(
            "UPDATE ifonly_entries SET hash = ?, previous = ?, covered = ? WHERE number = ?", line
        )
    connection.close()


@pytest.mark.parametrize(
    ("number", "change", "said"),
    [
        (1, {"status": "partial"}, "status is 'partial' in the record, and 'found'"),
        (2, {"score": 0.4}, "score is 0.4"),
        (1, {"ways": []}, "way 1 is None"),
        (5, {"predicted": "yes"}, "predicted is 'yes'"),
    ],
)
def test_a_forged_answer_in_a_chain_that_holds_is_found_by_deriving_it(
    lender: Path, folder: Path, run: Run, number: int, change: dict[str, Any], said: str
) -> None:
    store = folder / "records.db"
    forge(store, number, lambda record: record.update(change))
    assert run("verify", store)[0] == 0, "the chain holds"
    code, out, _ = run("verify", store, *model_of(lender))
    assert code == 1
    assert out.startswith(f"Entry {number}: {said}")
    assert out.endswith("1 entry is wrong.\n")


@pytest.mark.parametrize("change", [{"income": 1000.5}, {"income": 999}, {"debt": 89}])
def test_an_answer_that_a_deadline_ended_is_judged(
    lender: Path, folder: Path, run: Run, change: dict[str, float]
) -> None:
    """It is not valid, or breaks the rule that income only increases, or is no such value."""
    store = folder / "records.db"
    forge(store, 5, lambda record: record["ways"][0].update(changes=change))
    code, out, _ = run("verify", store, *model_of(lender))
    assert (code, out.startswith("Entry 5: ")) == (1, True)


def test_tampering_ends_with_1_and_names_the_entry(folder: Path, run: Run) -> None:
    store = folder / "records.db"
    tamper(store, "DELETE FROM ifonly_entries WHERE number = 4")
    code, out, _ = run("verify", store)
    assert code == 1
    assert out.splitlines()[1].startswith("Entry 5: 1 before it is not there")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verify", "records.db", "--head", "5:abc"], "not COUNT:HASH"),
        (["verify", "records.db", "--key", "none.key"], "no key file"),
        (["verify", "records.db", "--model", "x"], "go together"),
        (["verify", "records.db", "--rows", "none.json"], "There is no"),
        (["verify", "records.db", "--rows", "records.db.key"], "not a table"),
        (["erase", "records.db", "--before", "yesterday"], "not a date"),
        (["head", "none.db"], "There is no store"),
        (["head", "records.db.key"], "not a file of SQLite"),
    ],
)
def test_what_cannot_be_used_is_refused(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
