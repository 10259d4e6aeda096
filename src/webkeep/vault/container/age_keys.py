"""Keys of age as text: recipients (`age1…`, public) and identities (`AGE-SECRET-KEY-1…`, secret), in Bech32."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from webkeep.errors import UsageError

_ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_RECIPIENT, _IDENTITY = "age", "age-secret-key-"
_KEY_BYTES, _CHECKSUM_LENGTH = 32, 6
"""Of X25519; of Bech32."""
_MAX_FILE_BYTES = 64 << 10
"""A file of identities is no larger."""


def new_identity() -> tuple[str, str]:
    """A secret identity, and the recipient that goes with it."""
    key = X25519PrivateKey.generate()
    public = _bech32(_RECIPIENT, key.public_key().public_bytes_raw())
    return _bech32(_IDENTITY, key.private_bytes_raw()).upper(), public


def parse_recipient(text: str) -> bytes:
    """The public key of a recipient; raises UsageError where it is none."""
    return _unbech32(text.strip(), _RECIPIENT, "a recipient begins with age1")


def parse_identity(text: str) -> bytes:
    """The secret key of an identity; raises UsageError where it is none."""
    return _unbech32(text.strip().lower(), _IDENTITY, "an identity begins with AGE-SECRET-KEY-1")


def read_identities(path: Path) -> list[bytes]:
    """The identities in a file, as `age-keygen` writes it."""
    try:
        with path.open("rb") as stream:
            text = stream.read(_MAX_FILE_BYTES).decode("ascii", "replace")
    except OSError as error:
        raise UsageError(f"the identity file {path} cannot be read ({error.strerror}); check its name") from error
    lines = [line.strip() for line in text.splitlines()]
    found = [parse_identity(line) for line in lines if line and not line.startswith("#")]
    if not found:
        raise UsageError(f"{path} holds no identity; it is a file with a line AGE-SECRET-KEY-1…")
    return found


def _bech32(prefix: str, data: bytes) -> str:
    values = _regroup(data, 8, 5, pad=True)
    polynomial = _polymod([*_expand(prefix), *values, *([0] * _CHECKSUM_LENGTH)]) ^ 1
    checksum = [polynomial >> 5 * (5 - place) & 31 for place in range(_CHECKSUM_LENGTH)]
    return prefix + "1" + "".join(_ALPHABET[value] for value in [*values, *checksum])


def _unbech32(text: str, prefix: str, advice: str) -> bytes:
    start, one, rest = text.rpartition("1")
    values = [_ALPHABET.find(character) for character in rest]
    if start != prefix or not one or -1 in values or _polymod([*_expand(prefix), *values]) != 1:
        raise UsageError(f"that is no such key, or it is mistyped; {advice}")
    data = bytes(_regroup(values[:-_CHECKSUM_LENGTH], 5, 8, pad=False))
    if len(data) != _KEY_BYTES:
        raise UsageError(f"that key has {len(data)} bytes and not {_KEY_BYTES}; {advice}")
    return data


def _expand(prefix: str) -> list[int]:
    return [ord(each) >> 5 for each in prefix] + [0] + [ord(each) & 31 for each in prefix]


def _polymod(values: list[int]) -> int:
    generators = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
    checksum = 1
    for value in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for place, generator in enumerate(generators):
            checksum ^= generator if top >> place & 1 else 0
    return checksum


def _regroup(data: bytes | list[int], from_bits: int, to_bits: int, pad: bool) -> list[int]:
    held = bits = 0
    groups = []
    for value in data:
        held, bits = held << from_bits | value, bits + from_bits
        while bits >= to_bits:
            bits -= to_bits
            groups.append(held >> bits & (1 << to_bits) - 1)
    if pad and bits:
        groups.append(held << (to_bits - bits) & (1 << to_bits) - 1)
    return groups
