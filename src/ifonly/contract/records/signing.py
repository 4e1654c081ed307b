"""Signatures of decision records: Ed25519, with keys in PEM files as openssl makes them."""

from __future__ import annotations

import base64
import binascii
import hashlib
from pathlib import Path
from typing import Any

from ifonly.contract.records.decision_record import DecisionRecord
from ifonly.errors import FileError, MissingExtra, absent

try:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519
except ImportError:
    raise MissingExtra("cryptography", "sign") from None

KIND = "ed25519"


def make_keys() -> tuple[bytes, bytes]:
    """A new private key and its public key, in PEM.

    Returns
    -------
    tuple of bytes

    Examples
    --------
    >>> private, public = make_keys()
    >>> public.splitlines()[0]
    b'-----BEGIN PUBLIC KEY-----'
    """
    key, pem = ed25519.Ed25519PrivateKey.generate(), serialization.Encoding.PEM
    bare = serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, bare)
    return private, key.public_key().public_bytes(
        pem, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def read_private(path: Path) -> Any:
    """The private key of a PEM file.

    Parameters
    ----------
    path
        The file, as `ifonly keys make` or `openssl genpkey -algorithm ed25519` writes it.

    Returns
    -------
    Ed25519PrivateKey

    Raises
    ------
    FileError
        It cannot be read, or holds no private Ed25519 key without a password.

    Examples
    --------
    >>> import tempfile
    >>> private, public = make_keys()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "own.key").write_bytes(private)
    ...     type(read_private(Path(folder, "own.key"))).__name__
    'Ed25519PrivateKey'
    """
    key = _read(path, lambda pem: serialization.load_pem_private_key(pem, None), "private")
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise _other(path, "private")
    return key


def read_public(path: Path) -> Any:
    """The public key of a PEM file.

    Parameters
    ----------
    path
        The file, as `ifonly keys make` or `openssl pkey -pubout` writes it.

    Returns
    -------
    Ed25519PublicKey

    Raises
    ------
    FileError
        It cannot be read, or holds no public Ed25519 key.

    Examples
    --------
    >>> import tempfile
    >>> private, public = make_keys()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "own.pub").write_bytes(public)
    ...     type(read_public(Path(folder, "own.pub"))).__name__
    'Ed25519PublicKey'
    """
    key = _read(path, serialization.load_pem_public_key, "public")
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise _other(path, "public")
    return key


def signed(record: DecisionRecord, private: Any) -> DecisionRecord:
    """The record with the signature of what its hash covers.

    Parameters
    ----------
    record
        The record, with the hash of the one before.
    private
        What `read_private` returns.

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
    >>> key = ed25519.Ed25519PrivateKey.generate()
    >>> wrong_signature(signed(record, key), key.public_key())
    ''
    """
    own = base64.b64encode(private.sign(record.covered)).decode()
    return record.model_copy(update={"signature": f"{KIND}:{_name(private.public_key())}:{own}"})


def wrong_signature(record: DecisionRecord, public: Any) -> str:
    """What is wrong with the signature of a record; nothing where it is that of a key.

    Parameters
    ----------
    record
        The record.
    public
        What `read_public` returns.

    Returns
    -------
    str
    """
    if record.signature is None:
        return "it is not signed"
    kind, _, rest = record.signature.partition(":")
    name, _, text = rest.partition(":")
    if kind != KIND or name != _name(public):
        return f"it was signed with another key: {kind}:{name:.32}"
    try:
        public.verify(base64.b64decode(text, validate=True), record.covered)
    except (binascii.Error, ValueError, InvalidSignature):
        return "its signature is not that of its content"
    return ""


def _name(public: Any) -> str:
    """Sixteen hexadecimal digits that tell one public key from others."""
    return hashlib.sha256(public.public_bytes_raw()).hexdigest()[:16]


def _read(path: Path, load: Any, kind: str) -> Any:
    try:
        return load(path.read_bytes())
    except FileNotFoundError:
        raise absent(path, f"{kind} key") from None
    except OSError as error:
        raise FileError(f"The key {str(path)!r} cannot be read: {error.strerror}.") from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise _other(path, kind) from None


def _other(path: Path, kind: str) -> FileError:
    return FileError(
        f"The file {str(path)!r} holds no {kind} Ed25519 key in PEM, without a password.",
        "Make a pair with ifonly keys make NAME.",
    )
