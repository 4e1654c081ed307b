"""Delta Lake: a finished run is one commit, once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import deltalake
import pyarrow as pa

from ifonly import scale
from ifonly.errors import OptionError
from ifonly.scale.on.local import Local

from .conftest import QUESTION, people, sorted_table


def test_a_run_is_appended_once_and_whole(lender: Any, tmp_path: Path) -> None:
    place = tmp_path / "lake"
    for number, rows in enumerate((people(40)[:25], people(40)[25:])):
        source = tmp_path / f"{number}.parquet"
        rows.to_parquet(source, index=False)
        out = tmp_path / f"out-{number}"
        run = scale.explain(lender, source, out=out, workers=1, shard_rows=10, **QUESTION)
        assert scale.to_delta(run, place)
        assert not scale.to_delta(scale.open_run(out), place), "a second call appends nothing"
        table = deltalake.DeltaTable(place)
        assert table.version() == number
    parts = [one for n in range(2) for one in scale.open_run(tmp_path / f"out-{n}").tables()]
    found = pa.table(table.to_pyarrow_table())
    stated = parts[0].schema
    assert sorted_table([found.cast(stated)]).equals(sorted_table(parts))


def test_half_a_run_is_refused(lender: Any, tmp_path: Path, refused: Any) -> None:
    class Halting(Local):
        def run(self, task: Any, shards: Any) -> Any:
            yield next(super().run(task, shards))
            raise KeyboardInterrupt

    people(20).to_parquet(tmp_path / "rows.parquet", index=False)
    options = {"out": tmp_path / "out", "shard_rows": 10, **QUESTION}
    try:
        scale.explain(lender, tmp_path / "rows.parquet", on=Halting(1), **options)
    except KeyboardInterrupt:
        run = scale.open_run(tmp_path / "out")
    ask = lambda: scale.to_delta(run, tmp_path / "lake")  # noqa: E731
    refused(OptionError, "10 of 20", hint="again", ask=ask)
