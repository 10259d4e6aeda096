"""The forms of an ECDSA signature: two numbers, which most programs write as DER, and browsers (WebCrypto) side by
side; and two signatures that are right wherever one is, of which one is written here.

Whoever sees a signature can compute the other one that is as right, and write either in both forms. None of that says
anything else; but a package that is to be as it was signed has the one form in which it was written.
"""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature


def der_signature(signature: bytes, curve: ec.EllipticCurve) -> bytes:
    """A signature as DER, whichever of the two forms it is in."""
    width = _coordinate_bytes(curve)
    if len(signature) == 2 * width and not _is_der_signature(signature):
        numbers = (int.from_bytes(half, "big") for half in (signature[:width], signature[width:]))
        return encode_dss_signature(*numbers)
    return signature


def side_by_side_signature(signature: bytes, curve: ec.EllipticCurve) -> bytes:
    """A signature, given as DER, in the form of browsers."""
    width = _coordinate_bytes(curve)
    return b"".join(number.to_bytes(width, "big") for number in decode_dss_signature(signature))


def lower_signature(signature: bytes, curve: ec.EllipticCurve) -> bytes:
    """The one of the two signatures with the smaller second number; both as DER."""
    first, second = decode_dss_signature(signature)
    return encode_dss_signature(first, min(second, curve.group_order - second))


def _is_der_signature(signature: bytes) -> bool:
    try:
        decode_dss_signature(signature)
    except ValueError:
        return False
    return True


def _coordinate_bytes(curve: ec.EllipticCurve) -> int:
    return (curve.key_size + 7) // 8
