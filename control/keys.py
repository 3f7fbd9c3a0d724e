"""Key files of an installation: the token secret, and the relay's signing key with its public half beside it.

`access.secret` and `proof.key` are readable by their owner only; `proof.pub` is what replicas need to verify proofs.
"""

import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from topics.errors import Invalid

ACCESS_SECRET: Final = "access.secret"  # noqa: S105 - a file name
PROOF_KEY: Final = "proof.key"
PROOF_PUBLIC: Final = "proof.pub"
SECRET_BYTES: Final = 32
_PRIVATE_MODE: Final = 0o600
_PUBLIC_MODE: Final = 0o644


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """Signs proofs.

    Attributes:
        key_id: first 16 hex digits of SHA-256 of the raw public key.
        private: the Ed25519 key; never printed.
    """

    key_id: str
    private: Ed25519PrivateKey

    def sign(self, message: bytes) -> bytes:
        """Returns the 64-byte signature."""
        return self.private.sign(message)


def ensure_keys(folder: Path) -> None:
    """Creates the key files that are missing; what is there stays as it is, also when two processes start together."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _create(folder / ACCESS_SECRET, secrets.token_hex(SECRET_BYTES).encode(), _PRIVATE_MODE)
    pem = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _create(folder / PROOF_KEY, pem, _PRIVATE_MODE)
    public = _read_private(folder / PROOF_KEY).public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    _create(folder / PROOF_PUBLIC, pem, _PUBLIC_MODE)


def read_secret(folder: Path) -> bytes:
    """Returns the secret that signs and verifies bearer tokens; raises Invalid when the file is missing or open to others."""
    return _read(folder / ACCESS_SECRET).strip()


def read_signer(folder: Path) -> Signer:
    """Returns the relay's signer; raises Invalid when the file is missing, open to others or no Ed25519 key."""
    private = _read_private(folder / PROOF_KEY)
    return Signer(key_id=key_id(private.public_key()), private=private)


def key_id(public: Ed25519PublicKey) -> str:
    """Returns the name under which a proof refers to a public key."""
    raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()[:16]


def _create(path: Path, content: bytes, mode: int) -> None:
    """Writes the file whole or not at all: a link fails when another process was first, and its file then counts."""
    if path.exists():
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _read(path: Path) -> bytes:
    try:
        mode = path.stat().st_mode
        content = path.read_bytes()
    except FileNotFoundError:
        raise Invalid("keys", path, "the key file is missing; `adcat up` creates it") from None
    if mode & 0o077:
        raise Invalid("keys", path, f"others may read this secret; run `chmod 600 {path}`")
    return content


def _read_private(path: Path) -> Ed25519PrivateKey:
    try:
        private = serialization.load_pem_private_key(_read(path), password=None)
    except ValueError:
        raise Invalid("keys", path, "this is no PEM private key; move it away to have a new one created") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise Invalid("keys", path, "proofs are signed with Ed25519; move it away to have a new one created")
    return private
