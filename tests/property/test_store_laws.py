"""Laws of handing on and taking down: whatever refers to whatever, each selection is complete in itself."""

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hypothesis import assume, given, settings, strategies as st

from webkeep.model import BytesBody, Exchange, Finding, Moment, Observation
from webkeep.store.archive import Archive, Selection, WritableArchive
from webkeep.store.maintenance import select_for_takedown, take_down, verify_archive
from webkeep.store.transfer import RecordImport, WarcExport, write_wacz, write_warc
from webkeep.url import UrlMatch

START = Moment.parse("2024-03-01T12:00:00Z")
URLS = ("http://a.example/", "http://a.example/x/1", "http://a.example/x/2", "http://b.example/")
BODIES = (b"", b"first " * 50, b"second " * 50, b"x" * 3000)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Number: %d\r\n\r\n"
NOT_MODIFIED = b"HTTP/1.1 304 Not Modified\r\nX-Number: %d\r\n\r\n"


@dataclass(frozen=True)
class Step:
    url: int
    body: int
    kind: str
    capture: int


steps = st.lists(
    st.builds(
        Step,
        st.integers(0, len(URLS) - 1),
        st.integers(0, len(BODIES) - 1),
        st.sampled_from(["response", "response", "response", "resource", "not modified"]),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=14,
)
moments = st.none() | st.integers(-1, 15).map(START.plus)


@st.composite
def selections(draw: st.DrawFn) -> tuple[Selection, int | None]:
    """A selection, and the number of the capture it is narrowed to."""
    url = draw(st.sampled_from(["", "", *URLS]))
    match = draw(st.sampled_from(list(UrlMatch)))
    return Selection(url, match, "", draw(moments), draw(moments)), draw(st.sampled_from([None, None, 0, 1]))


@contextmanager
def archive_of(taken: list[Step]) -> Iterator[tuple[Path, list[str]]]:
    """An archive of these steps in a temporary directory, and its captures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "archive")
        with WritableArchive.create(path, rotate_at=2000) as archive:
            captures = [archive.begin("capture"), archive.begin("capture")]
            for number, step in enumerate(taken):
                archive.repeat_warcinfo(captures[step.capture].capture)
                moment = START.plus(number)
                if step.kind == "resource":
                    captures[step.capture].submit_resource(
                        URLS[step.url], moment, "text/plain", BytesBody(BODIES[step.body])
                    ).result()
                else:
                    known = step.kind == "response"
                    body = BytesBody(BODIES[step.body]) if known else BytesBody()
                    head = (HEAD if known else NOT_MODIFIED) % number
                    asked = b"GET / HTTP/1.1\r\n\r\n" if number % 2 else b""
                    captures[step.capture].append(Exchange(URLS[step.url], moment, head, body, asked))
            for capture in captures:
                capture.end()
        yield path, [capture.id for capture in captures]


def narrowed(wanted: tuple[Selection, int | None], captures: list[str]) -> Selection:
    selection, capture = wanted
    chosen = "" if capture is None else captures[capture]
    return Selection(selection.url, selection.match, chosen, selection.since, selection.until)


def told(archive: Archive, observation: Observation) -> tuple[object, ...]:
    holding = archive.read(observation)
    return observation.url, observation.moment, observation.capture, holding.read(), holding.raw_head


def read_back(archive: Archive, observations: list[Observation]) -> list[tuple[object, ...]]:
    return [told(archive, each) for each in sorted(observations, key=moment_of)]


def moment_of(observation: Observation) -> Moment:
    return observation.moment


def flaws_of(archive: Archive) -> list[Finding]:
    found: list[Finding] = []
    verify_archive(archive, found.append)
    return found


@settings(max_examples=40)
@given(steps, selections(), st.booleans())
def test_an_export_needs_nothing_that_is_not_in_it(
    taken: list[Step], wanted: tuple[Selection, int | None], packed: bool
) -> None:
    with archive_of(taken) as (path, captures), Archive(path) as archive:
        selection = narrowed(wanted, captures)
        chosen = list(selection.observations(archive))
        assume(chosen)
        target = path.parent / ("out.wacz" if packed else "out.warc.gz")
        with target.open("wb") as stream:
            if packed:
                write_wacz(archive, selection, stream)
            else:
                write_warc(WarcExport(archive, selection), stream.write)
        found: list[Finding] = []
        with WritableArchive.create(path.parent / "fresh") as fresh:
            work = RecordImport(fresh, [], found.append)
            work.add_file(target)
            work.finish()
            keys = {(each.url, each.moment) for each in chosen}
            back = [each for each in fresh.observations() if (each.url, each.moment) in keys]
            assert read_back(fresh, back) == read_back(archive, chosen)
            # Only what a server said was not modified brings along more than was chosen.
            extra = [each for each in fresh.observations() if (each.url, each.moment) not in keys]
            assert not extra or any(each.not_modified for each in chosen)
            assert found == flaws_of(fresh) == []


@settings(max_examples=40)
@given(steps, selections())
def test_what_stays_after_a_removal_reads_as_before(taken: list[Step], wanted: tuple[Selection, int | None]) -> None:
    with archive_of(taken) as (path, captures):
        with Archive(path) as archive:
            selection = narrowed(wanted, captures)
            going = {(each.url, each.moment) for each in select_for_takedown(archive, selection)}
            staying = [each for each in archive.observations() if (each.url, each.moment) not in going]
            before = read_back(archive, staying)
        with WritableArchive(path) as archive:
            assert take_down(archive, selection, "", lambda finding: None).records == len(going)
        with Archive(path) as archive:
            assert flaws_of(archive) == archive.repair_findings == []
            after = read_back(archive, list(archive.observations()))
            assert [each[:-1] for each in after] == [each[:-1] for each in before]
            # What was "not modified" and must hold the body from now on has the head that came with it.
            said = {START.plus(number) for number, step in enumerate(taken) if step.kind == "not modified"}
            assert [each for each in after if each[1] not in said] == [each for each in before if each[1] not in said]
            assert {(each.url, each.moment) for each in archive.tombstones()} == going
            seen, stones = sorted(archive.observations(), key=moment_of), list(archive.tombstones())
            # Every revisit names, for other tools too, a record that is there and no revisit.
            whole = {(each.url, each.moment.iso()) for each in seen if each.record_type != "revisit"}
            for record in archive.records():
                if record.type == "revisit":
                    name = record.get("WARC-Refers-To-Target-URI"), record.get("WARC-Refers-To-Date")
                    assert name in whole
        for cache in ("catalog.sqlite", "index/index.sqlite"):
            (path / cache).unlink()
        with Archive(path) as archive:
            assert sorted(archive.observations(), key=moment_of) == seen
            assert list(archive.tombstones()) == stones


@settings(max_examples=20)
@given(steps)
def test_everything_exported_is_everything(taken: list[Step]) -> None:
    with archive_of(taken) as (path, _), Archive(path) as archive:
        whole = io.BytesIO()
        count = write_warc(WarcExport(archive, Selection()), whole.write)
        records = list(archive.records())
        assert count == len(records)
        assert len(whole.getvalue()) == sum(
            (path / "warcs" / name).stat().st_size for name in archive.layout.warc_names()
        )
