"""Transfer and content codings undone, with all the ways they lie."""

import gzip
import random
import zlib

import brotli
import pytest
import zstandard

from webkeep.formats.codings import CODING_BOMB, PACKED_FILE_LIMIT, ExpansionLimit, decode_body, has_codings
from webkeep.formats.codings.expansion_limit import CODED_BODY_LIMIT as CODED_LIMIT
from webkeep.model import CHUNK_BYTES, Headers

TEXT = b"".join(b"line %d of a page\n" % number for number in range(20_000))
CODED = {
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT, quality=5),
    "zstd": zstandard.compress(TEXT),
}


def undo(
    body: bytes, content: str = "", transfer: str = "", step: int = CHUNK_BYTES, limit: int | None = None
) -> tuple[bytes, list[str]]:
    codes: list[str] = []
    headers = Headers((("Content-Encoding", content), ("Transfer-Encoding", transfer)))
    pieces = [body[at : at + step] for at in range(0, len(body), step)]
    out = list(decode_body(headers, pieces, limit, lambda code, message: codes.append(code)))
    assert all(0 < len(piece) <= CHUNK_BYTES for piece in out)
    return b"".join(out), codes


def in_chunks(*parts: bytes) -> bytes:
    framed = b"".join(b"%x;name=value\r\n%s\r\n" % (len(part), part) for part in parts)
    return framed + b"0\r\nTrailer: value\r\n\r\n"


@pytest.mark.parametrize("step", [1, 1000, CHUNK_BYTES])
@pytest.mark.parametrize("name", CODED)
def test_each_coding_is_undone(name: str, step: int) -> None:
    assert undo(CODED[name], name, step=step) == (TEXT, [])


@pytest.mark.parametrize("step", [1, 1000, CHUNK_BYTES])
def test_raw_deflate_is_taken_for_deflate(step: int) -> None:
    assert undo(CODED["deflate"][2:-4], "Deflate", step=step) == (TEXT, [])


@pytest.mark.parametrize("step", [1, 1000, CHUNK_BYTES])
@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_many_members_are_one_body(name: str, step: int) -> None:
    assert undo(CODED[name] * 3, name, step=step) == (TEXT * 3, [])


def test_stacked_codings_are_undone_from_the_last() -> None:
    stacked = brotli.compress(CODED["gzip"])
    assert undo(in_chunks(stacked), "gzip, identity, br", "chunked") == (TEXT, [])
    assert undo(in_chunks(gzip.compress(TEXT)), "", "gzip, chunked") == (TEXT, [])


@pytest.mark.parametrize("name", ["", "identity", " , identity ,"])
def test_no_coding_changes_nothing(name: str) -> None:
    assert undo(TEXT, name) == (TEXT, [])
    assert not has_codings(Headers((("Content-Encoding", name),)))


def test_an_empty_body_has_no_flaw() -> None:
    for name in CODED:
        assert undo(b"", name, "chunked") == (b"", [])


def test_an_unknown_coding_is_left_on() -> None:
    assert undo(TEXT, "gzip, sdch") == (TEXT, ["coding-unknown"])
    assert undo(gzip.compress(TEXT), "sdch, gzip") == (TEXT, ["coding-unknown"])


@pytest.mark.parametrize("body", [TEXT, b"hi", b"<html>", bytes(range(256)) * 300], ids=["text", "hi", "tag", "bytes"])
@pytest.mark.parametrize("name", CODED)
def test_a_mislabelled_body_comes_as_it_is(name: str, body: bytes) -> None:
    assert undo(body, name) == (body, ["coding-mislabelled"])


def test_a_coding_named_twice_and_applied_once() -> None:
    assert undo(CODED["gzip"], "gzip, gzip") == (TEXT, ["coding-mislabelled"])
    assert undo(in_chunks(TEXT), "", "chunked, chunked") == (TEXT, [])


@pytest.mark.parametrize("name", CODED)
def test_a_truncated_body_gives_what_came(name: str) -> None:
    out, codes = undo(CODED[name][: len(CODED[name]) // 2], name)
    assert codes == ["coding-truncated"]
    assert TEXT.startswith(out)
    assert len(out) > len(TEXT) // 4


def test_a_corrupt_body_gives_what_comes_before_the_error() -> None:
    small = b"".join(b"%d " % number for number in range(8000))
    body = bytearray(gzip.compress(small))
    body[-8] ^= 0xFF  # the checksum: all the bytes are there
    out, codes = undo(bytes(body), "gzip")
    assert codes == ["coding-corrupt"]
    assert small.startswith(out)
    assert len(out) > len(small) - 20


def test_bytes_after_a_compressed_body_are_left_out() -> None:
    assert undo(CODED["gzip"] + b"<!-- served -->", "gzip") == (TEXT, ["bytes-after-body"])
    assert undo(CODED["gzip"] + bytes(512), "gzip") == (TEXT, [])
    assert undo(CODED["zstd"] + b"junk", "zstd") == (TEXT, ["bytes-after-body"])


def test_too_many_codings_are_left_on() -> None:
    body = TEXT
    for _ in range(8):
        body = gzip.compress(body)
    out, codes = undo(body, ",".join(["gzip"] * 8))
    assert codes == ["codings-too-many"]
    assert gzip.decompress(gzip.decompress(out)) == TEXT


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_a_bomb_comes_in_small_pieces_and_can_be_cut(name: str) -> None:
    zeros = bytes(64 << 20)
    bomb = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstandard.compress}[name](zeros)
    assert undo(bomb, name, limit=100_000) == (bytes(100_000), ["body-cut"])
    pieces = decode_body(Headers((("Content-Encoding", name),)), [bomb], on_flaw=lambda code, _: codes.append(code))
    codes: list[str] = []
    sizes = [len(piece) for piece in pieces]
    assert max(sizes) <= CHUNK_BYTES
    assert CODED_LIMIT.floor - (8 << 20) < sum(sizes) <= CODED_LIMIT.floor
    assert codes == [CODING_BOMB]


@pytest.mark.parametrize("names", [["br", "gzip"], ["gzip", "gzip"], ["zstd", "br"]])
def test_codings_on_codings_have_one_bound(names: list[str]) -> None:
    body = bytes(64 << 20)
    for name in names:
        body = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstandard.compress}[name](body)
    codes: list[str] = []
    pieces = decode_body(
        Headers((("Content-Encoding", ", ".join(names)),)), [body], None, lambda code, _: codes.append(code)
    )
    assert sum(map(len, pieces)) <= CODED_LIMIT.floor
    assert codes == [CODING_BOMB]


def test_what_has_the_ratio_of_a_log_file_is_unpacked_whole() -> None:
    chance = random.Random(1)
    log = b"".join(chance.randbytes(80) + bytes(4000) for _ in range(9000))
    out, codes = undo(gzip.compress(log), "gzip")
    assert (len(log) > CODED_LIMIT.floor, codes) == (True, [])
    assert out == log


def test_the_more_comes_in_the_more_may_come_out() -> None:
    limit = ExpansionLimit(100, 10, 5000)
    assert PACKED_FILE_LIMIT.ratio > 1032, "deflate cannot come to it"
    assert [limit.max_output(read) for read in (0, 10, 11, 400, 501)] == [100, 100, 110, 4000, 5000]


def test_the_limit_is_exact() -> None:
    assert undo(TEXT, limit=len(TEXT)) == (TEXT, [])
    assert undo(TEXT, limit=len(TEXT) - 1) == (TEXT[:-1], ["body-cut"])
    assert undo(TEXT, limit=0) == (b"", ["body-cut"])


@pytest.mark.parametrize("step", [1, 5, CHUNK_BYTES])
@pytest.mark.parametrize(
    ("body", "expected", "codes"),
    [
        (in_chunks(b"abc", b"defg" * 10), b"abc" + b"defg" * 10, []),
        (b"3\nabc\n0\n\n", b"abc", []),
        (b"3 \r\nabc\r\n0\r\n", b"abc", []),
        (b"3\r\nabc\r\n0", b"abc", ["chunks-truncated"]),
        (b"3\r\nabc\r\n5\r\nde", b"abcde", ["chunks-truncated"]),
        (b"3\r\nabc", b"abc", ["chunks-truncated"]),
        (b"3\r\nabc\r", b"abc", ["chunks-truncated"]),
        (b"ffffffffffffffff\r\nabc", b"abc", ["chunks-truncated"]),
        (b"3\r\nabcdef\r\n", b"abcdef\r\n", ["chunks-broken"]),
        (b"3\r\nabc\r\nzz\r\nrest", b"abczz\r\nrest", ["chunks-broken"]),
        (in_chunks(b"abc") + b"more", b"abc", ["bytes-after-body"]),
        (b"plain text", b"plain text", ["chunks-missing"]),
        (b"x" * 50_000, b"x" * 50_000, ["chunks-missing"]),
        (b"11111111111111111\r\nabc", b"11111111111111111\r\nabc", ["chunks-missing"]),
    ],
)
def test_chunks(body: bytes, expected: bytes, codes: list[str], step: int) -> None:
    assert undo(body, transfer="chunked", step=step) == (expected, codes)


def test_tiny_chunks_come_out_joined() -> None:
    body = in_chunks(*[b"a"] * 100_000)
    pieces = list(decode_body(Headers((("Transfer-Encoding", "chunked"),)), [body]))
    assert len(pieces) == 2
    assert b"".join(pieces) == b"a" * 100_000


def test_no_bytes_make_it_raise() -> None:
    chance = random.Random(4)
    for name, whole in CODED.items():
        for _ in range(150):
            body = bytearray(whole)
            for _ in range(chance.choice((1, 1, 5))):
                body[chance.randrange(len(body))] = chance.randrange(256)
            undo(bytes(body[chance.randrange(3) :]), name, limit=4 << 20)
