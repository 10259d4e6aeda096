"""The law of the truth: whatever was written, index and catalog made from the WARC files alone equal those written."""

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings, strategies as st

from webkeep.model import BytesBody, Exchange, Fate, Finding, Moment, UrlOutcome, VisitKind
from webkeep.store.archive import OpenCapture, WritableArchive
from webkeep.store.folder import ArchiveLayout
from webkeep.store.maintenance import rebuild_caches, verify_archive
from webkeep.store.opening import warc_indexer as learning

START = Moment.parse("2024-03-01T12:00:00Z")
HOSTILE = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    ["", " ", "a  b", " leading", "trailing ", "line\r\nfeed: x", "\x00", "\ud800", "<angle>", "é\u2028", '"', "\\"]
)
URLS = st.sampled_from(
    ["http://a.example/", "http://a.example/x?b=1&a=2", "https://www.A.example:443/x/#f", "http://b.example/é"]
) | HOSTILE.map(lambda text: "http://c.example/" + text)
PAGES = [
    b"<!doctype html><title>A</title><main><p>Some words of a page<a href=/x>x</a></main><script>s()</script>",
    "<p>Käse und Brot".encode("latin-1"),
    b"<html>" + b"<p>a long page <img src=y.png?3>" * 400,
]
BODIES = st.sampled_from([b"", b"one", b"same " * 400, bytes(range(256)) * 20, *PAGES]) | st.binary(max_size=50)


@dataclass
class Clock:
    """Goes on by itself, now and then by nothing at all."""

    micros: int = START.micros
    ticks: list[int] = field(default_factory=lambda: [0])

    def now(self) -> Moment:
        self.micros += self.ticks[self.micros % len(self.ticks)]
        return Moment(self.micros)


@dataclass
class Session:
    """An archive open for writing, with two captures that take turns."""

    archive: WritableArchive
    captures: list[OpenCapture]


Step = Callable[[Session], object]


@st.composite
def heads(draw: st.DrawFn) -> bytes:
    fields = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["Content-Type", "ETag", "Last-Modified", "X", "Content-Encoding", "ETag"]),
                st.sampled_from(["text/html; charset=utf-8", '"x"', "gzip", "  spaced  ", "Ü"]) | st.text(max_size=8),
            ),
            max_size=4,
        )
    )
    status = draw(st.sampled_from(["200 OK", "304 Not Modified", "404 Not Found", "301 Moved", "20", "999999"]))
    lines = [f"{name}: {' '.join(value.split())}" for name, value in fields]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("utf-8", "replace")


@st.composite
def exchanges(draw: st.DrawFn) -> Step:
    request = draw(
        st.sampled_from([b"", b"GET / HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n", b"HEAD / HTTP/1.1\r\n\r\n"])
    )
    exchange = Exchange(
        draw(URLS),
        START.plus(draw(st.integers(-3, 3))),
        draw(heads()),
        BytesBody(draw(BODIES)),
        request,
        BytesBody(draw(BODIES) if request.startswith(b"POST") else b""),
        draw(st.sampled_from(["", "127.0.0.1", "::1"])),
        draw(st.sampled_from([(), ("http/1.1",), ("h2", "tls/1.3")])),
        draw(st.sampled_from(["", "", "length"])),
        draw(HOSTILE),
        draw(st.sampled_from(VisitKind)),
    )
    which = draw(st.integers(0, 1))
    return lambda session: session.captures[which].submit(exchange)


@st.composite
def resources(draw: st.DrawFn) -> Step:
    url, media, changed = draw(URLS), draw(HOSTILE | st.just("text/css")), draw(HOSTILE)
    body = BytesBody(draw(BODIES))
    return lambda session: session.captures[0].submit_resource(url, START, media, body, changed)


@st.composite
def fates(draw: st.DrawFn) -> Step:
    fate = st.builds(Fate, URLS, st.sampled_from(UrlOutcome), HOSTILE, HOSTILE)
    noted, which = draw(st.lists(fate, max_size=3)), draw(st.integers(0, 1))
    return lambda session: session.captures[which].submit_fates(noted)


@st.composite
def turns(draw: st.DrawFn) -> Step:
    """One capture ends and another begins."""
    ending = draw(st.dictionaries(HOSTILE, HOSTILE, max_size=2))
    kind, seeds, facts = draw(HOSTILE), draw(st.lists(URLS, max_size=2)), draw(st.dictionaries(HOSTILE, HOSTILE))

    def turn(session: Session) -> None:
        session.captures.pop(0).end(ending)
        session.captures.append(session.archive.begin(kind, seeds, facts))

    return turn


steps = st.lists(exchanges() | exchanges() | resources() | fates() | turns(), max_size=12)
ticks = st.lists(st.sampled_from([0, 1, 1_000_000]), min_size=1, max_size=4)


written = st.tuples(st.lists(steps, min_size=1, max_size=3), ticks, st.booleans())


@settings(max_examples=80)
@given(written)
def test_rebuilt_equals_written(sessions: tuple[list[list[Step]], list[int], bool]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_law(Path(folder) / "archive", *sessions)


@settings(max_examples=8)
@given(written)
def test_files_may_be_read_in_any_order(sessions: tuple[list[list[Step]], list[int], bool]) -> None:
    at_once, learning.MIN_BYTES_FOR_HELPERS = learning.MIN_BYTES_FOR_HELPERS, 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            check_law(Path(folder) / "archive", *sessions)
    finally:
        learning.MIN_BYTES_FOR_HELPERS = at_once


def check_law(path: Path, sessions: list[list[Step]], ticks: list[int], small: bool) -> None:
    clock = Clock(ticks=ticks)
    for taken in sessions:
        with WritableArchive.open_or_create(path, clock, 2000 if small else 1 << 30) as archive:
            assert archive.repair_findings == []
            session = Session(archive, [archive.begin("one"), archive.begin("two", ["http://a.example/"])])
            for step in taken:
                step(session)
            archive.writer.flush()
            found: list[Finding] = []
            verify_archive(archive, found.append)
            assert found == []
    written = contents(ArchiveLayout(path))
    assert rebuild_caches(path) == []
    rebuilt = contents(ArchiveLayout(path))
    assert (sorted(written - rebuilt, key=repr), sorted(rebuilt - written, key=repr)) == ([], [])


def contents(layout: ArchiveLayout) -> set[tuple[object, ...]]:
    """All rows of all tables, with names in place of numbers."""
    found: set[tuple[object, ...]] = set()
    for database in (layout.index, layout.catalog):
        with closing(sqlite3.connect(database)) as connection:
            files = dict(connection.execute("SELECT number, name FROM file"))
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            captures = dict(connection.execute("SELECT number, id FROM capture")) if "capture" in tables else {}
            for table in tables:
                rows = connection.execute(f"SELECT * FROM {table}")
                columns = [each[0] for each in rows.description]
                found |= {
                    (table, *_named(dict(zip(columns, row, strict=True)), table, files, captures)) for row in rows
                }
    return found


def _named(
    row: dict[str, object], table: str, files: dict[object, object], captures: dict[object, object]
) -> tuple[object, ...]:
    row.pop("number", None)
    if "file" in row:
        row["file"] = files[row["file"]]
    if table == "observation" and row["capture"] is not None:
        row["capture"] = captures[row["capture"]]
    return tuple(row.items())
