"""Keys in files: made for the owner's eyes alone, refused where others may read them; a wrong passphrase is told apart
from a file that is damaged.

Theory of operation. What is encrypted can be decrypted or not; that alone does not say whether the passphrase or the
file is wrong. So a key that webkeep makes stands below a line with the digest of what follows: if that holds, the file
is as it was written, and it is the passphrase. Other programs read such a file as PEM and pass over the lines above.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization

from webkeep.errors import StorageError, UsageError
from webkeep.process import write_atomically
from webkeep.signing.signing_key import PrivateKey, SigningKey, signing_key_from

_PRIVATE_MODE = 0o600
"""Read and written by its owner alone."""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MAX_KEY_FILE_BYTES = 256 << 10
"""A file of keys and certificates is no larger."""
_CHECK_LINE = re.compile(rb"^check: sha256:([0-9a-f]{64})$", re.MULTILINE)
_BEGIN = b"-----BEGIN"
_NO_PASSPHRASE = "give its passphrase by --passphrase-file FILE or in WEBKEEP_PASSPHRASE"


def read_private_file(path: Path) -> bytes:
    """A file with a secret in it; raises UsageError where others than its owner may read it."""
    try:
        with path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            data = stream.read(_MAX_KEY_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"the key {path} cannot be read ({error.strerror}); check its name") from error
    if mode & _OTHERS:
        said = f"others may read or change the key {path} (mode {stat.S_IMODE(mode):o})"
        raise UsageError(f"{said}; if nobody did, run chmod 600 {path}")
    if len(data) > _MAX_KEY_FILE_BYTES:
        raise UsageError(f"{path} is larger than any key; check its name")
    return data


def read_key_file(path: Path, passphrase: str | None) -> SigningKey:
    """The key in a file of PEM."""
    return parse_private_key(read_private_file(path), passphrase, path)


def parse_private_key(data: bytes, passphrase: str | None, path: Path) -> SigningKey:
    """The key in PEM; raises UsageError where the passphrase is missing or wrong, StorageError where it is damaged."""
    is_whole = _is_whole(data)
    if is_whole is False:
        raise StorageError(f"the key {path} is damaged; put a copy of it in its place")
    begin = data.find(_BEGIN)
    try:
        key = serialization.load_pem_private_key(data[max(begin, 0) :], passphrase.encode() if passphrase else None)
    except TypeError as error:
        if passphrase is None:
            raise UsageError(f"the key {path} is encrypted; {_NO_PASSPHRASE}") from error
        return parse_private_key(data, None, path)  # a passphrase for a key that needs none
    except (ValueError, UnsupportedAlgorithm) as error:
        raise _unreadable_key(data, passphrase, path, is_whole is True) from error
    return signing_key_from(key, str(path))


def _unreadable_key(data: bytes, passphrase: str | None, path: Path, is_whole: bool) -> UsageError | StorageError:
    if b"ENCRYPTED" not in data:
        return StorageError(f"{path} holds no key that can be read; put a copy of it in its place")
    if passphrase is None:
        return UsageError(f"the key {path} is encrypted; {_NO_PASSPHRASE}")
    if is_whole:
        return UsageError(
            f"the passphrase of the key {path} is wrong; the key itself is whole, but nothing opens it without its own"
        )
    return UsageError(f"the key {path} cannot be opened: the passphrase is wrong, or the file is damaged")


def write_key_file(path: Path, key: PrivateKey, passphrase: str | None, heading: str) -> None:
    """Keep a new key for the owner's eyes alone; raises StorageError where that fails."""
    hidden = serialization.BestAvailableEncryption(passphrase.encode()) if passphrase else serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, hidden)
    check = f"check: sha256:{hashlib.sha256(pem).hexdigest()}\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(path, f"{heading}\n{check}".encode() + pem, _PRIVATE_MODE, sync=True)
    except OSError as error:
        raise StorageError(f"the key {path} cannot be kept ({error.strerror}); choose another place") from error


def _is_whole(data: bytes) -> bool | None:
    """Whether a key that webkeep made is as it was written; None where another program made it."""
    check, begin = _CHECK_LINE.search(data), data.find(_BEGIN)
    if check is None or not 0 <= check.start() < begin:
        return None
    return hashlib.sha256(data[begin:]).hexdigest() == check[1].decode()
