"""Signatures checked: ours in all kinds of keys, and one that a browser made."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa, x25519

from webkeep.errors import FormatError
from webkeep.signing import SigningKey, VerifyingKey

KEYS = (
    ec.generate_private_key(ec.SECP256R1()),
    ec.generate_private_key(ec.SECP384R1()),
    ec.generate_private_key(ec.SECP521R1()),
    ed25519.Ed25519PrivateKey.generate(),
    rsa.generate_private_key(65537, 2048),
)


@pytest.mark.parametrize("key", [SigningKey(key) for key in KEYS], ids=lambda key: type(key._key).__name__)
def test_only_this_key_has_signed_only_this_message(key: SigningKey) -> None:
    signature = key.sign(b"message")
    assert key.public.has_signed(b"message", signature)
    assert not key.public.has_signed(b"massage", signature)
    assert not any(
        SigningKey(other).public.has_signed(b"message", signature) for other in KEYS if other is not key._key
    )
    for place in range(len(signature)):
        assert not key.public.has_signed(
            b"message", signature[:place] + bytes([signature[place] ^ 1]) + signature[place + 1 :]
        )
    assert not key.public.has_signed(b"message", b"")


@pytest.mark.parametrize(
    "key",
    [SigningKey(key).public for key in KEYS],
    ids=[type(key).__name__ + str(number) for number, key in enumerate(KEYS)],
)
def test_a_key_is_the_same_however_it_is_written(key: VerifyingKey) -> None:
    assert (
        VerifyingKey.from_text(key.base64) == VerifyingKey.from_text(key.pem) == VerifyingKey.from_der(key.der) == key
    )


def test_the_signature_of_a_wacz_that_a_browser_made_is_right() -> None:
    """Of ArchiveWeb.page 0.7.9 and 0.14.2, whose keys and signatures were published."""
    for encoded_key, encoded, digest in (
        (
            "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEdyJB4zGpvCzhNblldx8b12sz+ECGk8Ryq4y+bg9woRu3OSKWO2uS+n8CD258iVvg"
            "0hP0JRg4C7YxGc7lqGsI9bHj0NaC9b4NXazeuR80iVCg96oTYIOLdWcII9rfaFMU",
            "mFeJLayQT4Si3/JO3BRDFyw0b90TUSMEOmvNwsQfV1Hwz5pMUgEweu0kx67KwFnaSpgCg7Bs2FKkKsKJgS3GIBnCL169sFX/"
            "GH44dUofoGmb25JYLQO5DtZ+KzwHQ270",
            "aef48a18637f95a74e8537015a322b3894a88a8a54b310b2e6855d9f370b6b6c",
        ),
        (
            "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE/R/QL0x1ijcwralLX/vNBniFbfbBeJpQAHKy8Gk1r8EkTseqyeYap9QCk+QQcWtL"
            "zqUNHKTY408dK1N6ZPk90frmsa/aRWq5XLsxV9928nXcm0bXeCk467nOQKh/P2FL",
            "njdrQ8Snsck3rDNXbqO/HnBItf98OiQ+QX8NfX0WWbBpHdZK14zAPgVpC2pydck6pJkwCTfNl57ZHUVVPKmtBdYm6f+Ik8S4"
            "5rr1Ed4EV2H5CaoIZ6W77wdiB4G/ohOY",
            "2b346207e049fe30ad65415d48a137bca3b969ec425b7a47d34c5d70823d782f",
        ),
    ):
        key, signature = VerifyingKey.from_text(encoded_key), base64.b64decode(encoded)
        message = f"sha256:{digest}".encode()
        assert key.has_signed(message, signature)
        assert not key.has_signed(message.upper(), signature)


def test_keys_that_are_not_safe_are_refused() -> None:
    for key in (
        ec.generate_private_key(ec.SECP192R1()).public_key(),
        rsa.generate_private_key(65537, 1024).public_key(),
        x25519.X25519PrivateKey.generate().public_key(),
    ):
        with pytest.raises(FormatError):
            VerifyingKey.from_public_key(key)


@pytest.mark.parametrize("text", ["", "AAAA", "no key", "MHYw", "é", "-----BEGIN PUBLIC KEY-----"])
def test_what_is_no_key_is_told(text: str) -> None:
    with pytest.raises(FormatError, match="it is no public key"):
        VerifyingKey.from_text(text)


def test_only_keys_of_logs_have_a_short_form() -> None:
    with pytest.raises(FormatError):
        _ = SigningKey(KEYS[0]).public.raw
