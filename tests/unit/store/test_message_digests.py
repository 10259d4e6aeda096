import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import xxhash

from webkeep.model import BytesBody, Digest, Headers
from webkeep.store.reading.message_digests import content_digest, digest_message

DATA = b"what it says, again and again. " * 500
PLAIN, GZIP = Headers(), Headers((("Content-Encoding", "gzip"),))
CHUNKED = Headers((("Transfer-Encoding", "chunked"),))


@dataclass
class Pieces:
    """A body that comes in small pieces."""

    data: bytes

    @property
    def size(self) -> int:
        return len(self.data)

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        for at in range(start, len(self.data), 7):
            yield self.data[at : min(at + 7, len(self.data))]


@pytest.mark.parametrize("body", [BytesBody(DATA), Pieces(DATA), BytesBody(), Pieces(b"")])
def test_block_payload_and_check(body: BytesBody | Pieces) -> None:
    digests = digest_message(b"HEAD\r\n\r\n", PLAIN, body)
    assert digests.block == Digest("sha256", hashlib.sha256(b"HEAD\r\n\r\n" + body.data).digest())
    assert digests.payload == Digest("sha1", hashlib.sha1(body.data).digest())
    assert digests.check == xxhash.xxh3_128_digest(body.data)
    assert digests.content == ""  # the payload's own


def test_content_is_what_lies_under_the_codings() -> None:
    coded = gzip.compress(DATA)
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (DATA[:100], DATA[100:])) + b"0\r\n\r\n"
    digests = [digest_message(b"", GZIP, BytesBody(coded)), digest_message(b"", CHUNKED, Pieces(chunked))]
    assert {each.content for each in digests} == {str(Digest.from_chunks("sha1", [DATA]))}
    assert [each.payload for each in digests] == [
        Digest.from_chunks("sha1", [coded]),
        Digest.from_chunks("sha1", [chunked]),
    ]


def test_a_bomb_has_no_content_and_its_payload_is_digested_all_the_same() -> None:
    # The limit is 200 times the size, and 100 MB at least.
    bomb = gzip.compress(b"\0" * (110 << 20), 9)
    digests = digest_message(b"", GZIP, BytesBody(bomb))
    assert digests.content is None
    assert digests.payload == Digest.from_chunks("sha1", [bomb])


@pytest.mark.parametrize("data", [b"not gzip at all", gzip.compress(DATA)[:-20], b""])
def test_what_cannot_be_decoded_is_digested_somehow_and_always_alike(data: bytes) -> None:
    first, second = digest_message(b"", GZIP, BytesBody(data)), digest_message(b"", GZIP, Pieces(data))
    assert first == second
    assert first.payload == Digest.from_chunks("sha1", [data])


def test_all_chunks_are_taken() -> None:
    feed = iter([b"x"] * 10)
    assert content_digest(PLAIN, feed, "sha1") == ""
    assert next(feed, None) is None
