"""One decision record in a file, and whether it still is what was written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ifonly.contract.records.decision_record import DecisionRecord, canonical, row_hash
from ifonly.contract.records.rederive import rederive
from ifonly.errors import FileError, absent
from ifonly.explainer import Explainer
from ifonly.render.destination import write_file

BESIDE = ("number", "hash")
"""What a file has beside the record, as `ifonly records show` prints it."""
SAVED = "explained decision"
"""What a file that the page saves calls itself: its field `record` is the record."""


def write_record(record: DecisionRecord, path: Path) -> None:
    """Write a record with its hash to a file: what `read_record` and `ifonly verify` read.

    Parameters
    ----------
    record
        The record.
    path
        The file to write.

    Raises
    ------
    OutputError
        The file cannot be written.

    Examples
    --------
    >>> import pandas as pd, ifonly, tempfile
    >>> data = pd.DataFrame({"income": [10, 30, 50]})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
    >>> record = DecisionRecord.of(
    ...     answers, {"income": 10}, time="2026-01-02T12:00:00Z", key=b"secret"
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_record(record, Path(folder, "decision.json"))
    ...     same, stated = read_record(Path(folder, "decision.json"))
    >>> same == record, stated == record.hash
    (True, True)
    """
    whole = {"hash": record.hash, **record.model_dump(mode="json")}
    write_file(path, json.dumps(whole, indent=2, ensure_ascii=False) + "\n")


def read_record(path: Path) -> tuple[DecisionRecord, str | None]:
    """The record of a file, and the hash that the file states for it, if it does.

    Parameters
    ----------
    path
        A file of `write_record`, of `ifonly records show` or of the page, or the JSON of a record.

    Returns
    -------
    tuple of DecisionRecord and str or None

    Raises
    ------
    FileError
        The file cannot be read, or holds no record.

    Examples
    --------
    >>> read_record(Path("nowhere/decision.json"))
    Traceback (most recent call last):
    ...
    ifonly.errors.FileError: There is no record 'nowhere/decision.json'.
    <BLANKLINE>
    Hint: There is no folder 'nowhere' either.
    """
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)
        if isinstance(found, dict) and found.get("ifonly") == SAVED:
            found = found.get("record")
        if not isinstance(found, dict):
            raise ValueError("it is no object")
        stated = {name: found.pop(name, None) for name in BESIDE}["hash"]
        record = DecisionRecord.model_validate_json(json.dumps(found))
        canonical(record.row)
    except FileNotFoundError:
        raise absent(path, "record") from None
    except OSError as error:
        raise FileError(f"The record {str(path)!r} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise FileError(f"{str(path)!r} holds no record: {where}: {first['msg']}.") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{str(path)!r} holds no record: {error}.") from None
    return record, stated


def faults_of(
    record: DecisionRecord,
    row: dict[str, Any] | None = None,
    *,
    stated: Any = None,
    key: bytes | None = None,
    public: Any = None,
    explainer: Explainer | None = None,
) -> list[str]:
    """What is wrong with a record, by all that is given to check it with.

    Parameters
    ----------
    record
        The record.
    row
        The row that was explained; None: the record's own.
    stated
        The hash that it should have.
    key
        The secret of the keyed hash of rows: the row must have the record's.
    public
        What `read_public` returns: the record must be signed with its private key.
    explainer
        The model with its data: what was said must be derived again.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [10, 30, 50]})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> explainer, row = ifonly.Explainer(rich, data=data), {"income": 10}
    >>> answers = explainer.explain(data[:1], k=1)
    >>> record = DecisionRecord.of(answers, row, time="2026-01-02T12:00:00Z", key=b"secret")
    >>> faults_of(record, key=b"secret", explainer=explainer)
    []
    >>> faults_of(record, {"income": 11}, key=b"secret")
    ['its row was changed: it does not have the keyed hash of the record']
    """
    faults = []
    row = record.row if row is None else row
    if stated is not None and stated != record.hash:
        faults.append("it was changed: its content does not have its hash")
    if key is not None and row is not None and row_hash(row, key) != record.row_hash:
        faults.append("its row was changed: it does not have the keyed hash of the record")
    if public is not None:
        from ifonly.contract.records.signing import wrong_signature  # it needs an extra

        faults += filter(None, [wrong_signature(record, public)])
    if explainer is not None and row is not None:
        faults += rederive(record, explainer, row)
    return faults


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no name stands twice: readers would not agree what it says."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name stands twice")
    return made


def _refuse(name: str) -> Any:
    raise ValueError(f"JSON has no {name}")
