"""Settings from a TOML file and from the command line, and what is wrong with them."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from typing import Any

import pytest

from ifonly.cli import main
from ifonly.errors import FileError, OptionError
from ifonly.serve import run
from ifonly.serve.config import Config, read_config
from ifonly.serve.open import Demo, ModelFile

GOOD = """
host = "0.0.0.0"
tokens = "tokens.txt"
record = "records.db"
workers = 2

[models.loans]
path = "loans.skops"
data = "train.csv"
outcome = "granted"
rule = ["age fixed"]
units = { income = "EUR" }
space = { categorical = ["zip"] }
limits = { rows = 100 }

[models.demo]
demo = true
"""


def read(tmp_path: Path, text: str) -> Config:
    (tmp_path / "serve.toml").write_text(text)
    return read_config(tmp_path / "serve.toml")


def test_a_file_has_several_models_and_its_paths_are_its_own(tmp_path: Path) -> None:
    config = read(tmp_path, GOOD)
    loans = config.models["loans"]
    assert isinstance(loans, ModelFile)
    assert (loans.path, loans.data) == (tmp_path / "loans.skops", tmp_path / "train.csv")
    assert (loans.limits.rows, loans.rule, loans.units) == (100, ("age fixed",), {"income": "EUR"})
    assert config.models["demo"] == Demo()
    assert (config.default, config.processes) == ("loans", 2)
    assert (config.tokens, config.record) == (tmp_path / "tokens.txt", str(tmp_path / "records.db"))


MODEL = '[models.m]\npath = "m"\ndata = "d"\n'
BAD = {
    "": ("There is no model.", ""),
    f"hots = 1\n{MODEL}": ("There is no setting hots.", "Did you mean 'host'?"),
    f"{MODEL}ruls = 1": ("There is no setting models.m.ruls.", "Did you mean 'rules'?"),
    f"{MODEL}limits = {{ rowz = 1 }}": ("The setting models.m.limits.rowz cannot", ""),
    '[models.m]\npath = "m"': ("The setting models.m.data cannot", ""),
    '[models."../m"]\ndemo = true': ("'../m' cannot be the name of a model.", ""),
    '[models."a b"]\ndemo = true': ("'a b' cannot be the name of a model.", ""),
    "models = 3": ("models is not a table of tables.", ""),
    f"port = 70000\n{MODEL}": ("There is no port 70000.", ""),
    f'port = "x"\n{MODEL}': ("The setting port cannot", ""),
    f"seconds = 0\n{MODEL}": ("seconds is 0", ""),
    f'host = "0.0.0.0"\n{MODEL}': ("there are no tokens", "ifonly tokens new NAME"),
    f'tls_cert = "c.pem"\n{MODEL}': ("A certificate and its key go together.", ""),
}


@pytest.mark.parametrize("text", BAD)
def test_a_setting_that_cannot_be_used_is_an_error(tmp_path: Path, text: str) -> None:
    message, hint = BAD[text]
    with pytest.raises(OptionError) as caught:
        read(tmp_path, text)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_file_that_is_no_toml_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read as TOML"):
        read(tmp_path, "host = ")
    with pytest.raises(FileError, match="There is no file"):
        read_config(tmp_path / "absent.toml")


def ran(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Config:
    """The settings that a command would serve."""
    found: list[Config] = []
    monkeypatch.setattr(run, "serve", lambda config, say: found.append(config))
    with pytest.raises(SystemExit) as ended:
        main(["serve", *arguments])
    assert ended.value.code == 0
    return found[0]


def test_the_command_line_states_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    config = ran(monkeypatch, "a/loans.skops", "--data", "train.csv", "--outcome", "granted")
    source = config.models["loans"]
    assert isinstance(source, ModelFile)
    assert (source.path, source.outcome) == (Path("a/loans.skops"), "granted")
    assert (config.host, config.port, config.record) == ("127.0.0.1", 8000, "ifonly-records.db")


def test_the_demo_records_nothing_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    config = ran(monkeypatch, "--demo", "--port", "0", "--allow-host", "a", "--allow-host", "b")
    assert (config.models, config.record) == ({"demo": Demo()}, None)
    assert (config.port, config.allow_hosts) == (0, ("a", "b"))
    assert ran(monkeypatch, "--demo", "--record", "r.db").record == "r.db"


def test_options_go_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read(tmp_path, GOOD)
    config = ran(monkeypatch, "--config", str(tmp_path / "serve.toml"), "--workers", "3")
    assert (config.workers, config.host) == (3, "0.0.0.0")
    path = str(tmp_path / "serve.toml")
    assert ran(monkeypatch, "--config", path, "--record", "none").record is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give a model, --demo, or --config FILE"),
        (["m.skops", "--demo"], "Give a model, --demo, or --config FILE"),
        (["m.skops"], "The training rows are needed."),
        (["--demo", "--host", "0.0.0.0"], "there are no tokens"),
        (["--demo", "--name", "../x"], "cannot be the name of a model"),
    ],
)
def test_a_command_that_cannot_run_says_why(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = builtins.__import__

    def importing(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "uvicorn":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return own(name, *rest)

    monkeypatch.delitem(sys.modules, "ifonly.serve.run")
    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--demo"])
    assert ended.value.code == 2
    assert "pip install 'ifonly[serve]'" in capsys.readouterr().err


def test_a_new_token_is_shown_once_and_its_line_is_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from ifonly.serve.tokens import Tokens

    with pytest.raises(SystemExit) as ended:
        main(["tokens", "new", "desk", "--quota", "600/minute", "--scores", "hidden"])
    assert ended.value.code == 0
    said = capsys.readouterr()
    secret = said.err.split()[-1]
    assert secret not in said.out
    (tmp_path / "tokens").write_text(said.out)
    token = Tokens(tmp_path / "tokens").find(secret)
    assert token is not None
    assert (token.name, token.sight.scores) == ("desk", "hidden")
    with pytest.raises(SystemExit) as ended:
        main(["tokens", "new", "desk", "--quota", "many"])
    assert ended.value.code == 2
