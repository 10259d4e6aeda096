"""Leftovers of any bytes: what cannot be read is told or refused, and nothing else is raised."""

import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from webkeep.errors import UsageError
from webkeep.model import Exchange, Finding
from webkeep.recover.repositories import browser_cache, har_file as har, mhtml_file as mhtml
from webkeep.store.transfer import sniff_record_ending

Reader = Callable[[Path, Callable[[Finding], None]], Iterator[Exchange]]

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
NAMES = st.sampled_from(
    ["log", "entries", "request", "response", "url", "status", "content", "text", "headers", "name", "value", "method"]
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5))
URLS = st.sampled_from(["http://l.example/", "http://[", "\ud800", "http://l.example/\ud800", 7, None])
ENTRIES = st.fixed_dictionaries(
    {
        "startedDateTime": st.sampled_from(["2020-01-01T00:00:00Z", "", 7]),
        "request": st.fixed_dictionaries({"url": URLS}),
        "response": st.fixed_dictionaries(
            {
                "status": st.sampled_from([200, "200", float("inf"), None, -1]),
                "headers": st.just([{"name": "A\ud800", "value": "b\r\nc"}]) | VALUES,
                "content": st.fixed_dictionaries({"text": st.text(), "encoding": st.sampled_from(["base64", ""])})
                | VALUES,
            }
        ),
    }
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "leftover"


def read_all(reader: Reader, path: Path) -> list[Exchange]:
    told: list[Finding] = []
    try:
        found = list(reader(path, told.append))
    except UsageError as error:
        assert "\n" not in str(error)
        return []
    for exchange in found:
        assert exchange.response.startswith(b"HTTP/1.1 ")
        assert exchange.response.endswith(b"\r\n\r\n")
        assert exchange.url.isascii()
    return found


KEEPING_THE_FOLDER = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@settings(KEEPING_THE_FOLDER, max_examples=50)
@given(ENTRIES | VALUES)
def test_any_har(file: Path, entry: object) -> None:
    file.write_text(json.dumps({"log": {"entries": [entry, 7]}}))
    read_all(har.read_exchanges, file)


@KEEPING_THE_FOLDER
@given(VALUES)
def test_any_json_as_har(file: Path, value: object) -> None:
    file.write_text(json.dumps(value))
    read_all(har.read_exchanges, file)


PARTS = st.lists(
    st.sampled_from(
        [
            b"Content-Type: multipart/related; boundary=b\r\n",
            b"\r\n--b\r\n",
            b"--b--\r\n",
            b"Content-Location: http://l.example/\xff\r\n",
            b"Content-Location: http://[\r\n",
            b"Content-Transfer-Encoding: base64\r\n",
            b"Content-Transfer-Encoding: x-uuencode\r\n",
            b"Content-Type: text/html; charset=nonsense\r\n",
            b"Date: Wed, 99 Foo\r\n",
            b"\r\n",
            b"%%%\xff\x00",
        ]
    ),
    max_size=14,
)


@KEEPING_THE_FOLDER
@given(PARTS)
def test_any_mhtml(file: Path, parts: list[bytes]) -> None:
    file.write_bytes(b"".join(parts))
    read_all(mhtml.read_exchanges, file)


ENTRY = (
    struct.pack("<QIII4x", 0xFCFB6D1BA7725C30, 5, 19, 0)
    + b"http://l.example/xy"
    + b"<p>body"
    + struct.pack("<QIII4x", 0xF4FA6F45970D41D8, 0, 0, 7)
    + (
        pickle := b"\0" * 16
        + struct.pack("<qi", 13_222_000_000_000_000, 40)
        + b"HTTP/1.1 200 OK\0Content-Type: a/b\0\0"
    )
    + struct.pack("<QIII4x", 0xF4FA6F45970D41D8, 0, 0, len(pickle))
)


@KEEPING_THE_FOLDER
@given(st.integers(0, len(ENTRY)), st.binary(max_size=9), st.integers(0, 12))
def test_any_entry_of_a_chromium_cache(tmp_path: Path, at: int, noise: bytes, dropped: int) -> None:
    (tmp_path / ("0" * 16 + "_0")).write_bytes(ENTRY[:at] + noise + ENTRY[at + dropped :])
    read_all(browser_cache.read_exchanges, tmp_path)


def test_an_entry_of_a_chromium_cache_as_it_should_be(tmp_path: Path) -> None:
    (tmp_path / ("0" * 16 + "_0")).write_bytes(ENTRY)
    (found,) = read_all(browser_cache.read_exchanges, tmp_path)
    assert (found.url, b"".join(found.body.chunks())) == ("http://l.example/xy", b"<p>body")


@KEEPING_THE_FOLDER
@given(st.binary(max_size=200), st.integers(0, 300))
def test_any_entry_of_a_firefox_cache(tmp_path: Path, noise: bytes, at: int) -> None:
    (tmp_path / ("A" * 40)).write_bytes(noise + at.to_bytes(4, "big"))
    read_all(browser_cache.read_exchanges, tmp_path)


@KEEPING_THE_FOLDER
@given(st.sampled_from([b"\x1f\x8b", b"PK\x03\x04", b"WARC/", b"\x28\xb5\x2f\xfd", b""]), st.binary(max_size=50))
def test_any_file_is_records_or_not(file: Path, start: bytes, noise: bytes) -> None:
    file.write_bytes(start + noise)
    assert sniff_record_ending(file) in ("", ".warc", ".warc.gz", ".arc", ".arc.gz", ".warc.zst", ".wacz")
