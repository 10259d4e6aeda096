"""Keys of one's own: made on first use, kept in the user's folder for settings; one for packages, one for logs.

Packages are signed as browsers sign WACZ files (ECDSA on P-384), checkpoints as transparency logs sign theirs
(Ed25519). Such a key names nobody: who it belongs to is known to those whom its owner told.
"""

from __future__ import annotations

import enum
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from webkeep.errors import StorageError
from webkeep.signing.key_file import read_key_file, write_key_file
from webkeep.signing.signing_key import PrivateKey, SigningKey


class KeyPurpose(enum.StrEnum):
    """What a key of one's own signs."""

    PACKAGE = "package"
    LOG = "log"


def default_key_folder() -> Path:
    """Where keys are kept if nothing else is said."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "webkeep" / "keys"


def own_key_path(purpose: KeyPurpose, folder: Path | None = None) -> Path:
    """The file of a key of one's own."""
    return (folder or default_key_folder()) / f"{purpose.value}.pem"


def open_own_key(
    purpose: KeyPurpose = KeyPurpose.PACKAGE, path: Path | None = None, passphrase: str | None = None
) -> SigningKey:
    """The key of one's own for a purpose, made if there is none yet."""
    path = path or own_key_path(purpose)
    if not path.exists():
        with _alone_in(path.parent):
            if not path.exists():
                heading = f"webkeep: the secret key that signs each {purpose.value}; whoever has it signs as you"
                write_key_file(path, _generate_key(purpose), passphrase, heading)
    return read_key_file(path, passphrase)


def _generate_key(purpose: KeyPurpose) -> PrivateKey:
    match purpose:
        case KeyPurpose.PACKAGE:
            return ec.generate_private_key(ec.SECP384R1())
        case KeyPurpose.LOG:
            return ed25519.Ed25519PrivateKey.generate()


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process makes a key in a folder: all that begin at once are to have the same."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StorageError(f"no key can be kept in {folder} ({error.strerror}); choose another place") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
