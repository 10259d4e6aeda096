"""The local certificate authority of the recording proxy: made on first use, its key for the user's eyes alone; signs
certificates for the hosts that clients ask for, and decides how long they last.

All certificates for sites have one key, made anew with each start and kept in memory; only the authority is on disk.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import ipaddress
import os
import ssl
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from webkeep.errors import StorageError
from webkeep.model import Clock
from webkeep.process import write_atomically

_AUTHORITY_NAME = "webkeep recording authority"
_AUTHORITY_YEARS = 10
"""An authority is trusted by hand, so it is to last."""
_CERTIFICATE_DAYS = 90
"""Certificates of sites are made anew with each start; browsers refuse those that last much longer."""
_MAX_CONTEXTS = 1000
"""Hosts whose certificates are kept ready; those used longest ago are made anew."""
_PEM, _PLAIN = serialization.Encoding.PEM, serialization.NoEncryption()
_PKCS8 = serialization.PrivateFormat.PKCS8


class CertificateAuthority:
    """Signs certificates for the hosts that clients ask for."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._clock = clock
        self.certificate_path = folder / "webkeep-authority.pem"
        """What browsers and systems are given to trust."""
        self._key_path = folder / "webkeep-authority.key"
        try:
            if not self._is_there():
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                # Several processes of a server begin at once: one makes the authority, and the others take it.
                with _alone_in(folder):
                    if not self._is_there():
                        self._create_authority()
            self._key = serialization.load_pem_private_key(self._key_path.read_bytes(), None)
            self._certificate = x509.load_pem_x509_certificate(self.certificate_path.read_bytes())
        except OSError as error:
            raise StorageError(f"cannot keep a certificate authority in {folder} ({error.strerror})") from error
        except (ValueError, TypeError) as error:
            advice = "delete the folder, and a new authority is made"
            raise StorageError(f"the certificate authority in {folder} cannot be read; {advice}") from error
        self._leaf_key = ec.generate_private_key(ec.SECP256R1())
        self._contexts: OrderedDict[str, ssl.SSLContext] = OrderedDict()

    @property
    def pem(self) -> bytes:
        """The authority's certificate."""
        return self._certificate.public_bytes(_PEM)

    @property
    def key_hashes(self) -> tuple[str, ...]:
        """The hashes by which Chromium can be told to trust what is signed here, in one profile only."""
        keys = (self._certificate.public_key(), self._leaf_key.public_key())
        der, info = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        return tuple(base64.b64encode(hashlib.sha256(key.public_bytes(der, info)).digest()).decode() for key in keys)

    def context_for(self, host: str) -> ssl.SSLContext:
        """What a connection for a host is encrypted with."""
        known = self._contexts.get(host)
        if known is None:
            known = self._contexts[host] = self._create_context(host)
            if len(self._contexts) > _MAX_CONTEXTS:
                self._contexts.popitem(last=False)
        self._contexts.move_to_end(host)
        return known

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.now().micros // 1_000_000, UTC)

    def _is_there(self) -> bool:
        return self._key_path.exists() and self.certificate_path.exists()

    def _create_authority(self) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _AUTHORITY_NAME)])
        now = self._now()
        certificate = (
            _certificate_builder(name, name, key.public_key(), now, timedelta(days=365 * _AUTHORITY_YEARS))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(signs=True), critical=True)
            .sign(key, hashes.SHA256())
        )
        _write(self._key_path, key.private_bytes(_PEM, _PKCS8, _PLAIN), 0o600)
        _write(self.certificate_path, certificate.public_bytes(_PEM), 0o644)

    def _create_context(self, host: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        context.sni_callback = self._on_server_name
        key = self._leaf_key.private_bytes(_PEM, _PKCS8, _PLAIN)
        # The library takes certificates from files alone.
        with tempfile.NamedTemporaryFile() as file:
            file.write(key + self._sign_certificate(host) + self.pem)
            file.flush()
            context.load_cert_chain(file.name)
        return context

    def _on_server_name(self, connection: ssl.SSLObject | ssl.SSLSocket, name: str | None, _: ssl.SSLContext) -> None:
        if name and len(name) < 254:
            connection.context = self.context_for(name.lower())

    def _sign_certificate(self, host: str) -> bytes:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host[:64])])
        return (
            _certificate_builder(
                name,
                self._certificate.subject,
                self._leaf_key.public_key(),
                self._now(),
                timedelta(days=_CERTIFICATE_DAYS),
            )
            .add_extension(x509.SubjectAlternativeName([_subject_name(host)]), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(_key_usage(signs=False), critical=True)
            .sign(self._signing_key(), hashes.SHA256())
            .public_bytes(_PEM)
        )

    def _signing_key(self) -> ec.EllipticCurvePrivateKey:
        if not isinstance(self._key, ec.EllipticCurvePrivateKey):
            raise StorageError(f"{self._key_path} is no key of ours; delete it, and a new authority is made")
        return self._key


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process is at work in a folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _certificate_builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, lasting: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + lasting)
    )


def _key_usage(signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _subject_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host.strip("[]")))
    except ValueError:
        return x509.DNSName(host)


def _write(path: Path, data: bytes, mode: int) -> None:
    write_atomically(path, data, mode)
