"""One explained decision as it is kept: who asks again later can check it, and nothing is lost.

Records form a chain: each has the hash of the one before, so that one that is changed, dropped or
moved is found. The hash covers everything but the row and the signature. It covers a keyed hash of
the row instead, so that the row can be erased and the chain still holds; what is covered says what
an answer changes, and to what, and never what the row was.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, Literal

from pydantic import AwareDatetime, Field

from ifonly.answers import Answers
from ifonly.answers.reasons.reason import Reasons
from ifonly.contract.question import wanted_of
from ifonly.contract.routes.explain import Certificate, plain_record, proofs_of
from ifonly.contract.types import Range, Row, Strict, Value
from ifonly.contract.values import finite

NONE = "0" * 64
"""The hash before the first record."""
UNCOVERED = {"row", "signature"}
"""What the hash of a record does not cover."""


class DecisionWay(Strict):
    """One answer: what it changes, and to what."""

    changes: dict[str, Value]
    """The new value of each feature that changes."""
    prediction: Value
    score: float | None
    distance: float
    extra: bool


class DecisionReason(Strict):
    """One reason of the outcome; its value is that of the row, which may be erased."""

    feature: str
    code: str = ""
    sentence: str = ""
    """The sentence of the table of reasons, with {value} and others not filled."""
    direction: str = ""
    """What the value is: 'low', 'high', 'other' or 'missing'."""
    weight: float = 0.0
    """The share of the gap to the threshold that changing it alone can close, in six digits."""
    suffices: bool = False
    """Whether changing it alone gives the wanted outcome."""
    needed: bool = False
    """Whether nothing was found that gives the wanted outcome and leaves it as it is."""
    actionable: bool = True
    """Whether the rules allow a value that closes a part of the gap."""

    @classmethod
    def each(cls, reasons: Reasons) -> list[DecisionReason]:
        """The reasons of a row, as `answers.reasons` returns them."""
        return [
            cls(
                feature=one.feature,
                code=one.code,
                sentence=one.wording,
                direction=one.direction,
                weight=float(f"{one.weight:.6g}"),
                suffices=one.suffices,
                needed=one.needed,
                actionable=one.actionable,
            )
            for one in reasons
        ]


class DecisionRecord(Strict):
    """One decision, what was said about it, and all that is needed to derive it again."""

    version: Literal[1] = 1
    """That of the format."""
    time: AwareDatetime = Field(strict=False)
    """When it was explained."""
    previous: str = Field(NONE, pattern="^[0-9a-f]{64}$")
    """The hash of the record before."""
    row_hash: str = Field(pattern="^[0-9a-f]{64}$")
    """The keyed hash of the row."""
    row: Row | None = None
    """The row, where it is kept."""
    status: str
    """How the search for the row ended, such as 'found'."""
    predicted: Value
    """What the model said of the row: a class or a number."""
    wanted: Range | Value
    """The outcome that was asked for."""
    score: float | None
    """The score of the wanted class, or the predicted number."""
    threshold: float | None
    """The score from which the model decides for the wanted class, where there is one."""
    reasons: list[DecisionReason] = []
    """The principal reasons of the outcome, where they were asked for."""
    ways: list[DecisionWay]
    """The answers that were given."""
    certificate: Certificate | None
    """What is proved about the nearest answer, where it was asked for."""
    reproducible: bool
    """Whether asking again gives the same answers: no time limit and no interrupt ended them."""
    run: dict[str, Any]
    """`answers.record` of this row: rules, fingerprints, versions, seed and options."""
    signature: str | None = None
    """Of what the hash covers: 'ed25519:KEY:SIGNATURE', by the key of whoever made the record."""

    @classmethod
    def of(
        cls,
        answers: Answers,
        row: dict[str, Any],
        *,
        time: Any,
        key: bytes,
        previous: str = NONE,
        keep: bool = True,
        reasons: Reasons | None = None,
    ) -> DecisionRecord:
        """The record of the answers to one row.

        Parameters
        ----------
        answers
            Answers of one row: `answers[0]`.
        row
            The row as it was sent.
        time
            When it was explained, with a time zone.
        key
            The secret of the keyed hash of rows.
        previous
            The hash of the record before.
        keep
            Whether the record holds the row.
        reasons
            `answers.reasons(0)`, where the record is to hold them.

        Returns
        -------
        DecisionRecord

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> record = DecisionRecord.of(
        ...     answers, {"income": 10}, time="2026-01-02T12:00:00Z", key=b"secret"
        ... )
        >>> record.status, record.ways[0].changes, len(record.hash)
        ('found', {'income': 41}, 64)
        """
        (view,), proofs = answers.views(named=False), proofs_of(answers)
        run, budget = answers.record, answers.record["budget"] or {}
        return cls(
            time=time,
            previous=previous,
            row_hash=row_hash(row, key),
            row=row if keep else None,
            status=view.status,
            predicted=view.prediction,
            wanted=wanted_of(view.wanted),
            score=finite(view.score),
            threshold=view.threshold,
            reasons=[] if reasons is None else DecisionReason.each(reasons),
            ways=[
                DecisionWay(
                    changes={change.feature: change.after for change in way.changes},
                    prediction=way.prediction,
                    score=finite(way.score),
                    distance=way.distance,
                    extra=way.extra,
                )
                for way in view.answers
            ],
            certificate=proofs[0] if proofs else None,
            reproducible=not run.get("interrupted") and set(budget) <= {"model_rows_per_row"},
            run=plain_record(run),
        )

    @property
    def covered(self) -> bytes:
        """The canonical JSON of what the hash covers."""
        return canonical(self.model_dump(mode="json", exclude=UNCOVERED))

    @property
    def hash(self) -> str:
        """SHA-256 of what is covered, as hexadecimal digits."""
        return hashlib.sha256(self.covered).hexdigest()


def row_hash(row: dict[str, Any], key: bytes) -> str:
    """HMAC-SHA256 of the canonical JSON of a row.

    Parameters
    ----------
    row
        The row, as JSON has it.
    key
        The secret of the hash: whoever lacks it cannot try rows until one fits.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> row_hash({"income": 10}, b"secret")[:8] == row_hash({"income": 10.0}, b"secret")[:8]
    True
    """
    return hmac.new(key, canonical(row), hashlib.sha256).hexdigest()


def canonical(value: Any) -> bytes:
    """The canonical JSON of a value (RFC 8785), which every language can write alike.

    Parameters
    ----------
    value
        What JSON can hold.

    Returns
    -------
    bytes
        In UTF-8.

    Examples
    --------
    >>> canonical({"b": 1.0, "a": [1e-7, 1e21, "é", None, True]}).decode()
    '{"a":[1e-7,1e+21,"é",null,true],"b":1}'
    """
    return _written(value).encode()


def _written(value: Any) -> str:
    if isinstance(value, str):
        return encode_basestring(value)  # what json.dumps calls, which takes longer to begin
    if isinstance(value, dict):
        plain = "".join(value).isascii()  # then the order of UTF-16 is that of Python
        names = sorted(value, key=None if plain else lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{_written(name)}:{_written(value[name])}" for name in names) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_written, value)) + "]"
    if isinstance(value, float):
        return _number(value)
    return json.dumps(value)


def _number(value: float) -> str:
    """A number as JavaScript writes it: Python has the same digits, and other exponents."""
    if not math.isfinite(value):
        raise ValueError("JSON has no NaN and no infinite number.")
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        text = f"{Decimal(repr(value + 0.0)):f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    digits, _, exponent = repr(value).partition("e")
    sign, size = ("-" if exponent[0] == "-" else "+"), exponent.lstrip("+-0")
    return f"{digits.removesuffix('.0')}e{sign}{size}"
