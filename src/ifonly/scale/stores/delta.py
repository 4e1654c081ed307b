"""A finished run as a table of Delta Lake, in one commit."""

from __future__ import annotations

from os import PathLike
from typing import Any

from ifonly.errors import MissingExtra, OptionError
from ifonly.scale.run import Run
from ifonly.scale.stores.whole import marked


def to_delta(run: Run, table: str | PathLike[str], **options: Any) -> bool:
    """Append the answers of a run to a table of Delta Lake, once.

    The commit names the run's fingerprint and rows, so that a second call, after whatever ended
    the first, appends nothing.

    Parameters
    ----------
    run
        A complete run, of `ifonly.scale.explain` or `ifonly.scale.open_run`.
    table
        The folder or the URL of the table, which is made where there is none.
    **options
        Of `deltalake.write_deltalake`: `partition_by`, `storage_options`, `schema_mode`.

    Returns
    -------
    bool
        Whether it was appended now; False where the table has it already.

    Raises
    ------
    OptionError
        The run is not complete.
    MissingExtra
        deltalake is not installed.
    """
    try:
        import deltalake
        import pyarrow as pa
    except ImportError:
        raise MissingExtra("deltalake", "delta") from None
    if not run.complete:
        raise OptionError(
            f"The run has {run.done} of {run.rows} rows.", "Start it again: it goes on."
        )
    plan = run.plan
    name = f"ifonly-{marked(repr((plan.fingerprint, plan.files, plan.id)).encode())}"
    storage = options.get("storage_options")
    known = deltalake.DeltaTable.is_deltatable(str(table), storage)
    if known and deltalake.DeltaTable(table, storage_options=storage).transaction_version(name):
        return False
    tables = run.tables()
    first = next(tables)
    batches = (batch for one in (first, *tables) for batch in one.to_batches())
    once = deltalake.CommitProperties(
        app_transactions=[deltalake.Transaction(name, 1)],
        custom_metadata={"ifonly": plan.fingerprint},
    )
    rows = pa.RecordBatchReader.from_batches(first.schema, batches)
    deltalake.write_deltalake(table, rows, mode="append", commit_properties=once, **options)
    return True
