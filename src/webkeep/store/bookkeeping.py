"""What an archive notes about itself inside its WARC files: captures, their ends, fates and tombstones.

A capture is described by a warcinfo record whose identifier is the capture's own; each further file of the capture
begins with a description of the same capture. Its end, the fates of its URLs and takedowns are metadata records.
Together with the responses they are all that a rebuild needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from webkeep.errors import UsageError
from webkeep.formats.field_text import field_text
from webkeep.formats.json_value import read_json
from webkeep.formats.warc_reader import parse_named_fields
from webkeep.model import Capture, Fate, Headers, Moment, Outcome
from webkeep.store.catalog import Catalog
from webkeep.store.ledger import Tombstone
from webkeep.version import __version__

_CAPTURE, _KIND, _STARTED, _SEED, _FACT = "isPartOf", "webkeep-kind", "webkeep-started", "webkeep-seed", "webkeep-fact"
_END = "application/vnd.webkeep.capture-end+json"
_FATES = "application/vnd.webkeep.fates+json"
_TOMBSTONES = "application/vnd.webkeep.tombstones+json"
_OURS = frozenset({_END, _FATES, _TOMBSTONES})
_URN = "urn:uuid:"
_NAMES = "urn:webkeep:"


@dataclass(frozen=True, slots=True)
class News:
    """What one bookkeeping record says; applied to the catalog when it is written and when it is read again."""

    capture: Capture | None = None
    ended: str = ""
    """The capture that ended, at `moment`."""
    moment: Moment | None = None
    facts: dict[str, str] = field(default_factory=dict)
    fates_of: str = ""
    fates: tuple[Fate, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()

    def tell(self, catalog: Catalog, file: str) -> None:
        """Put it into the catalog, inside a transaction."""
        if self.capture is not None:
            catalog.captures.add(self.capture)
        if self.ended and self.moment is not None:
            catalog.captures.finish(self.ended, self.moment, self.facts)
        if self.fates:
            catalog.ledger.add_fates(self.fates_of, self.fates, file)
        if self.tombstones:
            catalog.ledger.add_tombstones(self.tombstones, file)


@dataclass(frozen=True, slots=True)
class Note:
    """A bookkeeping record to be written."""

    urn: str
    content_type: str
    block: bytes
    news: News


def end_urn(capture_id: str) -> str:
    """The name of what says that a capture ended."""
    return f"{_NAMES}capture:{capture_id}"


def fates_urn(capture_id: str) -> str:
    """The name of what says what became of a capture's URLs."""
    return f"{_NAMES}fates:{capture_id}"


def note_urns(capture_id: str) -> list[str]:
    """The names of what is kept about a capture beside its records: what it was to be, and what it is worth."""
    return [f"{_NAMES}{kind}:{capture_id}" for kind in ("intent", "certificate")]


def is_bookkeeping(url: str) -> bool:
    """Whether this names a bookkeeping record of ours."""
    return url.startswith(_NAMES)


def capture_block(capture: Capture, file: str) -> bytes:
    """The block of a warcinfo record that describes a capture."""
    fields = [
        ("software", f"webkeep/{__version__}"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        *([("filename", file)] if file else []),
        (_CAPTURE, _URN + capture.id),
        (_KIND, capture.kind),
        (_STARTED, capture.started.iso()),
        *((_SEED, seed) for seed in capture.seeds),
        *((_FACT, json.dumps([name, value])) for name, value in capture.facts.items()),
    ]
    return "".join(f"{name}: {field_text(value)}\r\n" for name, value in fields).encode()


def capture_in(block: bytes) -> Capture | None:
    """The capture that a warcinfo record describes; None when webkeep did not write it."""
    _, named = parse_named_fields(b"\r\n" + block)
    if not named.get("software").startswith("webkeep/") or not named.get(_CAPTURE).startswith(_URN):
        return None
    try:
        started = Moment.parse(named.get(_STARTED))
    except UsageError:
        return None
    identifier = named.get(_CAPTURE).removeprefix(_URN)
    return Capture(identifier, named.get(_KIND), started, None, tuple(named.all(_SEED)), dict(_facts_in(named)))


def end_note(capture_id: str, moment: Moment, facts: dict[str, str]) -> Note:
    """Says that a capture ended."""
    return _note(end_urn(capture_id), _END, {"capture": capture_id, "finished": moment.iso(), "facts": facts})


def fates_note(capture_id: str, fates: Sequence[Fate]) -> Note:
    """Says what became of URLs."""
    rows = [[fate.url, str(fate.outcome), fate.reason, fate.via] for fate in fates]
    return _note(fates_urn(capture_id), _FATES, {"capture": capture_id, "fates": rows})


def tombstones_note(tombstones: Sequence[Tombstone]) -> Note:
    """Says what was taken down."""
    rows = [[t.record, t.url, t.moment.iso(), t.digest, t.removed.iso(), t.reason] for t in tombstones]
    return _note(f"{_NAMES}tombstones", _TOMBSTONES, {"tombstones": rows})


def is_news(content_type: str) -> bool:
    """Whether a metadata record of this type is bookkeeping of ours."""
    return content_type in _OURS


def news_in(content_type: str, block: bytes) -> News | None:
    """What a bookkeeping record says; None when its block is damaged."""
    try:
        values = read_json(block)
        if content_type == _END:
            facts = {str(name): str(value) for name, value in values["facts"].items()}
            return News(ended=str(values["capture"]), moment=Moment.parse(values["finished"]), facts=facts)
        if content_type == _FATES:
            fates = tuple(
                Fate(str(url), Outcome(outcome), str(reason), str(via)) for url, outcome, reason, via in values["fates"]
            )
            return News(fates_of=str(values["capture"]), fates=fates)
        tombstones = tuple(
            Tombstone(str(record), str(url), Moment.parse(moment), str(digest), Moment.parse(removed), str(reason))
            for record, url, moment, digest, removed, reason in values["tombstones"]
        )
        return News(tombstones=tombstones)
    except (ValueError, KeyError, TypeError, AttributeError, UsageError):
        return None


def _facts_in(named: Headers) -> Iterator[tuple[str, str]]:
    for text in named.all(_FACT):
        match read_json(text):
            case [name, value]:
                yield str(name), str(value)
            case _:
                pass  # damaged, or not ours


def _note(urn: str, content_type: str, values: object) -> Note:
    """A note whose news is what will be read of it, whatever characters it was made of."""
    block = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Note(urn, content_type, block, news_in(content_type, block) or News())
