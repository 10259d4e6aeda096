from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from webkeep.model import Capture, Digest, Fate, Finding, Moment, RecordPlace, UrlOutcome, VisitKind
from webkeep.store.index import RecordFacts, Tombstone, UrlIndex
from webkeep.store.index.bookkeeping import CatalogUpdate
from webkeep.store.index.catalog import Catalog
from webkeep.store.index.index_rows import IndexRows
from webkeep.store.writing.group_commit import apply_rows

DAY = Moment.parse("2024-03-01")
ONE, TWO = Digest.from_chunks("sha1", [b"one"]), Digest.from_chunks("sha1", [b"two"])
SIGHT = RecordFacts(
    "urn:uuid:1", "response", "http://example.org/", DAY, 200, "text/html", "text/html", str(ONE), "", b"check", 3,
    '"tag"', "yesterday", "first", "", "http://example.org/via", VisitKind.REVISIT,
)  # fmt: skip


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    made = Catalog(tmp_path / "catalog.sqlite", writable=True)
    yield made
    made.database.close()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[UrlIndex]:
    made = UrlIndex(tmp_path / "index.sqlite", writable=True)
    yield made
    made.database.close()


def put(
    catalog: Catalog,
    index: UrlIndex,
    *sights: RecordFacts,
    file: str = "a.warc.gz",
    news: tuple[CatalogUpdate, ...] = (),
) -> None:
    rows = IndexRows(file)
    rows.updates += news
    for sight in sights:
        rows.add(RecordPlace(file, rows.covered, 100), sight, RecordPlace(file, rows.covered + 40, 60))
        rows.covered += 100
    apply_rows(rows, index, catalog)


def test_captures(catalog: Catalog) -> None:
    first = Capture("first", "capture", DAY, None, ("http://a/", "http://b/"), {"plan": "x", "é": '"\n'})
    second = Capture("second", "import", DAY.plus(-5))
    with catalog.database.transaction():
        catalog.captures.add(first)
        catalog.captures.add(second)
        catalog.captures.add(replace(first, kind="described again"))
        catalog.captures.finish("first", DAY.plus(9), {"plan": "y", "stored": "3"})
        catalog.captures.finish("unknown", DAY, {})
    ended = replace(first, finished=DAY.plus(9), facts={"plan": "y", "é": '"\n', "stored": "3"})
    assert list(catalog.captures.all()) == [second, ended]
    number = catalog.captures.number_of("first")
    assert number is not None
    assert catalog.captures.id_of(number) == "first"
    assert catalog.captures.number_of("unknown") is None


def test_an_observation_comes_back_as_it_was(catalog: Catalog, index: UrlIndex) -> None:
    put(catalog, index, SIGHT, news=(CatalogUpdate(capture=Capture("first", "capture", DAY)),))
    (found,) = catalog.observations.all()
    assert found == SIGHT.to_observation(RecordPlace("a.warc.gz", 0, 100), "first", RecordPlace("a.warc.gz", 40, 60))
    assert found == catalog.observations.find_at("a.warc.gz", 0)
    assert catalog.observations.find_at("a.warc.gz", 1) is None
    assert catalog.observations.find_at("b.warc.gz", 0) is None


def test_the_capture_a_record_names_comes_before_the_one_it_stands_in(catalog: Catalog, index: UrlIndex) -> None:
    captures = (
        CatalogUpdate(capture=Capture("first", "capture", DAY)),
        CatalogUpdate(capture=Capture("second", "capture", DAY)),
    )
    sights = [SIGHT._replace(capture=named, within="second") for named in ("first", "someone else's", "")]
    put(catalog, index, *sights, SIGHT._replace(capture="", within=""), news=captures)
    assert [each.capture for each in catalog.observations.all()] == ["first", "second", "second", ""]
    assert len(list(catalog.observations.all("second"))) == 2
    assert list(catalog.observations.all("unknown")) == []
    assert catalog.observations.totals("first").observations == 1
    assert catalog.observations.totals().size == 12
    assert catalog.observations.totals().urls == 1


def test_the_first_holder_of_a_payload_stays(catalog: Catalog, index: UrlIndex) -> None:
    put(catalog, index, SIGHT, file="b.warc.gz")
    put(catalog, index, SIGHT._replace(record="urn:uuid:2"), file="c.warc.gz")
    held = catalog.payloads.get(f"sha1:{ONE.hex}")
    assert held is not None
    assert (held.record, held.place.file, held.check, held.content) == ("urn:uuid:1", "b.warc.gz", b"check", "")
    put(catalog, index, SIGHT._replace(record="urn:uuid:0"), file="a.warc.gz")
    assert [each.record for each in catalog.payloads.find_all([str(ONE), str(TWO)])] == ["urn:uuid:0"]
    assert catalog.payloads.find_all([]) == []


def test_only_what_is_whole_holds_a_payload(catalog: Catalog, index: UrlIndex) -> None:
    put(
        catalog,
        index,
        SIGHT._replace(truncated=True),
        SIGHT._replace(size=0),
        SIGHT._replace(record_type="revisit"),
        SIGHT._replace(record_type="metadata"),
    )
    assert catalog.payloads.get(str(ONE)) is None


def test_the_latest_word_on_a_fate_holds_whatever_is_read_first(catalog: Catalog) -> None:
    def note(outcome: UrlOutcome, file: str) -> None:
        with catalog.database.transaction():
            catalog.log.add_fates("first", [Fate("http://x/", outcome, file, "via")], file)

    note(UrlOutcome.QUEUED, "b")
    note(UrlOutcome.STORED, "b")
    note(UrlOutcome.FAILED, "a")
    assert list(catalog.log.fates()) == [("first", Fate("http://x/", UrlOutcome.STORED, "b", "via"))]
    note(UrlOutcome.REFUSED, "c")
    assert list(catalog.log.fates("first")) == [("first", Fate("http://x/", UrlOutcome.REFUSED, "c", "via"))]
    assert list(catalog.log.fates("second")) == []


def test_findings_and_tombstones(catalog: Catalog) -> None:
    finding = Finding("corrupt", "a.warc.gz", 7, "a member is corrupt")
    stone = Tombstone("urn:uuid:1", "http://x/", DAY, str(ONE), DAY.plus(5), "asked for")
    with catalog.database.transaction():
        catalog.log.add_findings([finding, finding])
        catalog.log.add_tombstones([stone, stone], "a.warc.gz")
    assert list(catalog.log.findings()) == [finding]
    assert list(catalog.log.tombstones()) == [stone]


def test_a_record_removed_twice_has_two_tombstones(catalog: Catalog) -> None:
    first = Tombstone("urn:uuid:1", "http://x/", DAY, str(ONE), DAY.plus(5), "asked for")
    stones = [first, replace(first, removed=DAY.plus(6), reason="asked again")]
    nameless = [Tombstone("", url, DAY, str(ONE), DAY.plus(7), "") for url in ("http://x/", "http://y/")]
    with catalog.database.transaction():
        catalog.log.add_tombstones([*stones, *nameless], "a.warc.gz")
    assert list(catalog.log.tombstones()) == [*stones, *nameless]


def test_a_loss_outlives_what_is_forgotten(catalog: Catalog) -> None:
    gone, shrunk = Finding("file-gone", "a.warc.gz", 900, ""), Finding("file-shrunk", "a.warc.gz", 900, "")
    with catalog.database.transaction():
        catalog.log.add_findings([Finding("corrupt", "a.warc.gz", 7, "")])
        catalog.log.set_loss("a.warc.gz", gone)
        catalog.log.set_loss("a.warc.gz", shrunk)
        catalog.drop_file("a.warc.gz")
    assert list(catalog.log.findings()) == list(catalog.log.losses()) == [shrunk]
    with catalog.database.transaction():
        catalog.log.set_loss("a.warc.gz", None)
    assert list(catalog.log.losses()) == []


def test_a_file_is_forgotten_alone(catalog: Catalog, index: UrlIndex) -> None:
    told = (CatalogUpdate(fates_of="first", fates=(Fate("http://x/", UrlOutcome.STORED),)),)
    put(catalog, index, SIGHT, news=told)
    put(catalog, index, SIGHT._replace(payload_digest=str(TWO)), file="b.warc.gz")
    with catalog.database.transaction():
        catalog.log.add_findings([Finding("x", "a.warc.gz", 0, ""), Finding("x", "b.warc.gz", 0, "")])
        catalog.drop_file("a.warc.gz")
    assert [each.place.file for each in catalog.observations.all()] == ["b.warc.gz"]
    assert catalog.payloads.get(str(ONE)) is None
    assert catalog.payloads.get(str(TWO)) is not None
    assert list(catalog.log.fates()) == []
    assert [each.source for each in catalog.log.findings()] == ["b.warc.gz"]
    assert catalog.database.covered_bytes() == {"a.warc.gz": 0, "b.warc.gz": 100}


def test_a_payload_held_twice_outlives_one_holder(catalog: Catalog, index: UrlIndex) -> None:
    put(catalog, index, SIGHT)
    put(catalog, index, SIGHT, file="b.warc.gz")
    with catalog.database.transaction():
        catalog.drop_file("a.warc.gz")
    held = catalog.payloads.get(str(ONE))
    assert held is not None
    assert held.place == RecordPlace("b.warc.gz", 0, 100)
