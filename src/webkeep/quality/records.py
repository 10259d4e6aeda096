"""What the records of a capture say, read from the WARC files and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from webkeep.coherence.intent import intent_urn
from webkeep.coherence.observing import held_digest, is_redirect
from webkeep.coherence.sighting import PARTIAL, Sighting
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.model import Capture, Digest, Moment, Observation, Place, Visit
from webkeep.quality.kept import certificate_urn
from webkeep.quality.subsites import may_be_sitemap
from webkeep.store.archive import Archive
from webkeep.store.reading import read_holding
from webkeep.store.scanning import Seen, scan
from webkeep.store.sight import Sight, content_of
from webkeep.url.places import is_robots_file

_ANSWERS = frozenset({"response", "revisit", "resource"})
_SCHEMES = ("http://", "https://", "ftp://")


@dataclass(slots=True)
class CaptureRecords:
    """The records of one capture, as far as they matter to when what was there."""

    records: int = 0
    """Records gone through so far, those of other captures included."""
    capture: Capture | None = None
    """Its description; None where it has none."""
    sightings: dict[str, list[Sighting]] = field(default_factory=dict)
    sitemaps: list[tuple[str, Place]] = field(default_factory=list)
    """What may be sitemaps, and where it lies."""
    intents: list[Place] = field(default_factory=list)
    certificates: list[Place] = field(default_factory=list)
    """Where the parts of certificates lie that were kept."""
    setback: float = 0.0
    """By how many seconds moments run back in the order of the records of a file, at most."""


def read_capture(archive: Archive, capture_id: str, found: CaptureRecords | None = None) -> CaptureRecords:
    """Everything that the WARC files say of a capture; `found` grows while it is read."""
    reading = _Reading(archive, capture_id, found or CaptureRecords())
    for name in archive.layout.warc_names():
        with archive.files.open(name) as stream:
            reading.take(scan(stream, name, Flaws(Strictness.IGNORE)))
    return reading.found


def holds_sightings(archive: Archive, capture_id: str) -> bool:
    """Whether a capture holds anything that could be certified."""
    return any(map(_is_certified, archive.observations(capture_id, resolve=False)))


def _is_certified(seen: Sight | Observation) -> bool:
    return seen.method == "GET" and seen.url.startswith(_SCHEMES) and not is_robots_file(seen.url)


class _Reading:
    def __init__(self, archive: Archive, capture_id: str, found: CaptureRecords) -> None:
        self._archive = archive
        self._id = capture_id
        self._known: set[str] = set()
        self.found = found

    def take(self, records: Iterable[Seen]) -> None:
        """Read one file."""
        latest: Moment | None = None
        for seen in records:
            self.found.records += 1
            if seen.news is not None and seen.news.capture is not None:
                self._describe(seen.news.capture)
            sight = seen.sight
            if sight is None or not self._is_mine(sight):
                continue
            if seen.record_type in _ANSWERS:
                latest = self._follow(latest, sight.moment)
                self._see(seen, sight)
            elif sight.url == intent_urn(self._id):
                self.found.intents.append(seen.place)
            elif sight.url == certificate_urn(self._id):
                self.found.certificates.append(seen.place)

    def _describe(self, capture: Capture) -> None:
        self._known.add(capture.id)
        if capture.id == self._id and self.found.capture is None:
            self.found.capture = capture

    def _is_mine(self, sight: Sight) -> bool:
        """Whether a record belongs to the capture: it names it, or names none of ours and stands in it."""
        return (sight.capture if sight.capture in self._known else sight.within) == self._id

    def _follow(self, latest: Moment | None, moment: Moment) -> Moment:
        if latest is None or moment >= latest:
            return moment
        self.found.setback = max(self.found.setback, latest.seconds_since(moment))
        return latest

    def _see(self, seen: Seen, sight: Sight) -> None:
        if not _is_certified(sight):
            return
        known = self.found.sightings.setdefault(sight.url, [])
        if not known and may_be_sitemap(sight.url, sight.media_type):
            self.found.sitemaps.append((sight.url, seen.place))
        known.append(self._sighting(seen, sight, known))

    def _sighting(self, seen: Seen, sight: Sight, known: list[Sighting]) -> Sighting:
        digest = _shared(held_digest(sight.status, Digest.parse(sight.payload_digest)), known)
        return Sighting(
            sight.moment,
            sight.status,
            digest,
            None if digest is None else content_of(sight.content_digest, digest),
            sight.etag.strip(),
            sys.intern(sight.last_modified.strip()),
            self._target(seen.place) if is_redirect(sight.status) else "",
            not sight.truncated and sight.status != PARTIAL,
            sight.visit is Visit.REVISIT,
            self._id,
            sys.intern(sight.media_type),
        )

    def _target(self, place: Place) -> str:
        """Where a redirect leads."""
        holding, _ = read_holding(self._archive.files, place)
        return holding.head.headers.get("location") if holding.head else ""


def _shared(digest: Digest | None, known: Iterable[Sighting]) -> Digest | None:
    """The digest as an earlier sighting has it, so that what stays the same is held once."""
    return next((each.digest for each in known if each.digest == digest), digest)


def blocks_at(archive: Archive, places: Iterable[Place], largest: int) -> Iterator[bytes]:
    """The blocks of notes; what is larger than any note of ours is cut off, and will be found damaged."""
    for place in places:
        holding, _ = read_holding(archive.files, place)
        pieces, left = [], largest
        for piece in holding.raw():
            pieces.append(piece)
            left -= len(piece)
            if left < 0:
                break
        yield b"".join(pieces)
