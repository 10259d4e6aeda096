"""Archives that keep a log, and what is in them by plain code of its own: gzip members, SHA-256, the tree."""

import hashlib
import zlib
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from webkeep.formats.transparency import NoteKey
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import WritableArchive
from webkeep.store.log import make_checkpoint

DAY = Moment.parse("2024-03-01")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
REQUEST = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"


class Signer:
    """A key that signs checkpoints."""

    def __init__(self, seed: int = 1) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.raw = self._key.public_key().public_bytes_raw()
        self.public = self

    def sign(self, text: bytes) -> bytes:
        return self._key.sign(text)

    def note_key(self, origin: str) -> NoteKey:
        return NoteKey(origin, self.raw)


SIGNER = Signer()


def exchange(name: str, body: bytes | None = None) -> Exchange:
    content = BytesBody(name.encode() * 50 if body is None else body)
    return Exchange(f"http://example.org/{name}", DAY, HEAD, content, REQUEST)


def store(path: Path, *names: str, rotate_at: int = 1 << 30, signer: Signer | None = SIGNER) -> bytes:
    """Keep exchanges in an archive with a log, as one capture; gives the checkpoint at its end."""
    with WritableArchive.open_or_create(path, rotate_at=rotate_at, keep_log=True) as archive:
        with archive.begin("test") as capture:
            for name in names:
                capture.submit(exchange(name))
        return make_checkpoint(archive, signer)


def members(file: Path) -> list[bytes]:
    """The gzip members of a file, inflated."""
    data, found = file.read_bytes(), []
    while data:
        inflater = zlib.decompressobj(wbits=31)
        found.append(inflater.decompress(data) + inflater.flush())
        data = inflater.unused_data
    return found


def record_hashes(path: Path) -> list[bytes]:
    """The hashes of all records of an archive, file by file."""
    return [plain_hash(each) for file in sorted((path / "warcs").glob("*.warc.gz")) for each in members(file)]


def plain_hash(record: bytes) -> bytes:
    head, _, rest = record.partition(b"\r\n\r\n")
    assert rest.endswith(b"\r\n\r\n")
    head, block = head + b"\r\n\r\n", rest[:-4]
    return hashlib.sha256(hashlib.sha256(head).digest() + hashlib.sha256(block).digest()).digest()


def plain_root(entries: list[bytes]) -> bytes:
    if len(entries) < 2:
        return hashlib.sha256(b"\x00" + entries[0] if entries else b"").digest()
    at = 1 << ((len(entries) - 1).bit_length() - 1)
    return hashlib.sha256(b"\x01" + plain_root(entries[:at]) + plain_root(entries[at:])).digest()


def logged_entries(path: Path) -> list[bytes]:
    """The entries of an archive's log, as they lie on disk."""
    data = (path / "log" / "entries").read_bytes()
    return [data[at : at + 32] for at in range(0, len(data), 32)]
