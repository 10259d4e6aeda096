"""What forgers do: bits flipped, fields changed, ZIP files that read in two ways, ECDSA signatures in other forms, and
keys computed under which an old signature is right for something new.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import io
import zipfile
from collections.abc import Iterator
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from bench.evidence_package import Parts


def flip_bit(data: bytes, at: int) -> bytes:
    """The same with one bit changed."""
    return data[:at] + bytes([data[at] ^ 0x01]) + data[at + 1 :]


def list_fields(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to every field of a value, but for those of long lists: of these the first and the last."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from list_fields(each, (*way, name))
    elif isinstance(value, list) and value:
        for at in sorted({0, len(value) - 1}):
            yield from list_fields(value[at], (*way, at))
    else:
        yield way


def change_field(value: Any, way: tuple[Any, ...]) -> list[tuple[str, Any]]:
    """A value with one field changed, and with it removed."""
    changed, removed = copy.deepcopy(value), copy.deepcopy(value)
    place, other = changed, removed
    for step in way[:-1]:
        place, other = place[step], other[step]
    place[way[-1]] = _otherwise(place[way[-1]])
    del other[way[-1]]
    return [("changed", changed), ("removed", removed)]


def _otherwise(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value[:-1]}{'0' if not value.endswith('0') else '1'}"
        case _:
            return "something"


def der_signature(signature: str) -> str:
    """A signature in the form of other programs."""
    data = base64.b64decode(signature)
    half = len(data) // 2
    numbers = int.from_bytes(data[:half], "big"), int.from_bytes(data[half:], "big")
    return base64.b64encode(utils.encode_dss_signature(*numbers)).decode()


_P384_ORDER = int(
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973", 16
)
"""The order of the group in which keys of packages are."""


def negate_signature(signature: str) -> str:
    """The other signature that is as right, which anybody can compute."""
    data = base64.b64decode(signature)
    other = (_P384_ORDER - int.from_bytes(data[48:], "big")).to_bytes(48, "big")
    return base64.b64encode(data[:48] + other).decode()


def compute_key(message: bytes, signature: str) -> str:
    """A public key under which a signature, whoever made it, is right for a message: r⁻¹(sR − eG)."""
    data = base64.b64decode(signature)
    r, s = int.from_bytes(data[:48], "big"), int.from_bytes(data[48:], "big")
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    inverse = pow(r, -1, _P384_ORDER)
    point = _lift_x(r)
    found = _add(_times(point, s * inverse % _P384_ORDER), _times(_generator(), -digest * inverse % _P384_ORDER))
    assert found is not None
    key = ec.EllipticCurvePublicNumbers(*found, ec.SECP384R1()).public_key()
    key.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
    return base64.b64encode(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()


_P384_PRIME = 2**384 - 2**128 - 2**96 + 2**32 - 1
_Point = tuple[int, int] | None


def _generator() -> tuple[int, int]:
    numbers = ec.derive_private_key(1, ec.SECP384R1()).public_key().public_numbers()
    return numbers.x, numbers.y


def _lift_x(x: int) -> tuple[int, int]:
    """The point of the curve above a number."""
    data = b"\2" + x.to_bytes(48, "big")
    numbers = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP384R1(), data).public_numbers()
    return numbers.x, numbers.y


def _add(one: _Point, other: _Point) -> _Point:
    if one is None or other is None:
        return one or other
    if one[0] == other[0] and (one[1] + other[1]) % _P384_PRIME == 0:
        return None
    if one == other:
        slope = (3 * one[0] * one[0] - 3) * pow(2 * one[1], -1, _P384_PRIME)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, _P384_PRIME)
    x = (slope * slope - one[0] - other[0]) % _P384_PRIME
    return x, (slope * (one[0] - x) - one[1]) % _P384_PRIME


def _times(point: _Point, factor: int) -> _Point:
    total: _Point = None
    while factor:
        total = _add(total, point) if factor & 1 else total
        point, factor = _add(point, point), factor >> 1
    return total


def zip_in_one_go(parts: Parts) -> bytes:
    """As writers do that cannot go back: sizes stand behind each member."""

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.written = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            self.written += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w") as zipped:
        for name, data in parts.files.items():
            info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED if name in parts.deflated else zipfile.ZIP_STORED
            with zipped.open(info, "w") as member:
                member.write(data)
    return bytes(pipe.written)


def add_twin(parts: Parts, name: str) -> bytes:
    """The same with a name that comes twice."""
    out = io.BytesIO(parts.build())
    with zipfile.ZipFile(out, "a") as zipped:
        twin = zipfile.ZipInfo("twin", (2026, 1, 1, 0, 0, 0))
        zipped.writestr(twin, b"evil")
        zipped.filelist[-1].filename = zipped.filelist[-1].orig_filename = name
    return out.getvalue()


def add_comment(parts: Parts) -> bytes:
    """The same with a comment of the ZIP file."""
    out = io.BytesIO(parts.build())
    with zipfile.ZipFile(out, "a") as zipped:
        zipped.comment = b"by whoever"
    return out.getvalue()


def add_gap(parts: Parts) -> bytes:
    """Bytes between the last member and the directory."""
    out = io.BytesIO(parts.build())
    with zipfile.ZipFile(out, "a") as zipped:
        zipped.start_dir += 7
        zipped.comment = b""
        zipped._didModify = True  # type: ignore[attr-defined]
    return out.getvalue()


def add_link(parts: Parts) -> bytes:
    """The same with a symbolic link in it."""
    out = io.BytesIO(parts.build())
    with zipfile.ZipFile(out, "a") as zipped:
        info = zipfile.ZipInfo("evidence/link", (2026, 1, 1, 0, 0, 0))
        info.create_system, info.external_attr = 3, 0o120777 << 16
        zipped.writestr(info, "/etc/passwd")
    return out.getvalue()
