"""What an archive holds, exchange by exchange: requests and responses put together again, by warcio."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator


@dataclass(frozen=True)
class Exchanged:
    """One request and the answer to it."""

    method: str
    url: str
    status: int
    body: bytes
    """As it came over the wire, framed and packed."""
    is_cut: bool = False


@dataclass(frozen=True)
class _Block:
    kind: str
    fields: dict[str, str]
    head: bytes
    body: bytes


def exchanges(archive: Path) -> list[Exchanged]:
    """Every exchange, revisits with the body of the record that they refer to."""
    blocks = {block.fields["WARC-Record-ID"]: block for block in _blocks(archive)}
    asked = {block.fields.get("WARC-Concurrent-To"): block for block in blocks.values() if block.kind == "request"}
    return [
        _exchanged(block, asked[name], blocks)
        for name, block in blocks.items()
        if block.kind in ("response", "revisit")
    ]


def _blocks(archive: Path) -> Iterator[_Block]:
    """Every record, its block cut behind the first empty line; warcio itself reads no heads that are not ASCII."""
    for file in sorted((archive / "warcs").glob("*.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream, no_record_parse=True):
                head, _, body = record.raw_stream.read().partition(b"\r\n\r\n")
                yield _Block(record.rec_type, dict(record.rec_headers.headers), head, body)


def _exchanged(block: _Block, request: _Block, blocks: dict[str, _Block]) -> Exchanged:
    status = int(block.head.split(b" ")[1])
    body = block.body
    if block.kind == "revisit" and status != 304:
        body = blocks[block.fields["WARC-Refers-To"]].body
    method = request.head.split(b" ")[0].decode()
    return Exchanged(method, block.fields["WARC-Target-URI"], status, body, "WARC-Truncated" in block.fields)


def dechunked(body: bytes) -> bytes:
    """What is in the chunks of a body, as far as they came."""
    found = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size, 16)
        if not length:
            break
        found, body = found + rest[:length], rest[length + 2 :]
    return found
