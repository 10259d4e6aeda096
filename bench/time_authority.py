"""A time-stamping authority for tests: certificates of its own, `openssl ts` for its answers, a server on loopback; and
the ways in which an authority can lie.
"""

from __future__ import annotations

import base64
import enum
import hashlib
import http.server
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

MEDIA_TYPE = "application/timestamp-reply"
_TOKEN_TYPE = "1.2.840.113549.1.9.16.1.4"
"""What a time-stamp token holds (id-smime-ct-TSTInfo)."""


class Lie(enum.Enum):
    """What is wrong with the answers of an authority."""

    WRONG_NONCE = "wrong nonce"
    NO_NONCE = "no nonce"
    WRONG_DIGEST = "wrong digest"
    REPLAYED = "the answer to another request"
    EXPIRED = "an expired certificate"
    NOT_YET_VALID = "a certificate of tomorrow"
    WRONG_PURPOSE = "a certificate for servers"
    FUTURE = "a time in the future"
    REFUSED = "a refusal"
    GARBAGE = "garbage"
    EMPTY = "nothing"
    TRUNCATED = "half of it"
    OTHER_CHAIN = "another chain"
    FORGED = "a signature of something else"
    FAMOUS = "a certificate of somebody famous beside its own"
    ERROR_PAGE = "an error page"
    ENDLESS = "without end"
    HANGS = "never"


@dataclass(frozen=True)
class TestCertificate:
    """A certificate with its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    __test__ = False

    @property
    def pem(self) -> bytes:
        """The certificate."""
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        """Its key."""
        plain = serialization.NoEncryption()
        return self.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)


def make_certificate(
    name: str,
    issuer: TestCertificate | None = None,
    purpose: x509.ObjectIdentifier | None = None,
    days: tuple[float, float] = (-1, 30),
    alternative: x509.GeneralName | None = None,
    serial: int = 0,
) -> TestCertificate:
    """A certificate, self-signed where nobody issues it, an authority's where it has no purpose."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC).replace(microsecond=0)
    is_authority = purpose is None
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(serial or x509.random_serial_number())
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(_key_usage(is_authority), critical=True)
    )
    signing = issuer.key if issuer else key
    builder = builder.add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), critical=False
    )
    if purpose is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage([purpose]), critical=True)
    if alternative is not None:
        builder = builder.add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
    return TestCertificate(builder.sign(signing, hashes.SHA256()), key)


def _key_usage(is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not is_authority,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


class TimeAuthority:
    """An authority with a root, an authority between, and a certificate for time stamps."""

    def __init__(self, folder: Path, name: str = "stamps.test") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.root = make_certificate(f"{name} root")
        self.between = make_certificate(f"{name} authority", self.root)
        self.signer = self._issue(name)
        self.root_path = self._write("root.pem", self.root.pem)
        self.chain_path = self._write("chain.pem", self.between.pem + self.root.pem)
        self._write("serial", b"01\n")
        self._config = self._write("ts.cnf", self._render_config().encode())
        self._alone = threading.Lock()

    def answer(self, request: bytes, lie: Lie | None = None) -> bytes:
        """The answer to a request, as honest as is said."""
        with self._alone:
            return self._honest_answer(request) if lie is None else self._lies()[lie](request)

    def sign_as_of(self, request: bytes, when: datetime, signer: TestCertificate | None = None) -> bytes:
        """An answer that says another time."""
        info = self._token_info(self._honest_answer(request))
        return self._sign_info(_with_time(info, when), signer or self.signer)

    def find_meaning(self, answer: bytes) -> list[int]:
        """The places of bytes that an answer proves something by: what it says, the digest of that, the signature.

        An answer also has bytes that nothing follows from, such as a spare copy of the root's certificate.
        """
        with self._alone:
            info = self._token_info(answer)
        digest = hashlib.sha256(info).digest()
        spans = [(answer.index(each), len(each)) for each in (info, digest)] + [(len(answer) - 60, 60)]
        return sorted(place for start, size in spans for place in range(start, start + size))

    def _lies(self) -> dict[Lie, Callable[[bytes], bytes]]:
        return {
            Lie.WRONG_NONCE: lambda request: self._altered(request, _with_other_nonce),
            Lie.NO_NONCE: lambda request: self._honest_answer(self._query(_digest_of(request), nonce=False)),
            Lie.WRONG_DIGEST: lambda request: self._altered(request, _with_other_digest),
            Lie.REPLAYED: lambda request: self._honest_answer(self._query(_digest_of(request), nonce=True)),
            Lie.EXPIRED: lambda request: self._signed_by(request, self._issue("expired", days=(-20, -10))),
            Lie.NOT_YET_VALID: lambda request: self._signed_by(request, self._issue("tomorrow", days=(1, 10))),
            Lie.WRONG_PURPOSE: lambda request: self._signed_by(
                request, self._issue("server", ExtendedKeyUsageOID.SERVER_AUTH)
            ),
            Lie.FUTURE: lambda request: self.sign_as_of(request, datetime.now(UTC) + timedelta(days=3)),
            Lie.REFUSED: lambda _: bytes.fromhex("3017301502010230100c0e6e6f7420746f646179207468783d")[:25],
            Lie.GARBAGE: lambda _: bytes(range(256)) * 4,
            Lie.EMPTY: lambda _: b"",
            Lie.TRUNCATED: lambda request: (lambda data: data[: len(data) // 2])(self._honest_answer(request)),
            Lie.OTHER_CHAIN: lambda request: TimeAuthority(self.folder / "other", "other.test").answer(request),
            Lie.FORGED: lambda request: _with_time(
                self._honest_answer(request), datetime.now(UTC) - timedelta(hours=1)
            ),
            Lie.FAMOUS: lambda request: self._sign_info(
                self._token_info(self._honest_answer(request)), self.signer, self._make_famous().pem
            ),
        }

    def _honest_answer(self, request: bytes) -> bytes:
        self._write("query.tsq", request)
        self._openssl("ts", "-reply", "-config", self._config, "-queryfile", "query.tsq", "-out", "reply.tsr")
        return (self.folder / "reply.tsr").read_bytes()

    def _altered(self, request: bytes, alter: Callable[[bytes], bytes]) -> bytes:
        return self._sign_info(alter(self._token_info(self._honest_answer(request))), self.signer)

    def _signed_by(self, request: bytes, signer: TestCertificate) -> bytes:
        return self._sign_info(self._token_info(self._honest_answer(request)), signer)

    def _query(self, digest: bytes, nonce: bool) -> bytes:
        options = [] if nonce else ["-no_nonce"]
        self._openssl("ts", "-query", "-digest", digest.hex(), "-sha256", "-cert", *options, "-out", "own.tsq")
        return (self.folder / "own.tsq").read_bytes()

    def _token_info(self, answer: bytes) -> bytes:
        """What a token says, out of an answer."""
        self._write("answer.tsr", answer)
        self._openssl("ts", "-reply", "-in", "answer.tsr", "-token_out", "-out", "token.der")
        self._openssl("cms", "-verify", "-noverify", "-inform", "DER", "-in", "token.der", "-out", "info.der")
        return (self.folder / "info.der").read_bytes()

    def _make_famous(self) -> TestCertificate:
        """A certificate with the number of the authority's own, in the name of somebody else, from nobody."""
        serial = self.signer.certificate.serial_number
        somebody = make_certificate("somebody")
        return make_certificate("A Famous Authority", somebody, ExtendedKeyUsageOID.TIME_STAMPING, serial=serial)

    def _sign_info(self, info: bytes, signer: TestCertificate, also: bytes = b"") -> bytes:
        """An answer with a token that says this, signed by whoever, with another certificate in it."""
        self._write("info.der", info)
        self._write("other.pem", signer.pem)
        self._write("other.key", signer.key_pem)
        self._write("between.pem", self.between.pem + also)
        self._openssl(
            "cms", "-sign", "-binary", "-nodetach", "-cades", "-md", "sha256", "-econtent_type", _TOKEN_TYPE,
            "-in", "info.der", "-signer", "other.pem", "-inkey", "other.key", "-certfile", "between.pem",
            "-outform", "DER", "-out", "signed.der",
        )  # fmt: skip
        token = (self.folder / "signed.der").read_bytes()
        return _der_sequence(_der_sequence(b"\x02\x01\x00") + token)

    def _issue(
        self,
        name: str,
        purpose: x509.ObjectIdentifier = ExtendedKeyUsageOID.TIME_STAMPING,
        days: tuple[float, float] = (-1, 30),
    ) -> TestCertificate:
        return make_certificate(name, self.between, purpose, days)

    def _render_config(self) -> str:
        self._write("signer.pem", self.signer.pem)
        self._write("signer.key", self.signer.key_pem)
        lines = (
            "[tsa]",
            "default_tsa = tsa_config",
            "[tsa_config]",
            f"serial = {self.folder}/serial",
            "crypto_device = builtin",
            f"signer_cert = {self.folder}/signer.pem",
            f"signer_key = {self.folder}/signer.key",
            f"certs = {self.folder}/chain.pem",
            "signer_digest = sha256",
            "default_policy = 1.3.6.1.4.1.55555.1",
            "digests = sha256, sha384, sha512",
            "accuracy = secs:1",
            "ess_cert_id_chain = no",
            "ess_cert_id_alg = sha256",
        )
        return "\n".join(lines) + "\n"

    def _write(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path

    def _openssl(self, *arguments: object) -> None:
        words = ["openssl", *map(str, arguments)]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()


def _der_sequence(content: bytes) -> bytes:
    size = len(content)
    if size < 128:
        return bytes([0x30, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([0x30, 0x80 | len(length)]) + length + content


def _digest_of(request: bytes) -> bytes:
    """The digest that a request is about: what follows the header of 32 bytes."""
    at = request.index(b"\x04\x20") + 2
    return request[at : at + 32]


def _with_time(info: bytes, when: datetime) -> bytes:
    at = info.index(b"\x18\x0f20") + 2
    return info[:at] + f"{when:%Y%m%d%H%M%SZ}".encode() + info[at + 15 :]


def _with_other_digest(info: bytes) -> bytes:
    at = info.index(b"\x04\x20") + 2
    return info[:at] + bytes([info[at] ^ 1]) + info[at + 1 :]


def _with_other_nonce(info: bytes) -> bytes:
    """The last byte of what a token says is of its nonce, where it names no authority."""
    return info[:-1] + bytes([info[-1] ^ 1])


@contextmanager
def serve_authority(authority: TimeAuthority, lie: Lie | None = None, login: str = "") -> Iterator[str]:
    """The address of a server that answers as the authority does, to whoever logs in (`user:password`) where that is
    asked for.
    """
    stop = threading.Event()
    wanted = f"Basic {base64.b64encode(login.encode()).decode()}" if login else None

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.headers["Content-Type"] == "application/timestamp-query"
            if lie is Lie.HANGS:
                stop.wait(60)
                return
            if wanted is not None and self.headers["Authorization"] != wanted:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="stamps"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            status = 503 if lie is Lie.ERROR_PAGE else 200
            body = b"<h1>busy</h1>" if lie in (Lie.ERROR_PAGE, Lie.ENDLESS) else authority.answer(request, lie)
            self.send_response(status)
            self.send_header("Content-Type", MEDIA_TYPE)
            if lie is not Lie.ENDLESS:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
                while lie is Lie.ENDLESS and not stop.is_set():
                    self.wfile.write(bytes(1 << 16))
            except OSError:
                return  # the client has had enough, as it should

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        stop.set()
        server.shutdown()
        server.server_close()
        thread.join()
