"""The files of the page over HTTP, their headers, and what a page starts with."""

from __future__ import annotations

import gzip
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.serve.front.conftest import ROW, Serve, handler, lender, pool, serve

from ifonly import Explainer, Space, as_model
from ifonly.contract import Handler
from ifonly.errors import OptionError
from ifonly.page.assets import assets
from ifonly.page.start import start_of
from ifonly.serve.open import Demo, ModelFile
from ifonly.serve.tokens import new_token

__all__ = ["handler", "lender", "pool", "serve"]
PATHS = ["/", "/page/index.html", "/page/page.js", "/page/page.css", "/page/icon.svg"]
DATA = pd.DataFrame({"income": [10, 30, 50], "job": ["a", "b", "a"]})


def test_every_file_is_sent_as_it_is_and_may_load_nothing_from_elsewhere(serve: Serve) -> None:
    client = serve()
    for path in PATHS:
        said = client.get(path)
        own = assets()[path.rpartition("/")[2] or "index.html"]
        assert (said.status_code, said.content) == (200, own.content)
        assert said.headers["content-type"] == own.media
        policy = said.headers["content-security-policy"]
        assert policy.startswith("default-src 'self';")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert said.headers["x-content-type-options"] == "nosniff"
        assert said.headers["referrer-policy"] == "no-referrer"
        assert said.headers["content-encoding"] == "gzip"
        plain = client.get(path, headers={"Accept-Encoding": "identity"})
        assert plain.content == own.content
        assert gzip.decompress(own.packed) == own.content


def test_a_file_that_a_browser_has_is_not_sent_again(serve: Serve) -> None:
    client = serve()
    for path in PATHS:
        tag = client.get(path).headers["etag"]
        again = client.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
        assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_only_the_files_of_the_page_need_no_token(serve: Serve, tmp_path: Path) -> None:
    secret, line = new_token("desk", "1/day")
    (tmp_path / "tokens.txt").write_text(line)
    start = {"rows": [ROW], "row": 0}
    client = serve(tokens=tmp_path / "tokens.txt", start=start)
    for path in PATHS:
        assert [client.get(path).status_code for _ in range(3)] == [200] * 3, "no quota either"
        assert client.post(path, json={}).status_code == 401
    for path in ("/page/start", "/page/other.js", "/page/", "/v1/models", "/metrics"):
        assert client.get(path).status_code == 401
    said = client.get("/page/start", headers={"Authorization": f"Bearer {secret}"})
    assert said.json() == start
    assert said.headers["cache-control"] == "no-store"
    assert said.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_link_on_another_site_opens_the_page_and_nothing_else(serve: Serve) -> None:
    client, link = serve(), {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=link).status_code == 200
    for path in ("/page/start", "/v1/models", "/v1/model"):
        assert client.get(path, headers=link).status_code == 403
    for mode in ("no-cors", "cors"):
        assert client.get("/", headers=link | {"Sec-Fetch-Mode": mode}).status_code == 403
    assert client.get("/", headers={"Origin": "http://evil.example"}).status_code == 403
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


def test_no_path_leads_out_of_the_folder_of_the_page(serve: Serve) -> None:
    client = serve()
    for path in ("/page/../assets.py", "/page/%2e%2e/start.py", "/page/..%2fstart.py", "/page//"):
        assert client.get(path).status_code == 404


def test_the_wheel_has_the_page(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=root, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {f"ifonly/page/assets/{name}" for name in assets()} <= set(names)


@pytest.mark.parametrize(
    ("rows", "row"), [(DATA[:2], None), (DATA[:1], 0), (DATA.iloc[1], 0), (None, None)]
)
def test_a_start_has_the_rows_as_the_contract_reads_them(rows: Any, row: int | None) -> None:
    start = start_of(Space.infer(DATA), rows, k=2, rules=["job fixed"])
    wanted = DATA[:0] if rows is None else rows
    wanted = pd.DataFrame([rows]) if isinstance(rows, pd.Series) else wanted
    assert start["rows"] == wanted.to_dict("records")
    assert start["row"] == row
    model = as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    asked = {**start["options"], "rows": start["rows"]}
    reply = Handler(Explainer(model, data=DATA)).answer("explain", asked)
    assert all(one.status == "found" for one in reply.rows)


def test_a_start_refuses_what_the_page_could_not_show(refused: Any) -> None:
    space = Space.infer(DATA)
    refused(OptionError, "row=3", hint="0", ask=lambda: start_of(space, DATA, row=3))
    refused(OptionError, "'fr'", hint="de", ask=lambda: start_of(space, language="fr"))
    refused(OptionError, "workers", hint="out", ask=lambda: start_of(space, DATA, workers=2))


def test_a_start_of_files_leaves_out_what_is_no_feature(tmp_path: Path) -> None:
    import joblib
    from sklearn.linear_model import LogisticRegression

    frame = pd.DataFrame({"income": [10, 20, 40, 50], "paid": ["no", "no", "yes", "yes"]})
    joblib.dump(LogisticRegression().fit(frame[["income"]], frame["paid"]), tmp_path / "m.joblib")
    frame.to_csv(tmp_path / "train.csv", index=False)
    frame[:2].assign(seen="x").to_csv(tmp_path / "rows.csv", index=False)
    source = ModelFile(
        tmp_path / "m.joblib", tmp_path / "train.csv", outcome="paid", trust_pickle=True
    )
    start = source.start(tmp_path / "rows.csv", title="Loans")
    assert (start["rows"], start["title"]) == ([{"income": 10}, {"income": 20}], "Loans")
    assert source.start()["rows"] == []


def test_the_demo_starts_with_people_who_are_refused() -> None:
    from ifonly.datasets.demo import demo_model

    start = Demo().start()
    rows = pd.DataFrame(start["rows"])
    assert (demo_model()[0].predict(rows) == 0).all()
    assert (len(rows) > 50, start["row"], start["rows"][0]["age"]) == (True, 0, 26)
