import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from webkeep.model import BytesBody, Digest, Exchange, Moment, RecordPlace
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.index.payloads import StoredPayload
from webkeep.store.maintenance import verify_archive
from webkeep.store.reading import read_stored_response
from webkeep.store.writing.record_draft import PreparedRecord
from webkeep.store.writing.write_tasks import ExchangeTask, ResourceTask

DAY = Moment.parse("2024-03-01")
BODY = b"the same wherever it is seen " * 20
OK = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "1"\r\n\r\n'
NOT_MODIFIED = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[WritableArchive]:
    with WritableArchive.create(tmp_path / "archive") as made:
        yield made
        found: list[object] = []
        verify_archive(made, found.append)
        assert found == []


def exchange(name: str, head: bytes = OK, body: bytes = BODY, seconds: int = 0, truncated: str = "") -> Exchange:
    return Exchange(f"http://example.org/{name}", DAY.plus(seconds), head, BytesBody(body), truncated=truncated)


def fields(archive: Archive, place: RecordPlace) -> dict[str, str]:
    _, record = read_stored_response(archive.files, place)
    return {name: value for name, value in record.headers if name.startswith(("WARC-Refers", "WARC-Profile"))}


def test_the_same_payload_at_any_url_is_stored_once(archive: WritableArchive) -> None:
    capture = archive.begin("test")
    first = capture.append(exchange("a"))
    second = capture.append(exchange("b", OK.replace(b"html", b"plain"), seconds=5))
    third = capture.submit_resource("http://example.org/c", DAY, "text/html", BytesBody(BODY)).result()
    assert third is not None
    assert [each.record_type for each in (first, second, third)] == ["response", "revisit", "revisit"]
    assert (second.size, second.media_type, second.payload_digest) == (0, "text/plain", first.payload_digest)
    assert [archive.read(each).read() for each in (second, third)] == [BODY, BODY]
    assert fields(archive, second.place) == {
        "WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        "WARC-Refers-To": f"<{read_stored_response(archive.files, first.place)[1].id}>",
        "WARC-Refers-To-Target-URI": "http://example.org/a",
        "WARC-Refers-To-Date": "2024-03-01T00:00:00Z",
    }


def test_also_before_the_first_is_on_disk_and_after_the_archive_was_closed(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "archive") as archive:
        capture = archive.begin("test")
        promises = [capture.submit(exchange(str(number))) for number in range(5)]
        assert [_type(promise.result()) for promise in promises] == ["response", *["revisit"] * 4]
    with WritableArchive(tmp_path / "archive") as archive:
        assert archive.append(exchange("later")).record_type == "revisit"


def _type(observation: object) -> str:
    return str(getattr(observation, "record_type", ""))


def test_nothing_is_no_payload(archive: WritableArchive) -> None:
    capture = archive.begin("test")
    assert [capture.append(exchange(name, body=b"")).record_type for name in "ab"] == ["response", "response"]


def test_not_modified_refers_to_what_the_url_had_last(archive: WritableArchive) -> None:
    capture = archive.begin("test")
    capture.append(exchange("a", body=b"older", seconds=0))
    newer = capture.append(exchange("a", body=b"newer", seconds=10))
    capture.append(exchange("other", body=b"other", seconds=15))
    seen = capture.append(exchange("a", NOT_MODIFIED, b"", 20))
    assert (seen.record_type, seen.status, seen.payload_digest) == ("revisit", 304, newer.payload_digest)
    assert seen.content_digest == newer.content_digest
    assert archive.read(seen).read() == b"newer"
    assert fields(archive, seen.place)["WARC-Profile"].endswith("server-not-modified")
    again = capture.append(exchange("a", NOT_MODIFIED, b"", 30))
    assert archive.read(again).read() == b"newer"
    # What came before the older one refers to nothing, and says so.
    assert capture.append(exchange("a", NOT_MODIFIED, b"", -5)).record_type == "response"
    assert capture.append(exchange("never seen", NOT_MODIFIED, b"", 20)).record_type == "response"


def test_what_was_cut_off_is_never_referred_to(archive: WritableArchive) -> None:
    capture = archive.begin("test")
    assert capture.append(exchange("a", truncated="length")).record_type == "response"
    assert capture.append(exchange("b")).record_type == "response"
    assert capture.append(exchange("c", truncated="time")).record_type == "response"
    assert capture.append(exchange("d")).record_type == "revisit"
    assert capture.append(exchange("only", body=b"half", truncated="length")).record_type == "response"
    assert capture.append(exchange("only", NOT_MODIFIED, b"", 9)).record_type == "response"


@dataclass
class Memory:
    """Knows one payload and nothing else."""

    held: StoredPayload | None
    claimed: StoredPayload | None = None

    def claim(self, payload: StoredPayload) -> StoredPayload | None:
        self.claimed = payload
        return self.held

    def latest(self, url: str, before: Moment) -> StoredPayload | None:
        return None


def held(**changes: object) -> StoredPayload:
    """What is known of the payload once it is stored."""
    memory = Memory(None)
    work = ExchangeTask(exchange("held"), "")
    work.digest_payload()
    work.prepare_records(memory)
    assert memory.claimed is not None
    assert memory.claimed.digest == str(Digest.from_chunks("sha1", [BODY]))
    return replace(memory.claimed, **changes)


@pytest.mark.parametrize(
    ("known", "kind"),
    [(held(), "revisit"), (held(check=b""), "revisit"), (held(check=b"another payload"), ""), (None, "")],
    ids=["the same", "nothing contradicts", "SHA-1 made to collide", "not held"],
)
def test_a_digest_that_collides_is_not_believed(known: StoredPayload | None, kind: str) -> None:
    for work in (
        ExchangeTask(exchange("new"), ""),
        ResourceTask("http://example.org/new", DAY, "text/html", BytesBody(BODY), ""),
    ):
        assert work.digest_payload() == str(Digest.from_chunks("sha1", [BODY]))
        (prepared,) = work.prepare_records(Memory(known))
        assert _is_revisit(prepared) is bool(kind)


def _is_revisit(prepared: PreparedRecord) -> bool:
    assert prepared.facts is not None
    return prepared.facts.record_type == "revisit"


def test_not_modified_after_a_collision_refers_to_nothing(tmp_path: Path) -> None:
    """The catalog holds one record for a digest, and that is not what this URL had last."""
    with WritableArchive.create(tmp_path / "archive") as archive:
        archive.append(exchange("good"))
    with closing(sqlite3.connect(archive.layout.catalog)) as catalog, catalog:
        catalog.execute("UPDATE payload SET check_hash = x'00'")  # as if its bytes were others
    with WritableArchive(tmp_path / "archive") as archive:
        assert archive.append(exchange("evil", seconds=1)).record_type == "response"
        assert archive.append(exchange("evil", NOT_MODIFIED, b"", 2)).record_type == "response"
        assert archive.append(exchange("good", NOT_MODIFIED, b"", 2)).record_type == "revisit"
