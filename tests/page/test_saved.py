"""A file that the page saves is checked by the service, and a forged one is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.page.conftest import Site, Visit
from tests.page.screen import Screen, word


def test_a_saved_file_holds_until_somebody_changes_it(
    lender: Site, visit: Visit, tmp_path: Path
) -> None:
    screen = Screen.of(visit(lender.address))
    page = screen.page
    with page.expect_download() as download:
        screen.press("tool.save")
    download.value.save_as(tmp_path / "saved.json")
    saved: dict[str, Any] = json.loads((tmp_path / "saved.json").read_text())
    record = saved["record"]
    shown = [way["score"] for way in saved["reply"]["rows"][0]["answers"]]
    assert [way["score"] for way in record["ways"]] == shown
    forged = {**record, "ways": [{**way, "score": 0.99} for way in record["ways"]]}
    (tmp_path / "forged.json").write_text(json.dumps({**saved, "record": forged}))
    (tmp_path / "other.json").write_text("[1]")
    screen.go("kept")
    page.get_by_text(word("check.title")).click()
    chosen = page.get_by_label(word("check.hint"))
    for file, key in (("saved", "holds"), ("forged", "differs"), ("other", "no_record")):
        chosen.set_input_files(tmp_path / f"{file}.json")
        page.get_by_text(word(f"check.{key}")).wait_for()
