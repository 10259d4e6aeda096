"""The observations an archive has made, as a table of its catalog by the place of their records; which capture a record
belongs to, and what a capture adds up to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from webkeep.change.detection import PageFingerprint
from webkeep.formats.status import NOT_MODIFIED
from webkeep.model import Digest, Moment, Observation, RecordPlace, VisitKind
from webkeep.store.index.cache_database import CacheDatabase, SqlRow, as_integer
from webkeep.store.index.captures import CaptureTable
from webkeep.store.index.fingerprints import FINGERPRINT_COLUMNS, FINGERPRINT_TABLE, fingerprint_from_row
from webkeep.store.index.record_facts import content_digest_of

SCHEMA = """
CREATE TABLE IF NOT EXISTS observation (
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    url TEXT NOT NULL,
    moment INTEGER NOT NULL,
    type TEXT NOT NULL,
    method TEXT NOT NULL,
    status INTEGER,
    media TEXT NOT NULL,
    payload TEXT NOT NULL,
    content TEXT,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    last_modified TEXT NOT NULL,
    capture INTEGER,
    via TEXT NOT NULL,
    visit TEXT NOT NULL,
    request_offset INTEGER,
    request_length INTEGER,
    PRIMARY KEY (file, offset)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS observation_capture ON observation (capture);
"""
_COLUMNS = (
    "offset, length, url, moment, type, method, status, media, payload, content, size, etag, last_modified, "
    "via, visit, request_offset, request_length, capture, file"
)
_SELECT = f"SELECT {_COLUMNS} FROM observation"
_SELECT_FACTS = (
    "SELECT file, offset, length, status, media, payload, content, size, etag, last_modified FROM observation"
)
_SELECT_PAYLOAD_FACTS = (
    f"{_SELECT_FACTS} WHERE (file, offset) = (SELECT p.file, p.offset FROM payload p WHERE p.digest = ?)"
)
_SELECT_WITH_FINGERPRINTS = (
    f"SELECT {', '.join(f'o.{column}' for column in _COLUMNS.split(', '))}, {FINGERPRINT_COLUMNS} FROM observation o "
    f"LEFT JOIN payload p ON o.type = 'revisit' AND p.digest = o.payload LEFT JOIN {FINGERPRINT_TABLE} f "
    "ON f.file = coalesce(p.file, o.file) AND f.offset = coalesce(p.offset, o.offset)"
)
_WHERE_PLACE = "WHERE file = (SELECT number FROM file WHERE name = ?) AND offset = ?"


_COUNT_WITHOUT_PAYLOAD = f"""
SELECT count(*) FROM observation WHERE type = 'revisit' AND payload <> '' AND status <> {NOT_MODIFIED}
AND payload NOT IN (SELECT digest FROM payload)
"""


# Asked for with every revisit that is looked at: whole observations take three times as long to make.
class ResponseFacts(NamedTuple):
    """What a revisit may have of another record."""

    place: RecordPlace
    status: int | None
    media_type: str
    payload: str
    """The digest of its payload, as it stands in the record."""
    content: str | None
    size: int
    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True)
class CaptureTotals:
    """What a capture adds up to."""

    observations: int
    urls: int
    size: int
    """Payload bytes stored."""


class ObservationTable:
    """Observations in the order they were stored."""

    def __init__(self, database: CacheDatabase, captures: CaptureTable) -> None:
        self._database = database
        self._captures = captures

    def add(self, rows: Sequence[tuple[SqlRow, str, str]], file: int) -> None:
        """Add what was seen in a file, inside a transaction; one that is there already stays as it is.

        Each comes with the capture its record names and the one it stands in.
        """
        number = self._captures.number_of
        self._database.insert(
            "observation",
            _COLUMNS,
            # A record belongs to the capture it names if that is one of ours, else to the one described before it.
            [(*row, number(named) or number(within), file) for row, named, within in rows],
        )

    def find_at(self, file: str, offset: int) -> Observation | None:
        """The observation whose record lies there."""
        row = self._database.query_one(f"{_SELECT} {_WHERE_PLACE}", (file, offset))
        return self._observation_from_row(row) if row else None

    def payload_facts(self, digest: str) -> ResponseFacts | None:
        """What the record says that holds the payload of a digest, in its one spelling."""
        return self._facts_from_row(self._database.query_one(_SELECT_PAYLOAD_FACTS, (digest,)))

    def facts_at(self, place: RecordPlace) -> ResponseFacts | None:
        """What the record at a place says."""
        return self._facts_from_row(
            self._database.query_one(f"{_SELECT_FACTS} {_WHERE_PLACE}", (place.file, place.offset))
        )

    def _facts_from_row(self, row: SqlRow | None) -> ResponseFacts | None:
        if row is None:
            return None
        file, offset, length, *rest = row
        place = RecordPlace(self._database.file_name(as_integer(file)), as_integer(offset), as_integer(length))
        return ResponseFacts(place, *rest)  # type: ignore[arg-type]

    def all(self, capture: str | None = None, beyond: RecordPlace | None = None) -> Iterator[Observation]:
        """All observations, or those of one capture; with a place, those behind it."""
        wanted: list[tuple[str, tuple[object, ...]]] = []
        if capture is not None:
            wanted.append(("capture = ?", (self._captures.number_of(capture),)))
        if beyond is not None:
            place = "(file, offset) > ((SELECT number FROM file WHERE name = ?), ?)"
            wanted.append((place, (beyond.file, beyond.offset)))
        where = f" WHERE {' AND '.join(text for text, _ in wanted)}" if wanted else ""
        values = [value for _, each in wanted for value in each]
        return map(self._observation_from_row, self._database.query(f"{_SELECT}{where} ORDER BY file, offset", values))

    def with_fingerprints(self, capture: str | None = None) -> Iterator[tuple[Observation, PageFingerprint | None]]:
        """All observations, or those of one capture, each with the fingerprint of what was seen.

        There is none of what is no page, and none in a catalog of an earlier version of webkeep (see `fingerprints`).
        """
        if not self._database.has_table(FINGERPRINT_TABLE):
            yield from ((each, None) for each in self.all(capture))
            return
        where, values = ("", ()) if capture is None else ("WHERE o.capture = ?", (self._captures.number_of(capture),))
        last = len(_COLUMNS.split(","))
        for row in self._database.query(f"{_SELECT_WITH_FINGERPRINTS} {where} ORDER BY o.file, o.offset", values):
            yield self._observation_from_row(row[:last]), fingerprint_from_row(row[last:])

    def revisits(self) -> Iterator[Observation]:
        """Those that refer to a payload elsewhere."""
        return map(
            self._observation_from_row, self._database.query(f"{_SELECT} WHERE type = 'revisit' ORDER BY file, offset")
        )

    def count_without_payload(self) -> int:
        """How many refer to a payload that came with a head, and that is not here."""
        row = self._database.query_one(_COUNT_WITHOUT_PAYLOAD)
        return as_integer(row[0]) if row else 0

    def totals(self, capture: str | None = None) -> CaptureTotals:
        """What one capture, or the whole archive, adds up to."""
        where, values = ("", ()) if capture is None else ("WHERE capture = ?", (self._captures.number_of(capture),))
        sql = f"SELECT count(*), count(DISTINCT url), coalesce(sum(size), 0) FROM observation {where}"
        row = self._database.query_one(sql, values)
        return CaptureTotals(*map(as_integer, row)) if row else CaptureTotals(0, 0, 0)

    def last_capture_in(self, file: str) -> str:
        """The capture of the last observation in a file, "" where there is none."""
        row = self._database.query_one(
            "SELECT capture FROM observation WHERE file = (SELECT number FROM file WHERE name = ?) "
            "ORDER BY offset DESC LIMIT 1",
            (file,),
        )
        return self._captures.id_of(as_integer(row[0])) if row and row[0] is not None else ""

    def _observation_from_row(self, row: SqlRow) -> Observation:
        (offset, length, url, micros, kind, method, status, media, payload, content, size) = row[:11]
        (etag, last_modified, via, visit, asked_at, asked_length, capture, file) = row[11:]
        name = self._database.file_name(as_integer(file))
        payload_digest = Digest.parse(str(payload))
        return Observation(
            url=str(url),
            moment=Moment(as_integer(micros)),
            place=RecordPlace(name, as_integer(offset), as_integer(length)),
            record_type=str(kind),
            method=str(method),
            status=None if status is None else as_integer(status),
            media_type=str(media),
            payload_digest=payload_digest,
            content_digest=content_digest_of(None if content is None else str(content), payload_digest),
            size=as_integer(size),
            etag=str(etag),
            last_modified=str(last_modified),
            capture="" if capture is None else self._captures.id_of(as_integer(capture)),
            via=str(via),
            visit=VisitKind(str(visit)),
            request=None if asked_at is None else RecordPlace(name, as_integer(asked_at), as_integer(asked_length)),
        )
