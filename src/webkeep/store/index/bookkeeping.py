"""What an archive notes about itself inside its WARC files, and how that is read back: captures as warcinfo records,
their ends, fates and tombstones as metadata records.

A capture is described by a warcinfo record whose identifier is the capture's own; each further file of the capture
begins with a description of the same capture. Its end, the fates of its URLs and takedowns are metadata records.
Together with the responses they are all that a rebuild needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.formats.warc import clean_field, parse_named_fields
from webkeep.model import Capture, Fate, Headers, Moment, UrlOutcome
from webkeep.store.index.archive_log import Tombstone
from webkeep.store.index.catalog import Catalog
from webkeep.version import __version__

_CAPTURE_FIELD, _KIND_FIELD, _STARTED_FIELD, _SEED_FIELD, _FACT_FIELD = (
    "isPartOf",
    "webkeep-kind",
    "webkeep-started",
    "webkeep-seed",
    "webkeep-fact",
)
_END_TYPE = "application/vnd.webkeep.capture-end+json"
_FATES_TYPE = "application/vnd.webkeep.fates+json"
_TOMBSTONES_TYPE = "application/vnd.webkeep.tombstones+json"
_BOOKKEEPING_TYPES = frozenset({_END_TYPE, _FATES_TYPE, _TOMBSTONES_TYPE})
_UUID_URN = "urn:uuid:"
_URN_PREFIX = "urn:webkeep:"


@dataclass(frozen=True, slots=True)
class CatalogUpdate:
    """What one bookkeeping record says; applied to the catalog when it is written and when it is read again."""

    capture: Capture | None = None
    ended_capture: str = ""
    """The capture that ended, at `moment`."""
    moment: Moment | None = None
    facts: dict[str, str] = field(default_factory=dict)
    fates_of: str = ""
    fates: tuple[Fate, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()

    def apply_to(self, catalog: Catalog, file: str) -> None:
        """Put it into the catalog, inside a transaction."""
        if self.capture is not None:
            catalog.captures.add(self.capture)
        if self.ended_capture and self.moment is not None:
            catalog.captures.finish(self.ended_capture, self.moment, self.facts)
        if self.fates:
            catalog.log.add_fates(self.fates_of, self.fates, file)
        if self.tombstones:
            catalog.log.add_tombstones(self.tombstones, file)


@dataclass(frozen=True, slots=True)
class BookkeepingRecord:
    """A bookkeeping record to be written."""

    urn: str
    content_type: str
    block: bytes
    update: CatalogUpdate


def capture_end_urn(capture_id: str) -> str:
    """The name of what says that a capture ended."""
    return f"{_URN_PREFIX}capture:{capture_id}"


def fates_urn(capture_id: str) -> str:
    """The name of what says what became of a capture's URLs."""
    return f"{_URN_PREFIX}fates:{capture_id}"


def capture_metadata_urns(capture_id: str) -> list[str]:
    """The names of what is kept about a capture beside its records: what it was to be, and what it is worth."""
    return [f"{_URN_PREFIX}{kind}:{capture_id}" for kind in ("intent", "certificate")]


def is_bookkeeping_urn(url: str) -> bool:
    """Whether this names a bookkeeping record of ours."""
    return url.startswith(_URN_PREFIX)


def build_warcinfo(capture: Capture, file: str) -> bytes:
    """The block of a warcinfo record that describes a capture."""
    fields = [
        ("software", f"webkeep/{__version__}"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        *([("filename", file)] if file else []),
        (_CAPTURE_FIELD, _UUID_URN + capture.id),
        (_KIND_FIELD, capture.kind),
        (_STARTED_FIELD, capture.started.iso()),
        *((_SEED_FIELD, seed) for seed in capture.seeds),
        *((_FACT_FIELD, json.dumps([name, value])) for name, value in capture.facts.items()),
    ]
    return "".join(f"{name}: {clean_field(value)}\r\n" for name, value in fields).encode()


def parse_warcinfo(block: bytes) -> Capture | None:
    """The capture that a warcinfo record describes; None when webkeep did not write it."""
    _, named = parse_named_fields(b"\r\n" + block)
    if not named.get("software").startswith("webkeep/") or not named.get(_CAPTURE_FIELD).startswith(_UUID_URN):
        return None
    try:
        started = Moment.parse(named.get(_STARTED_FIELD))
    except UsageError:
        return None
    identifier = named.get(_CAPTURE_FIELD).removeprefix(_UUID_URN)
    return Capture(
        identifier, named.get(_KIND_FIELD), started, None, tuple(named.all(_SEED_FIELD)), dict(_parse_facts(named))
    )


def capture_end_record(capture_id: str, moment: Moment, facts: dict[str, str]) -> BookkeepingRecord:
    """Says that a capture ended."""
    return _build_record(
        capture_end_urn(capture_id), _END_TYPE, {"capture": capture_id, "finished": moment.iso(), "facts": facts}
    )


def fates_record(capture_id: str, fates: Sequence[Fate]) -> BookkeepingRecord:
    """Says what became of URLs."""
    rows = [[fate.url, str(fate.outcome), fate.reason, fate.via] for fate in fates]
    return _build_record(fates_urn(capture_id), _FATES_TYPE, {"capture": capture_id, "fates": rows})


def tombstones_record(tombstones: Sequence[Tombstone]) -> BookkeepingRecord:
    """Says what was taken down."""
    rows = [[t.record, t.url, t.moment.iso(), t.digest, t.removed.iso(), t.reason] for t in tombstones]
    return _build_record(f"{_URN_PREFIX}tombstones", _TOMBSTONES_TYPE, {"tombstones": rows})


def is_bookkeeping_type(content_type: str) -> bool:
    """Whether a metadata record of this type is bookkeeping of ours."""
    return content_type in _BOOKKEEPING_TYPES


def parse_update(content_type: str, block: bytes) -> CatalogUpdate | None:
    """What a bookkeeping record says; None when its block is damaged."""
    try:
        values = read_json(block)
        if content_type == _END_TYPE:
            facts = {str(name): str(value) for name, value in values["facts"].items()}
            return CatalogUpdate(
                ended_capture=str(values["capture"]), moment=Moment.parse(values["finished"]), facts=facts
            )
        if content_type == _FATES_TYPE:
            fates = tuple(
                Fate(str(url), UrlOutcome(outcome), str(reason), str(via))
                for url, outcome, reason, via in values["fates"]
            )
            return CatalogUpdate(fates_of=str(values["capture"]), fates=fates)
        tombstones = tuple(
            Tombstone(str(record), str(url), Moment.parse(moment), str(digest), Moment.parse(removed), str(reason))
            for record, url, moment, digest, removed, reason in values["tombstones"]
        )
        return CatalogUpdate(tombstones=tombstones)
    except (ValueError, KeyError, TypeError, AttributeError, UsageError):
        return None


def _parse_facts(named: Headers) -> Iterator[tuple[str, str]]:
    for text in named.all(_FACT_FIELD):
        match read_json(text):
            case [name, value]:
                yield str(name), str(value)
            case _:
                pass  # damaged, or not ours


def _build_record(urn: str, content_type: str, values: object) -> BookkeepingRecord:
    """A record whose update is what will be read of it, whatever characters it was made of."""
    block = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return BookkeepingRecord(urn, content_type, block, parse_update(content_type, block) or CatalogUpdate())
