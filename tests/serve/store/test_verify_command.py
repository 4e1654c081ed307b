"""`ifonly verify` derives one record again, and `ifonly keys` makes what signs it."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import joblib
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly.cli import main
from ifonly.contract import DecisionRecord
from ifonly.contract.records.record_file import write_record
from ifonly.contract.records.signing import read_private, signed
from ifonly.serve.store import open_store, read_key

from .conftest import NOON

Run: TypeAlias = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def ran(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments)])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return ran


@pytest.fixture(scope="module")
def lender(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, its data, keys, and a signed record with reasons, in a file and in a store."""
    folder = tmp_path_factory.mktemp("lender")
    debt = [i * 37 % 90 for i in range(60)]
    data = pd.DataFrame({"income": [10 + i for i in range(60)], "debt": debt})
    paid = (data["income"] - data["debt"] > 5).map({True: "yes", False: "no"})
    data.assign(paid=paid).to_csv(folder / "train.csv", index=False)
    model = LogisticRegression(C=0.01).fit(data, paid)
    joblib.dump(model, folder / "model.joblib")
    with pytest.raises(SystemExit):
        main(["keys", "make", str(folder / "sign")])
    key, private = read_key(folder / "rows.key"), read_private(folder / "sign.key")
    row = data[model.predict(data) == "no"][:1]
    answers = ifonly.explain(model, row, data=data, k=2, rules=["debt only decreases"])
    record = DecisionRecord.of(
        answers,
        json.loads(row.to_json(orient="records"))[0],
        time=NOON,
        key=key,
        reasons=answers.reasons(0),
    )
    write_record(signed(record, private), folder / "record.json")
    store = open_store(folder / "records.db", key=key, sign=lambda one: signed(one, private))
    store.append([record, record])
    store.close()
    return folder


def given(lender: Path) -> list[Any]:
    data = ["--data", lender / "train.csv", "--outcome", "paid", "--trust-pickle"]
    keys = ["--key", lender / "rows.key", "--public", lender / "sign.pub"]
    return ["--model", lender / "model.joblib", *data, *keys]


def test_a_record_that_holds_is_derived_again_without_a_word_of_doubt(
    lender: Path, run: Run
) -> None:
    assert run("verify", lender / "record.json", *given(lender)) == (0, "The record holds.\n", "")


def test_a_file_that_the_page_saved_is_checked_like_a_record(
    lender: Path, run: Run, tmp_path: Path
) -> None:
    record = json.loads((lender / "record.json").read_text())
    del record["hash"]
    for income, code in ((record["row"]["income"], 0), (record["row"]["income"] + 1, 1)):
        own = {**record, "row": {**record["row"], "income": income}}
        saved = {"ifonly": "explained decision", "kept": [], "record": own}
        (tmp_path / "saved.json").write_text(json.dumps(saved))
        assert run("verify", tmp_path / "saved.json", *given(lender))[0] == code


def test_what_is_not_checked_is_said(lender: Path, run: Run) -> None:
    code, out, err = run("verify", lender / "record.json")
    assert (code, out) == (0, "The record holds.\n")
    for what in ("signature is not checked", "give --key", "give --model and --data"):
        assert what in err


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("score", 0.9, "Score is 0.9 in the record"),
        ("reasons", [], "does not have its hash"),
        ("time", "2027-01-02T12:00:00Z", "not that of its content"),
        ("row", {"income": 12, "debt": 60}, "Its row was changed"),
        ("signature", None, "It is not signed"),
    ],
)
def test_a_changed_record_is_found_and_what_differs_is_said(
    lender: Path, run: Run, tmp_path: Path, name: str, value: Any, said: str
) -> None:
    forged = {**json.loads((lender / "record.json").read_text()), name: value}
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    code, out, _ = run("verify", tmp_path / "forged.json", *given(lender))
    assert code == 1
    assert said in out
    assert out.endswith("The record does not hold.\n")


def test_a_row_that_is_not_kept_is_given(lender: Path, run: Run, tmp_path: Path) -> None:
    whole = json.loads((lender / "record.json").read_text())
    (tmp_path / "row.json").write_text(json.dumps([whole["row"]]))
    (tmp_path / "erased.json").write_text(json.dumps({**whole, "row": None}))
    code, _, err = run("verify", tmp_path / "erased.json", *given(lender))
    assert (code, "give --row" in err) == (0, True)
    asked = run("verify", tmp_path / "erased.json", "--row", tmp_path / "row.json", *given(lender))
    assert asked == (0, "The record holds.\n", "")


def test_a_store_of_signed_records_verifies_by_the_same_checks(
    lender: Path, run: Run, tmp_path: Path
) -> None:
    code, out, _ = run("records", "verify", lender / "records.db", *given(lender))
    assert (code, "Derived again, and the same: 2" in out) == (0, True)
    with pytest.raises(SystemExit):
        main(["keys", "make", str(tmp_path / "other")])
    public = ["--public", tmp_path / "other.pub"]
    code, out, _ = run("records", "verify", lender / "records.db", *public)
    assert (code, out.count("signed with another key")) == (1, 2)
    code, shown, _ = run("records", "show", lender / "records.db", 2)
    (tmp_path / "second.json").write_text(shown)
    assert run("verify", tmp_path / "second.json", *given(lender))[0] == 0


def test_bad_use_is_refused(lender: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("{}")
    assert run("verify", tmp_path / "no.json")[0] == 2
    assert run("verify", tmp_path / "nowhere.json")[0] == 2
    code, _, err = run("verify", lender / "record.json", "--model", lender / "model.joblib")
    assert (code, "go together" in err) == (2, True)
    assert run("keys", "make", lender / "sign")[0] == 4
    assert stat.S_IMODE((lender / "sign.key").stat().st_mode) == 0o600
