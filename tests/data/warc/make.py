"""Makes the flawed WARC and ARC files beside it, and expected.json, which says what a reader must find in each.

Each file is a row of parts. A part knows which records a reader must give for it, which flaws it must report, and at
which of the part's bytes; none of this is taken from a reader. Run it after a change: python tests/data/warc/make.py
"""

import gzip
import hashlib
import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import zstandard

HERE = Path(__file__).parent
DATE = "2024-03-01T12:00:00Z"
TEXT = b"The ferry leaves at noon; in winter it leaves when the ice lets it. "


@dataclass(frozen=True)
class Given:
    """A record as a reader must give it: addressable by its length, or within something larger."""

    url: str
    length: int
    intact: bool = True
    block: bytes = b""
    held: int = 0
    """How much of a block is there that is not as its head says."""


@dataclass(frozen=True)
class Part:
    """Some bytes of a file; the records a reader must give and the flaws it must report begin where they begin."""

    data: bytes
    records: tuple[Given, ...] = ()
    findings: tuple[str, ...] = ()

    def flawed(self, *findings: str) -> "Part":
        """The same bytes, with flaws to be reported."""
        return replace(self, findings=findings)

    def unreadable(self, *findings: str) -> "Part":
        """The same bytes, of which no record can be had."""
        return Part(self.data, (), findings)

    def not_intact(self, *findings: str) -> "Part":
        """The same bytes, with a record that is given and found to be broken."""
        return Part(self.data, tuple(replace(each, length=0, intact=False) for each in self.records), findings)

    def cut_short(self, held: int, *findings: str) -> "Part":
        """The same bytes, with a record of which so many bytes of the block can be had."""
        cut = tuple(replace(each, length=len(self.data), intact=False, held=held) for each in self.records)
        return Part(self.data, cut, findings)


def plain(
    number: int,
    change: Callable[[bytes], bytes] = lambda data: data,
    block: bytes | None = None,
    trailer: bytes = b"\r\n\r\n",
    version: str = "WARC/1.1",
) -> Part:
    """A record that is not compressed; `change` is done to its head."""
    body = TEXT * number if block is None else block
    url = f"http://example.org/{number}"
    head = (
        f"{version}\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:test:{number}>\r\nWARC-Date: {DATE}\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    data = change(head.encode()) + body + trailer
    return Part(data, (Given(url, len(data), True, body),))


def arc(number: int, change: Callable[[bytes], bytes] = lambda data: data, trailer: bytes = b"\n") -> Part:
    """An ARC record that is not compressed."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + TEXT * number
    url = f"http://example.org/{number}"
    head = f"{url} 127.0.0.1 20240301120000 text/plain {len(block)}\n".encode()
    data = change(head) + block + trailer
    return Part(data, (Given(url, len(data), True, block),))


def member(part: Part, change: Callable[[bytes], bytes] = lambda data: data) -> Part:
    """A record as one gzip member."""
    return _packed(part, change(gzip.compress(part.data, mtime=0)))


def stored(part: Part) -> Part:
    """A record as one gzip member that holds it as it is, in one block."""
    size = len(part.data)
    head = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + struct.pack("<BHH", 1, size, size ^ 0xFFFF)
    return _packed(part, head + part.data + struct.pack("<II", zlib.crc32(part.data), size))


def frame(part: Part, change: Callable[[bytes], bytes] = lambda data: data) -> Part:
    """A record as one zstd frame."""
    return _packed(part, change(zstandard.ZstdCompressor(write_checksum=True).compress(part.data)))


def _packed(part: Part, data: bytes) -> Part:
    """What holds one record is as long as that; of several in one, none has a length of its own."""
    length = len(data) if len(part.records) == 1 else 0
    return Part(data, tuple(replace(each, length=length) for each in part.records), part.findings)


def together(*parts: Part) -> Part:
    """Several parts as one."""
    return Part(b"".join(part.data for part in parts), tuple(each for part in parts for each in part.records))


def flipped(at: int) -> Callable[[bytes], bytes]:
    """Turns all bits of one byte."""
    return lambda data: data[:at] + bytes([data[at] ^ 0xFF]) + (data[at + 1 :] if at != -1 else b"")


def swapped(old: str, new: str) -> Callable[[bytes], bytes]:
    """Replaces something that must be there."""

    def swap(data: bytes) -> bytes:
        assert old.encode() in data
        return data.replace(old.encode(), new.encode("latin-1"))

    return swap


def length(text: str, number: int = 2) -> Callable[[bytes], bytes]:
    """Another Content-Length."""
    return swapped(f"Content-Length: {len(TEXT) * number}", f"Content-Length: {text}")


def cut(at: int) -> Callable[[bytes], bytes]:
    """Only the first bytes."""
    return lambda data: data[:at]


def not_alone(part: Part) -> Part:
    """The same bytes, with a record that cannot be cut out of them."""
    return replace(part, records=tuple(replace(each, length=0) for each in part.records))


def with_block(part: Part, block: bytes) -> Part:
    """The same bytes, out of which a reader takes another block than was put in."""
    return replace(part, records=tuple(replace(each, block=block) for each in part.records))


def first_of(part: Part, held: int, *findings: str) -> Part:
    """A member of several records, of which the first is flawed and the others cannot be had before it is unpacked."""
    first = replace(part.records[0], length=0, intact=False, held=held)
    return Part(part.data, (first,), findings)


def garbage(data: bytes, *findings: str) -> Part:
    """Bytes that are no part of any record."""
    return Part(data).flawed(*findings)


HTML = b"<!DOCTYPE html>\n<title>Not found</title>\n<p>The archive you asked for is not here.\n"
ZEROS = b"\0" * 600
NOISE = bytes((7 * n * n + 31 * n) % 251 for n in range(300))
NO_LENGTH = swapped(f"Content-Length: {2 * len(TEXT)}\r\n", "")
NO_DATE = swapped(f"WARC-Date: {DATE}\r\n", "")
BARE = swapped("\r\n", "\n")
GOOD1, GOOD3 = plain(1), plain(3)
WHOLE = 2 * len(TEXT)
"""How long the block of the second record is."""


def dictionary_frame(data: bytes) -> Part:
    """A skippable frame with a dictionary in it."""
    return Part(b"\x5d\x2a\x4d\x18" + struct.pack("<I", len(data)) + data)


def around(*flawed: Part) -> list[Part]:
    """Between two good members."""
    return [member(GOOD1), *flawed, member(GOOD3)]


def plain_around(*flawed: Part) -> list[Part]:
    """Between two good records that are not compressed."""
    return [GOOD1, *flawed, GOOD3]


def frames_around(*flawed: Part) -> list[Part]:
    """Between two good frames."""
    return [frame(GOOD1), *flawed, frame(GOOD3)]


def nested() -> Part:
    """A stored member, changed in one byte, in whose block lies a whole member."""
    whole = stored(plain(2, block=b"before" + member(plain(9)).data + b"after"))
    at = whole.data.index(b"before")
    return Part(flipped(at)(whole.data)).flawed("corrupt")


def nested_and_cut() -> Part:
    """The beginning of a stored member in whose block lies a whole member."""
    whole = stored(plain(2, block=b"before" + member(plain(9)).data + TEXT * 9))
    return Part(whole.data[:-100], whole.records).cut_short(len(whole.records[0].block) - 88, "corrupt")


CASES: dict[str, list[Part]] = {
    "empty.warc.gz": [garbage(b"", "empty-file")],
    "empty.arc": [garbage(b"", "empty-file")],
    "html-under-the-name-of-a-warc.warc.gz": [garbage(HTML, "not-warc")],
    "html-in-gzip.warc.gz": [garbage(gzip.compress(HTML, mtime=0), "header-bad")],
    "member-cut-in-the-middle.warc.gz": around(member(plain(2), cut(90)).unreadable("corrupt")),
    "last-member-cut.warc.gz": [member(GOOD1), member(plain(2), cut(90)).unreadable("corrupt")],
    "checksum-of-last-member-cut.warc.gz": [member(GOOD1), member(plain(2), cut(-3)).cut_short(WHOLE, "corrupt")],
    "first-member-without-its-start.warc.gz": [
        member(plain(2), lambda data: data[20:]).unreadable("not-warc"),
        member(GOOD3),
    ],
    "byte-flipped-in-magic.warc.gz": around(member(plain(2), flipped(1)).unreadable("not-warc")),
    "byte-flipped-in-data.warc.gz": around(member(plain(2), flipped(100)).unreadable("corrupt")),
    "byte-flipped-in-checksum.warc.gz": around(member(plain(2), flipped(-6)).unreadable("corrupt")),
    "byte-flipped-in-size.warc.gz": around(member(plain(2), flipped(-1)).unreadable("corrupt")),
    "byte-flipped-around-a-nested-member.warc.gz": around(nested()),
    "last-member-cut-behind-a-nested-one.warc.gz": [*around(), nested_and_cut()],
    "noise-between-members.warc.gz": around(garbage(NOISE, "not-warc")),
    "zeros-between-members.warc.gz": around(garbage(ZEROS, "not-warc")),
    "zeros-at-the-end.warc.gz": [*around(), garbage(ZEROS, "not-warc")],
    "line-ends-between-members.warc.gz": around(garbage(b"\r\n\r\n")),
    "member-of-nothing.warc.gz": around(garbage(gzip.compress(b"", mtime=0))),
    "one-member-for-all.warc.gz": [member(together(GOOD1, plain(2), GOOD3)).flawed("not-per-record")],
    "one-member-for-two.warc.gz": around(member(together(plain(2), plain(4))).flawed("not-per-record")),
    "noise-in-a-member.warc.gz": around(not_alone(member(together(plain(2), garbage(NOISE)))).flawed("header-bad")),
    "length-too-small.warc.gz": around(member(plain(2, length("100"))).cut_short(100, "length-wrong")),
    "length-too-large.warc.gz": around(member(plain(2, length("1000"))).cut_short(WHOLE, "block-cut")),
    "length-one-too-small.warc.gz": around(member(plain(2, length("135"))).cut_short(135, "length-wrong")),
    "length-one-too-large.warc.gz": around(
        with_block(member(plain(2, length("137"))), TEXT * 2 + b"\r").flawed("trailer-bad")
    ),
    "length-three-too-large-without-trailer.warc.gz": around(
        member(plain(2, length("139"), trailer=b"")).cut_short(WHOLE, "block-cut")
    ),
    "length-into-the-next-head.warc": plain_around(plain(2, length("143")).cut_short(WHOLE, "length-wrong")),
    "length-of-decoded-body.warc.gz": around(member(plain(2, length("9000"))).cut_short(WHOLE, "block-cut")),
    "length-too-small-in-one-member-for-all.warc.gz": [
        first_of(member(together(plain(2, length("100")), GOOD3)), 100, "not-per-record", "length-wrong")
    ],
    "last-member-without-checksum.warc.gz": [member(GOOD1), member(plain(2), cut(-8)).cut_short(WHOLE, "corrupt")],
    "length-huge.warc.gz": around(member(plain(2, length("9" * 18))).cut_short(WHOLE, "block-cut")),
    "length-beyond-all-numbers.warc.gz": around(member(plain(2, length("9" * 40))).cut_short(WHOLE, "length-missing")),
    "length-negative.warc.gz": around(member(plain(2, length("-1"))).cut_short(WHOLE, "length-missing")),
    "length-in-words.warc.gz": around(member(plain(2, length("twelve"))).cut_short(WHOLE, "length-missing")),
    "length-missing.warc.gz": around(member(plain(2, NO_LENGTH)).cut_short(WHOLE, "length-missing")),
    "header-without-end.warc.gz": around(member(Part(plain(2).data[:150])).flawed("header-unended")),
    "version-unknown.warc.gz": around(member(plain(2, version="WARC/3.0")).flawed("version-unknown")),
    "date-missing.warc.gz": around(member(plain(2, NO_DATE)).flawed("field-missing")),
    "date-impossible.warc.gz": around(member(plain(2, swapped(DATE, "2023-02-29T12:00:00Z"))).flawed("date-bad")),
    "trailer-missing.warc.gz": around(member(plain(2, trailer=b"")).flawed("trailer-bad")),
    "trailer-of-one-line-end.warc.gz": around(member(plain(2, trailer=b"\r\n")).flawed("trailer-bad")),
    "trailer-too-long.warc.gz": around(member(plain(2, trailer=b"\r\n" * 4))),
    "bare-line-feeds.warc.gz": around(member(plain(2, BARE, trailer=b"\n\n")).flawed("trailer-bad")),
    "fields-folded.warc.gz": around(member(plain(2, swapped("resource", "\r\n\tresource")))),
    "fields-not-utf-8.warc.gz": around(member(plain(2, swapped("text/plain", "text/plain; name=\xe9t\xe9")))),
    "block-cut.warc": [GOOD1, Part(plain(2).data[:-50], plain(2).records).cut_short(WHOLE - 46, "block-cut")],
    "header-cut.warc": [GOOD1, Part(plain(2).data[:100]).flawed("header-unended")],
    "header-cut-before-another.warc": plain_around(Part(plain(2).data[:100] + b"\r\n").flawed("header-unended")),
    "html-between.warc": plain_around(garbage(HTML, "header-bad")),
    "zeros-between.warc": plain_around(garbage(ZEROS, "header-bad")),
    "zeros-at-the-end.warc": [*plain_around(), garbage(ZEROS, "header-bad")],
    "line-ends-before.warc": [garbage(b"\r\n\n"), GOOD1],
    "noise-before.warc": [garbage(NOISE, "not-warc"), GOOD1],
    "length-too-small.warc": plain_around(plain(2, length("100")).cut_short(100, "length-wrong")),
    "length-too-large.warc": plain_around(plain(2, length("200")).cut_short(WHOLE, "length-wrong")),
    "length-huge.warc": plain_around(plain(2, length("9" * 18)).cut_short(WHOLE, "block-cut")),
    "length-missing.warc": plain_around(plain(2, NO_LENGTH).cut_short(WHOLE, "length-missing")),
    "length-negative.warc": plain_around(plain(2, length("-1")).cut_short(WHOLE, "length-missing")),
    "trailer-missing.warc": plain_around(plain(2, trailer=b"").flawed("trailer-bad")),
    "trailer-of-bare-line-feeds.warc": plain_around(plain(2, trailer=b"\n\n").flawed("trailer-bad")),
    "gzip-behind-plain.warc": [GOOD1, member(plain(2)), GOOD3],
    "frame-cut-in-the-middle.warc.zst": frames_around(frame(plain(2), cut(60)).unreadable("corrupt")),
    "last-frame-cut.warc.zst": [frame(GOOD1), frame(plain(2), cut(-1)).unreadable("corrupt")],
    "byte-flipped-in-checksum.warc.zst": frames_around(frame(plain(2), flipped(-1)).unreadable("corrupt")),
    "noise-between-frames.warc.zst": frames_around(garbage(NOISE, "not-warc")),
    "skippable-frame-between.warc.zst": frames_around(garbage(b"\x50\x2a\x4d\x18\x05\0\0\0hello")),
    "one-frame-for-all.warc.zst": [frame(together(GOOD1, GOOD3)).flawed("not-per-record")],
    "dictionary-cut.warc.zst": [Part(dictionary_frame(b"x" * 500).data[:100]).flawed("corrupt")],
    "dictionary-broken.warc.zst": [
        dictionary_frame(b"\x37\xa4\x30\xec" + NOISE).flawed("corrupt"),
        frame(GOOD1).unreadable(),
    ],
    "dictionary-without-end.warc.zst": [Part(b"\x5d\x2a\x4d\x18\xff\xff\xff\xff" + NOISE).flawed("corrupt")],
    "html-under-the-name-of-an-arc.arc": [garbage(HTML, "header-bad")],
    "member-cut-in-the-middle.arc.gz": [member(arc(1)), member(arc(2), cut(70)).unreadable("corrupt"), member(arc(3))],
    "noise-between-members.arc.gz": [member(arc(1)), garbage(NOISE, "header-bad"), member(arc(3))],
    "one-member-for-all.arc.gz": [member(together(arc(1), arc(2))).flawed("not-per-record")],
    "length-too-small.arc.gz": [
        member(arc(2, swapped(" 181\n", " 100\n"))).cut_short(100, "length-wrong"), member(arc(3)),
    ],
    "length-too-small.arc": [arc(1), arc(2, swapped(" 181\n", " 100\n")).cut_short(100, "length-wrong"), arc(3)],
    "length-too-large.arc": [arc(1), arc(2, swapped(" 181\n", " 200\n")).cut_short(181, "length-wrong"), arc(3)],
    "block-cut.arc": [arc(1), Part(arc(2).data[:-50], arc(2).records).cut_short(181 - 49, "block-cut")],
    "date-impossible.arc": [arc(1), arc(2, swapped("20240301120000", "20249901120000")).flawed("date-bad"), arc(3)],
    "line-ends-missing.arc": [arc(1, trailer=b""), arc(2), garbage(b"\n\n"), arc(3, trailer=b"")],
    "html-between.arc": [arc(1), garbage(HTML, "header-bad"), arc(3)],
}  # fmt: skip


def main() -> None:
    """Write all files and what is expected of them."""
    expected = {}
    for name, parts in CASES.items():
        (HERE / name).write_bytes(b"".join(part.data for part in parts))
        records, findings, start = [], [], 0
        for part in parts:
            for each in part.records:
                records.append({"url": each.url, "offset": start, "length": each.length, "intact": each.intact})
                if each.intact:
                    records[-1]["sha1"] = hashlib.sha1(each.block).hexdigest()
                else:
                    records[-1]["held"] = each.held
            findings += [{"code": code, "offset": start} for code in part.findings]
            start += len(part.data)
        expected[name] = {"records": records, "findings": findings}
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
