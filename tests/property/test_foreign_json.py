"""Readers of JSON that others wrote: whatever stands in it, there is a value, nothing, or one of our errors."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from webkeep.coherence.certificates import parse_json_fields
from webkeep.crawl.plan.saved_login import read_login
from webkeep.crawl.run import ControlChannel
from webkeep.errors import FormatError, UsageError
from webkeep.extract.inline.json_links import parse_json
from webkeep.formats import Flaws
from webkeep.formats.cdx import read_cdx
from webkeep.formats.states import parse_state_note
from webkeep.formats.wacz.page_list import read_pages
from webkeep.mirror.names.copy_layout import MANIFEST_FILE, MARKER_FILE
from webkeep.mirror.output.atomic_placement import is_webkeep_folder
from webkeep.mirror.output.prior_version import read_manifest
from webkeep.mirror.rendering.page_modules import _import_map_entries
from webkeep.recover.repositories import har_file as har
from webkeep.recover.repositories.cdx_reader import CdxResponseReader
from webkeep.recover.repositories.timemap_reader import TimeMapReader
from webkeep.recover.state.provenance import parse_provenance
from webkeep.replay.choice.recorded_sockets import read_messages
from webkeep.store.index.bookkeeping import CatalogUpdate, parse_update, parse_warcinfo
from webkeep.store.index.catalog import Catalog

DAY = "2024-03-01T12:00:00Z"
OURS = "application/vnd.webkeep."
HOLE = "\x01"
HOSTILE = [
    b"[" * 100_000,
    b'{"a":' * 20_000,
    b"[" * 500 + b"]" * 500,
    b"9" * 5_000,
    b"9" * 4_000,
    b"NaN",
    b"-Infinity",
    b"1e999",
    b'"\\ud800"',
    b'"\xed\xa0\x80"',
    b'"\xff"',
    b'"\\u0000"',
    b"null",
    b"[]",
    b"{}",
    b"-1",
    b"true",
    b'""',
]

Reader = Callable[[bytes, Path], object]


def told(news: CatalogUpdate | None, folder: Path) -> None:
    """What a record says has to go into a catalog, too."""
    if news is not None:
        catalog = Catalog(folder / "catalog.sqlite", writable=True)
        with closing(catalog.database), catalog.database.transaction():
            news.apply_to(catalog, "a.warc.gz")


def fact(data: bytes, folder: Path) -> None:
    head = f"software: webkeep/1\r\nisPartOf: urn:uuid:c\r\nwebkeep-started: {DAY}\r\nwebkeep-fact: "
    told(CatalogUpdate(capture=parse_warcinfo(head.encode() + data + b"\r\n")), folder)


def file_of(name: str, read: Callable[[Path], object]) -> Reader:
    def reader(data: bytes, folder: Path) -> object:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        return read(folder)

    return reader


def listed_files(folder: Path) -> object:
    (folder / MARKER_FILE).write_bytes(b'{"names": "unix"}')
    return read_manifest(folder, "unix", with_digests=True)


READERS: dict[str, tuple[Reader, Any]] = {
    "fates": (
        lambda data, folder: told(parse_update(f"{OURS}fates+json", data), folder),
        {"capture": "c", "fates": [["http://a/", "stored", "r", "v"]]},
    ),
    "end": (
        lambda data, folder: told(parse_update(f"{OURS}capture-end+json", data), folder),
        {"capture": "c", "finished": DAY, "facts": {"a": "b"}},
    ),
    "tombstones": (
        lambda data, folder: told(parse_update(f"{OURS}tombstones+json", data), folder),
        {"tombstones": [["<urn:uuid:1>", "http://a/", DAY, "sha1:A", DAY, "why"]]},
    ),
    "fact": (fact, ["name", "value"]),
    "provenance": (
        lambda data, _: parse_provenance(data),
        {
            **dict.fromkeys(("key", "url", "repository", "uri", "fidelity", "why"), "a"),
            **dict.fromkeys(("moment", "retrieved"), DAY),
            **dict.fromkeys(("truncated", "current"), True),
            "others": [["a", DAY, "u", "w"]],
            "versions": 1,
            "repositories": ["a"],
            "remarks": ["a"],
        },
    ),
    "state": (
        lambda data, _: parse_state_note(data),
        {
            "id": "i",
            "title": "t",
            "startedDateTime": DAY,
            "pageTimings": "",
            "renderedContent": "x",
            "renderedElements": ["a"],
            "map": [{"event": "click", "leadsTo": "a", "new": ["b"]}],
            "comment": {"a": "b"},
            "webkeep": {
                **dict.fromkeys(("page", "parent", "caption", "capture"), "a"),
                **dict.fromkeys(("level", "state"), 1),
                "resources": ["a"],
            },
        },
    ),
    "certificate": (lambda data, _: parse_json_fields(data), {"a": 1}),
    "import map": (
        lambda data, _: list(_import_map_entries(data.decode("utf-8", "replace"))),
        {"imports": {"a": "b"}, "scopes": {"/": {"a": "b"}}},
    ),
    "script": (lambda data, _: parse_json(data.decode("utf-8", "replace")), {"a": "b"}),
    "cdxj": (
        lambda data, _: list(read_cdx([b"org,a)/ 20240301120000 ", data, b"\n"], "i", Flaws())),
        {"url": "http://a/", "status": "200", "length": "1", "offset": "1", "filename": "f", "mime": "text/html"},
    ),
    "index object": (
        lambda data, _: list(CdxResponseReader("i").read_rows([data])),
        {"timestamp": "20240301120000", "url": "http://a/", "status": "200", "length": "1"},
    ),
    "index list": (
        lambda data, _: list(CdxResponseReader("i").read_rows([b'[["timestamp","original"],\n', data, b"]"])),
        ["20240301120000", "http://a/"],
    ),
    "time map": (
        lambda data, _: list(TimeMapReader("t").read_mementos([data])),
        {"original_uri": "http://a/", "mementos": {"list": [{"datetime": DAY, "uri": "http://b/"}]}},
    ),
    "pages": (
        lambda data, _: list(read_pages([data], "p", Flaws())),
        {"url": "http://a/", "ts": DAY, "title": "t", "id": "i", "text": "x"},
    ),
    "frames": (
        lambda data, _: read_messages([data.decode("utf-8", "replace")]),
        {"at": DAY, "from": "client", "opcode": 1, "flags": 8, "text": "x"},
    ),
    "har": (
        file_of("a.har", lambda folder: list(har.read_exchanges(folder / "a.har", lambda _: None))),
        {
            "log": {
                "entries": [
                    {
                        "startedDateTime": DAY,
                        "request": {"method": "GET", "url": "http://a/"},
                        "response": {
                            "status": 200,
                            "statusText": "OK",
                            "headers": [{"name": "A", "value": "b"}],
                            "content": {"text": "x", "size": 1, "mimeType": "text/html"},
                        },
                    }
                ]
            }
        },
    ),
    "copy": (file_of(MARKER_FILE, is_webkeep_folder), {"names": "unix"}),
    "manifest": (
        file_of(MARKER_FILE, lambda folder: read_manifest(folder, "unix", with_digests=True)),
        {"names": "unix", "links": "x", "uses": ["fetch"]},
    ),
    "files of a copy": (file_of(MANIFEST_FILE, listed_files), {"url": "http://a/", "file": "a", "digest": "d"}),
    "login": (
        file_of("login.json", read_login),
        {"url": "http://a/", "cookies": [{"name": "a"}], "stores": {"http://a": {"a": "b"}}},
    ),
    "words": (
        file_of("changes.json", lambda folder: ControlChannel(folder).load_changes()),
        {"order": "pause", "values": {}},
    ),
}


REFUSALS = {"state": FormatError, "certificate": FormatError, "har": UsageError, "login": UsageError}
"""Those that refuse what they cannot read; all others say that it is nothing."""


def with_holes(value: Any) -> Iterator[Any]:
    """The value with each thing in it, and all of it, a hole in turn."""
    yield HOLE
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from ({**value, name: each} for each in with_holes(inner))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from ([*value[:number], each, *value[number + 1 :]] for each in with_holes(inner))


@pytest.mark.parametrize("name", READERS)
def test_no_reader_meets_an_error_that_is_not_ours(name: str, tmp_path: Path) -> None:
    read, whole = READERS[name]
    refusals = (REFUSALS[name],) if name in REFUSALS else ()
    read(json.dumps(whole).encode(), tmp_path)
    for holed in with_holes(whole):
        before, _, after = json.dumps(holed).encode().partition(json.dumps(HOLE).encode())
        for hostile in HOSTILE:
            with suppress(*refusals):
                read(before + hostile + after, tmp_path)
