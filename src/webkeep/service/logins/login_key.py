"""The key that login profiles are sealed by, and the sealing.

Theory of operation. Profiles are sealed by AES-256-GCM with one key, each bound to its id and its collection, so that
what is put in the place of another does not open. The key is a file of the service's folder that its owner alone reads.
Where a passphrase is given in the environment, the file has the key sealed by that (scrypt), and who has the folder
alone can open nothing. It is in no backup: a backup has the sealed profiles and nothing that opens them.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from webkeep.errors import StorageError
from webkeep.formats import read_json
from webkeep.process import write_atomically

KEY_FILE = "logins.key"
"""In the folder of the service; never in its backups."""
PASSPHRASE_VARIABLE = "WEBKEEP_LOGIN_PASSPHRASE"
"""The variable that may seal the key; processes of jobs are not told it."""
_KEY_BYTES, _SALT_BYTES = 32, 16
"""Of AES-256, and enough chance that no two services have the same."""
_NONCE_BYTES = 12
"""That GCM is made for."""
_SCRYPT_COST = 1 << 15
"""32 MB and a tenth of a second for each passphrase that somebody tries."""
_KEY_CONTEXT, _FORMAT = b"webkeep login key 1", b"\x01"


class LoginLockedError(StorageError):
    """Login profiles cannot be opened for now; what to do about it is said."""


class LoginKeyFile:
    """The key of one service, read or made when it is first needed."""

    def __init__(self, path: Path, environment: Mapping[str, str] = os.environ) -> None:
        self._path, self._environment = path, environment
        self._key: bytes | None = None

    def seal(self, content: bytes, bound_to: str) -> str:
        """What opens only with the key and for what it is bound to."""
        nonce = os.urandom(_NONCE_BYTES)
        sealed = AESGCM(self._read_key(may_make=True)).encrypt(nonce, content, _FORMAT + bound_to.encode())
        return base64.b64encode(_FORMAT + nonce + sealed).decode()

    def open(self, sealed: str, bound_to: str) -> bytes:
        """What was sealed; LoginLockedError where this is not the key, or it was changed."""
        key = AESGCM(self._read_key(may_make=False))
        start = len(_FORMAT) + _NONCE_BYTES
        try:
            raw = _decode(sealed)
            return key.decrypt(raw[len(_FORMAT) : start], raw[start:], raw[: len(_FORMAT)] + bound_to.encode())
        except (InvalidTag, ValueError) as error:
            raise LoginLockedError(
                f"the login does not open by the key in {self._path}; put back the key that it was made by, or renew it"
            ) from error

    def _read_key(self, may_make: bool) -> bytes:
        if self._key is None:
            self._key = self._load(may_make)
        return self._key

    def _load(self, may_make: bool) -> bytes:
        passphrase = self._environment.get(PASSPHRASE_VARIABLE, "")
        try:
            values: Any = read_json(self._path.read_bytes())
        except FileNotFoundError:
            if not may_make:
                raise LoginLockedError(
                    f"the key of the logins is gone ({self._path}); put it back, or renew the logins"
                ) from None
            key = os.urandom(_KEY_BYTES)
            self._write(key, passphrase)
            return key
        except OSError as error:
            raise LoginLockedError(f"cannot read {self._path} ({error.strerror})") from error
        key = self._key_from(values, passphrase)
        if passphrase and "key" in values:  # a passphrase was given since: from now on the file alone opens nothing
            self._write(key, passphrase)
        return key

    def _key_from(self, values: Any, passphrase: str) -> bytes:
        try:
            if "key" in values:
                return _decode(values["key"])
            if not passphrase:
                raise LoginLockedError(
                    f"the logins are locked by a passphrase; start the service with {PASSPHRASE_VARIABLE} set"
                )
            wrapped = _decode(values["wrapped"])
            wrapping = AESGCM(_derive(passphrase, _decode(values["salt"])))
            return wrapping.decrypt(wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], _KEY_CONTEXT)
        except InvalidTag as error:
            raise LoginLockedError(f"the passphrase in {PASSPHRASE_VARIABLE} is not that of the logins") from error
        except (KeyError, TypeError, ValueError) as error:
            raise LoginLockedError(f"{self._path} is no key of logins; put back the one that was there") from error

    def _write(self, key: bytes, passphrase: str) -> None:
        values = {"key": base64.b64encode(key).decode()}
        if passphrase:
            salt, nonce = os.urandom(_SALT_BYTES), os.urandom(_NONCE_BYTES)
            wrapped = nonce + AESGCM(_derive(passphrase, salt)).encrypt(nonce, key, _KEY_CONTEXT)
            values = {"salt": base64.b64encode(salt).decode(), "wrapped": base64.b64encode(wrapped).decode()}
        write_atomically(self._path, json.dumps(values).encode(), 0o600, sync=True)


def _decode(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _derive(passphrase: str, salt: bytes) -> bytes:
    return Scrypt(salt=salt, length=_KEY_BYTES, n=_SCRYPT_COST, r=8, p=1).derive(passphrase.encode())
