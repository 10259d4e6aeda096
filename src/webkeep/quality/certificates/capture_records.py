"""What the records of a capture say, read from the WARC files and nothing else: which responses are sightings that can
be certified, where intents and sitemaps lie, and by how much moments run back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from webkeep.coherence.certificates import intent_urn
from webkeep.coherence.sightings import Sighting, payload_digest_held
from webkeep.formats import Flaws, Strictness
from webkeep.formats.http import parse_content_range
from webkeep.formats.status import NOT_MODIFIED, PARTIAL_CONTENT, leads_elsewhere
from webkeep.model import CONTENT_TYPES, Capture, Digest, Moment, Observation, RecordPlace, VisitKind
from webkeep.quality.certificates.certificate_records import certificate_urn
from webkeep.quality.certificates.subsites import may_be_sitemap
from webkeep.store.archive import Archive
from webkeep.store.index import RecordFacts, content_digest_of
from webkeep.store.reading import ScannedRecord, read_stored_response, scan_records
from webkeep.url import is_robots_url

_CERTIFIED_SCHEMES = ("http://", "https://", "ftp://")


@dataclass(slots=True)
class CaptureRecords:
    """The records of one capture, as far as they matter to when what was there."""

    records: int = 0
    """Records gone through so far, those of other captures included."""
    capture: Capture | None = None
    """Its description; None where it has none."""
    sightings: dict[str, list[Sighting]] = field(default_factory=dict)
    sitemaps: list[tuple[str, RecordPlace]] = field(default_factory=list)
    """What may be sitemaps, and where it lies."""
    intents: list[RecordPlace] = field(default_factory=list)
    certificates: list[RecordPlace] = field(default_factory=list)
    """Where the parts of certificates lie that were kept."""
    setback: float = 0.0
    """By how many seconds moments run back in the order of the records of a file, at most."""

    def take_sightings(self) -> dict[str, list[Sighting]]:
        """What was seen of each URL; it is the caller's then."""
        taken, self.sightings = self.sightings, {}
        return taken


def read_capture_records(
    archive: Archive,
    capture_id: str,
    found: CaptureRecords | None = None,
    tick: Callable[[], None] = lambda: None,
) -> CaptureRecords:
    """Everything that the WARC files say of a capture; `found` grows while it is read, by a `tick` for each record."""
    reading = _RecordReader(archive, capture_id, found or CaptureRecords(), tick)
    for name in archive.layout.warc_names():
        with archive.files.open(name) as stream:
            reading.read_file(scan_records(stream, name, Flaws(Strictness.IGNORE), fingerprints=False))
    return reading.found


def has_sightings(archive: Archive, capture_id: str) -> bool:
    """Whether a capture holds anything that could be certified."""
    return any(map(_is_certified, archive.observations(capture_id, resolve=False)))


def _is_certified(seen: RecordFacts | Observation) -> bool:
    return seen.method == "GET" and seen.url.startswith(_CERTIFIED_SCHEMES) and not is_robots_url(seen.url)


class _RecordReader:
    def __init__(self, archive: Archive, capture_id: str, found: CaptureRecords, tick: Callable[[], None]) -> None:
        self._archive = archive
        self._tick = tick
        self._id = capture_id
        self._known: set[str] = set()
        self.found = found

    def read_file(self, records: Iterable[ScannedRecord]) -> None:
        """Read one file."""
        latest: Moment | None = None
        for seen in records:
            self.found.records += 1
            self._tick()
            if seen.update is not None and seen.update.capture is not None:
                self._add_capture(seen.update.capture)
            facts = seen.facts
            if facts is None or not self._is_mine(facts):
                continue
            if seen.record_type in CONTENT_TYPES:
                latest = self._note_setback(latest, facts.moment)
                self._add_sighting(seen, facts)
            elif facts.url == intent_urn(self._id):
                self.found.intents.append(seen.place)
            elif facts.url == certificate_urn(self._id):
                self.found.certificates.append(seen.place)

    def _add_capture(self, capture: Capture) -> None:
        self._known.add(capture.id)
        if capture.id == self._id and self.found.capture is None:
            self.found.capture = capture

    def _is_mine(self, facts: RecordFacts) -> bool:
        """Whether a record belongs to the capture: it names it, or names none of ours and stands in it."""
        return (facts.capture if facts.capture in self._known else facts.within) == self._id

    def _note_setback(self, latest: Moment | None, moment: Moment) -> Moment:
        if latest is None or moment >= latest:
            return moment
        self.found.setback = max(self.found.setback, latest.seconds_since(moment))
        return latest

    def _add_sighting(self, seen: ScannedRecord, facts: RecordFacts) -> None:
        if not _is_certified(facts):
            return
        known = self.found.sightings.setdefault(facts.url, [])
        media_type = facts.media_type or self._media_type_before(seen.place, facts)
        if not known and may_be_sitemap(facts.url, media_type):
            self.found.sitemaps.append((facts.url, seen.place))
        known.append(self._build_sighting(seen, facts, known, media_type))

    def _media_type_before(self, place: RecordPlace, facts: RecordFacts) -> str:
        """What something is that was not modified: servers send no type with that, and what they refer to has it."""
        seen = self._archive.observation_at(place) if facts.status == NOT_MODIFIED else None
        return "" if seen is None else seen.media_type

    def _build_sighting(
        self, seen: ScannedRecord, facts: RecordFacts, known: list[Sighting], media_type: str
    ) -> Sighting:
        digest = _share_digest(payload_digest_held(facts.status, Digest.parse(facts.payload_digest)), known)
        return Sighting(
            facts.moment,
            facts.status,
            digest,
            None if digest is None else content_digest_of(facts.content_digest, digest),
            facts.etag.strip(),
            sys.intern(facts.last_modified.strip()),
            self._read_field(seen.place, "location") if leads_elsewhere(facts.status) else "",
            not facts.truncated and (facts.status != PARTIAL_CONTENT or self._has_all(seen.place)),
            facts.visit is VisitKind.REVISIT,
            self._id,
            sys.intern(media_type),
        )

    def _has_all(self, place: RecordPlace) -> bool:
        """Whether an answer to a request for a part has all there is, as where a player asks from the beginning on."""
        part = parse_content_range(self._read_field(place, "content-range") or "")
        return part is not None and part.is_whole

    def _read_field(self, place: RecordPlace, name: str) -> str | None:
        """A field of the head of an answer."""
        stored, _ = read_stored_response(self._archive.files, place)
        return stored.head.headers.get(name) if stored.head else ""


def _share_digest(digest: Digest | None, known: Iterable[Sighting]) -> Digest | None:
    """The digest as an earlier sighting has it, so that what stays the same is held once."""
    return next((each.digest for each in known if each.digest == digest), digest)


def read_note_blocks(archive: Archive, places: Iterable[RecordPlace], largest: int) -> Iterator[bytes]:
    """The blocks of notes; what is larger than any note of ours is cut off, and will be found damaged."""
    for place in places:
        stored, _ = read_stored_response(archive.files, place)
        pieces, left = [], largest
        for piece in stored.raw():
            pieces.append(piece)
            left -= len(piece)
            if left < 0:
                break
        yield b"".join(pieces)
