"""Payloads that archives share: a revisit of what is on another's disk, told and found there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from prepare_worker_material import START, Spooled, findings, with_assistant

from webkeep.errors import StorageError
from webkeep.model import Body, BytesBody, Exchange, Observation, RecordPlace
from webkeep.replay.choice.collection import Collection, MementoQuery, read_memento
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.index import StoredPayload
from webkeep.store.maintenance import verify_archive
from webkeep.store.reading import read_stored_response
from webkeep.store.transfer import build_temporary_archive

PAYLOAD = b"<p>the same wherever it is seen</p>" * 600
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
OTHER_HEAD = HEAD.replace(b"200 OK", b"203 Fine")


@dataclass
class Shelf:
    """What several archives say of their payloads to each other."""

    holder: str = "worker-1"
    known: dict[str, StoredPayload] = field(default_factory=dict)
    asked: list[tuple[str, ...]] = field(default_factory=list)
    types: set[str] = field(default_factory=set)

    @property
    def least_bytes(self) -> int:
        return 1000

    def shares(self, media_type: str) -> bool:
        self.types.add(media_type)
        return media_type != "text/x-own"

    def find(self, digests: Sequence[str]) -> Sequence[StoredPayload]:
        self.asked.append(tuple(digests))
        found = [self.known[digest] for digest in digests if digest in self.known]
        return [replace(each, place=RecordPlace("", 0, 0), record="", holder=self.holder) for each in found]

    def note_stored(self, payload: StoredPayload) -> None:
        self.known.setdefault(payload.digest, payload)


def exchange(name: str, body: bytes = PAYLOAD, head: bytes = HEAD, truncated: str = "") -> Exchange:
    return Exchange(f"http://{name}.example/", START, head, BytesBody(body), truncated=truncated)


def in_memory(data: bytes) -> Body:
    return BytesBody(data)


WAYS: list[tuple[bool, Callable[[bytes], Body]]] = [(False, in_memory), (True, in_memory), (True, Spooled)]
"""In this process; by a prepare worker; here, where a prepare worker knows what is held."""


def store_in_both(tmp_path: Path, has_assistant: bool, body: Callable[[bytes], Body]) -> Observation:
    """One archive stores a payload, another meets it at another URL; gives what the other one has of it."""
    shelf = Shelf()
    with WritableArchive.create(tmp_path / "one") as one:
        one.writer.share_payloads(shelf)
        one.append(exchange("first"))
    with WritableArchive.create(tmp_path / "other") as other:
        if has_assistant:
            with_assistant(other)
        other.writer.share_payloads(shelf)
        seen = other.append(replace(exchange("second", head=OTHER_HEAD), body=body(PAYLOAD)))
        again = other.append(replace(exchange("third"), body=body(PAYLOAD)))
    assert [each.record_type for each in (seen, again)] == ["revisit", "revisit"]
    return seen


@pytest.mark.parametrize(("has_assistant", "body"), WAYS)
def test_what_another_archive_holds_is_referred_to(
    tmp_path: Path, has_assistant: bool, body: Callable[[bytes], Body]
) -> None:
    seen = store_in_both(tmp_path, has_assistant, body)
    with Archive(tmp_path / "other") as other:
        _, record = read_stored_response(other.files, seen.place)
        assert record.get("warc-refers-to-target-uri") == "http://first.example/"
        assert record.get("warc-refers-to-date") == START.iso()
        assert record.get("warc-profile").endswith("/identical-payload-digest")
        assert record.get("webkeep-payload-holder") == "worker-1"
        assert seen.place.length < 2000
        assert not list(other.catalog.payloads.large(2000))


def test_an_archive_alone_says_whose_it_needs(tmp_path: Path) -> None:
    seen = store_in_both(tmp_path, False, in_memory)
    with Archive(tmp_path / "other") as other:
        found: list[object] = []
        result = verify_archive(other, found.append)
        assert (found, result.findings, result.elsewhere) == ([], 0, {"worker-1": 2})
        assert other.observation_at(seen.place).is_dangling  # type: ignore[union-attr]
        with pytest.raises(StorageError, match="in the archive of worker-1; read both together"):
            other.read(seen)


@pytest.mark.parametrize("is_told_no_more", [False, True])
@pytest.mark.parametrize(("has_assistant", "body"), WAYS)
def test_what_others_hold_no_more_is_stored(
    tmp_path: Path, has_assistant: bool, body: Callable[[bytes], Body], is_told_no_more: bool
) -> None:
    shelf = Shelf()
    with WritableArchive.create(tmp_path / "one") as one:
        one.writer.share_payloads(shelf)
        one.append(exchange("first"))
    with WritableArchive.create(tmp_path / "other") as other:
        if has_assistant:
            with_assistant(other)
        other.writer.share_payloads(shelf)
        seen = [other.append(replace(exchange("second"), body=body(PAYLOAD)))]
        shelf.known.clear()
        if is_told_no_more:
            other.writer.share_payloads(None)
        seen += [other.append(replace(exchange(name), body=body(PAYLOAD))) for name in ("third", "fourth")]
        assert [each.record_type for each in seen] == ["revisit", "response", "revisit"]
        _, last = read_stored_response(other.files, seen[-1].place)
        assert last.get("warc-refers-to-target-uri") == "http://third.example/"
        assert findings(other) == []


def test_archives_shown_as_one_find_it(tmp_path: Path) -> None:
    store_in_both(tmp_path, False, in_memory)
    shown = Collection([Archive(tmp_path / "other"), Archive(tmp_path / "one")])
    for url, status in (("http://second.example/", 203), ("http://first.example/", 200)):
        found = shown.nearest(MementoQuery(url, START))
        assert found is not None
        stored = read_memento(found)
        assert b"".join(stored.body.chunks()) == PAYLOAD
        assert stored.head is not None
        assert stored.head.status == status
        assert (found.resolved_entry.status, found.resolved_entry.media_type) == (status, "text/html")
    (held,) = shown.archives[0].history("http://second.example/")
    assert (held.status, held.size, held.is_dangling) == (203, len(PAYLOAD), False)
    shown.close()


def test_brought_together_they_need_nothing_else(tmp_path: Path) -> None:
    seen = store_in_both(tmp_path, False, in_memory)
    files = [path for name in ("other", "one") for path in sorted((tmp_path / name / "warcs").iterdir())]
    with Archive(build_temporary_archive(files, tmp_path / "whole", "whole", START)) as whole:
        assert findings(whole) == []
        assert verify_archive(whole, lambda _: None).elsewhere == {}
        held = whole.lookup(seen.url)
        assert held is not None
        assert b"".join(whole.read(held).body.chunks()) == PAYLOAD


def test_only_what_is_large_whole_and_not_held_is_asked_for(tmp_path: Path) -> None:
    shelf = Shelf()
    with WritableArchive.create(tmp_path / "one") as archive:
        archive.append(exchange("before", PAYLOAD + b"before"))
        archive.writer.share_payloads(shelf)
        archive.append(exchange("before-again", PAYLOAD + b"before"))
        archive.append(exchange("small", b"small"))
        archive.append(exchange("cut", truncated="length"))
        assert shelf.types == {"text/html"}
        archive.append(exchange("own", PAYLOAD + b"own", head=HEAD.replace(b"html", b"X-Own")))
        assert shelf.types == {"text/html", "text/x-own"}
        assert shelf.asked == []
        archive.append(exchange("large"))
        archive.append(exchange("large-again"))
        assert [len(each) for each in shelf.asked] == [1]
        assert shelf.asked[0][0] in shelf.known
        archive.writer.share_payloads(None)
        archive.append(exchange("after", PAYLOAD + b"after"))
        assert len(shelf.asked) == 1
        assert findings(archive) == []


def test_a_payload_of_the_same_sha1_that_is_another_one_is_stored(tmp_path: Path) -> None:
    shelf = Shelf()
    with WritableArchive.create(tmp_path / "one") as one:
        one.writer.share_payloads(shelf)
        one.append(exchange("first"))
    for digest, payload in shelf.known.items():
        shelf.known[digest] = replace(payload, check=bytes(len(payload.check)))
    with WritableArchive.create(tmp_path / "other") as other:
        other.writer.share_payloads(shelf)
        assert other.append(exchange("second")).record_type == "response"
        assert len(shelf.asked) == 2


def test_a_payload_is_told_of_once_it_is_on_disk(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "one") as one:
        on_disk: list[bool] = []

        class Watching(Shelf):
            def note_stored(self, payload: StoredPayload) -> None:
                with Archive(tmp_path / "one") as reader:
                    on_disk.append(reader.catalog.payloads.get(payload.digest) is not None)

        one.writer.share_payloads(Watching())
        one.append(exchange("first"))
    assert on_disk == [True]
