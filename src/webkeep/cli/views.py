"""What `webkeep list` can show: each view makes rows for people, and facts for programs, out of an archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from webkeep.cli import measure
from webkeep.cli.facts import SHORT, capture_facts, observation_facts, told
from webkeep.cli.graves import Graveyard, stone_facts, stone_words
from webkeep.cli.table import Column
from webkeep.model import Capture, Fate, Moment, Observation
from webkeep.store.archive import Archive
from webkeep.store.entry import Entry
from webkeep.store.ledger import Tombstone
from webkeep.store.overview import warc_files
from webkeep.store.selecting import Selection


@dataclass(frozen=True, slots=True)
class Row:
    """One thing listed."""

    cells: tuple[str, ...]
    facts: dict[str, object]


@dataclass(frozen=True, slots=True)
class View:
    """One kind of list."""

    thing: str
    """What is listed, in the singular; the name of its events as well."""
    columns: tuple[Column, ...]
    rows: Callable[[Archive, Selection], Iterator[Row]]
    narrowed_by: frozenset[str] = frozenset()
    """The arguments that can narrow it."""
    remark: str = ""
    """What is said behind the number of things, where that would be misread."""


def _captures(archive: Archive, selection: Selection) -> Iterator[Row]:
    for capture in archive.captures():
        if _within(selection, capture):
            yield _capture_row(archive, capture)


def _within(selection: Selection, capture: Capture) -> bool:
    return (
        (not selection.capture or capture.id == selection.capture)
        and (selection.since is None or capture.started >= selection.since)
        and (selection.until is None or capture.started <= selection.until)
    )


def _capture_row(archive: Archive, capture: Capture) -> Row:
    totals = archive.catalog.observations.totals(capture.id)
    seeds = capture.seeds[0] if capture.seeds else ""
    cells = (
        capture.id[:SHORT],
        capture.kind,
        measure.date(capture.started),
        measure.date(capture.finished, "unfinished"),
        f"{totals.observations:,}",
        f"{totals.urls:,}",
        measure.size(totals.size),
        f"{seeds} and {len(capture.seeds) - 1:,} more" if len(capture.seeds) > 1 else seeds,
    )
    numbers = {"observations": totals.observations, "urls": totals.urls, "bytes": totals.size}
    return Row(cells, capture_facts(capture) | numbers)


def _observations(archive: Archive, selection: Selection) -> Iterator[Row]:
    return map(_observation_row, selection.observations(archive))


def _observation_row(observation: Observation) -> Row:
    digest = observation.payload_digest
    cells = (
        measure.date(observation.moment),
        "" if observation.status is None else str(observation.status),
        observation.media_type,
        "" if observation.is_dangling else measure.size(observation.size),
        digest.base32[:SHORT] if digest else "",
        observation.capture[:SHORT],
        _record_words(observation),
        observation.url if observation.method == "GET" else f"{observation.url} ({observation.method})",
    )
    return Row(cells, observation_facts(observation))


def _record_words(observation: Observation) -> str:
    """The type of the record; of a revisit also that its server sent nothing new, or that its original is missing."""
    if observation.is_dangling:
        return f"{observation.record_type} of what is not held"
    return f"{observation.record_type} (304)" if observation.not_modified else observation.record_type


def _urls(archive: Archive, selection: Selection) -> Iterator[Row]:
    """The index comes in the order of keys and time, so the few URLs of one key are together."""
    entries = archive.entries(selection.url, selection.match, selection.since, selection.until)
    wanted = (entry for entry in entries if selection.takes_url(entry.url)) if selection.shape else entries
    held = (entry for entry in wanted if _is_of(archive, selection.capture, entry))
    for key, group in groupby(held, lambda entry: entry.key):
        seen: dict[str, _Sights] = {}
        for entry in group:
            sights = seen.setdefault(entry.url, _Sights(entry.moment, entry.moment))
            sights.last, sights.count = entry.moment, sights.count + 1
        for url, sights in seen.items():
            cells = (f"{sights.count:,}", measure.date(sights.first), measure.date(sights.last), url)
            facts: dict[str, object] = {"url": url, "key": key, "observations": sights.count}
            yield Row(cells, {**facts, "first": sights.first.iso(), "last": sights.last.iso()})


@dataclass(slots=True)
class _Sights:
    first: Moment
    last: Moment
    count: int = 0


def _is_of(archive: Archive, capture: str, entry: Entry) -> bool:
    if entry.record_type == "metadata" or not capture:
        return entry.record_type != "metadata"
    observation = archive.catalog.observations.at(entry.place.file, entry.place.offset)
    return observation is not None and observation.capture == capture


def _files(archive: Archive, _selection: Selection) -> Iterator[Row]:
    for file in warc_files(archive):
        dates = measure.date(file.first), measure.date(file.last)
        facts: dict[str, object] = {"file": file.name, "bytes": file.size, "observations": file.observations}
        yield Row(
            (file.name, measure.size(file.size), f"{file.observations:,}", *dates),
            {**facts, "first": told(file.first), "last": told(file.last)},
        )


def _fates(archive: Archive, selection: Selection) -> Iterator[Row]:
    from webkeep.crawl.accounts import fates_of  # few lists need what is behind it

    # One capture after the other: they lie so in the catalog, and nothing has to be sorted.
    graveyard = Graveyard(archive)
    for capture in [selection.capture] if selection.capture else [each.id for each in archive.captures()]:
        for fate in fates_of(archive, capture):
            if selection.takes_url(fate.url):
                yield _fate_row(capture, fate, graveyard.stone_of(capture, fate))


def _fate_row(capture: str, fate: Fate, stone: Tombstone | None) -> Row:
    reason = "; ".join(filter(None, (stone_words(stone) if stone else "", fate.reason)))
    facts: dict[str, object] = {"url": fate.url, "outcome": fate.outcome.value, "reason": fate.reason, "via": fate.via}
    cells = (capture[:SHORT], REMOVED if stone else fate.outcome.value, reason, fate.url)
    return Row(cells, {**facts, "capture": capture, **stone_facts(stone)})


def _hosts(archive: Archive, selection: Selection) -> Iterator[Row]:
    from webkeep.crawl.accounts import treatment_of  # few lists need what is behind it

    for capture in archive.captures():
        if _within(selection, capture):
            for name, ledger in treatment_of(archive, capture):
                yield _host_row(capture, name, ledger)


def _host_row(capture: Capture, name: str, ledger: Mapping[str, Any]) -> Row:
    gap, delays = ledger["smallest_gap"], ledger["delays"]
    cells = (
        capture.id[:SHORT],
        name,
        f"{ledger['requests']:,}",
        f"{ledger['greatest_concurrency']:,}",
        "" if gap is None else f"{gap:.3f} s",
        f"{delays[-1][1]:.3g} s ({delays[-1][2]})" if delays else "",
        f"{sum(ledger['refusals'].values()):,}",
        f"{ledger['too_early']:,}",
    )
    return Row(cells, {"capture": capture.id, "host": name, **ledger})


def _tombstones(archive: Archive, selection: Selection) -> Iterator[Row]:
    for stone in archive.tombstones():
        too_early = selection.since is not None and stone.removed < selection.since
        too_late = selection.until is not None and stone.removed > selection.until
        if too_early or too_late or not selection.takes_url(stone.url):
            continue
        cells = (measure.date(stone.removed), measure.date(stone.moment), stone.reason, stone.url)
        facts: dict[str, object] = {"url": stone.url, "moment": stone.moment.iso(), "removed": stone.removed.iso()}
        yield Row(cells, {**facts, "reason": stone.reason, "record": stone.record, "payload_digest": stone.digest})


def _states(archive: Archive, selection: Selection) -> Iterator[Row]:
    from webkeep.cli.state_lists import state_cells, state_facts  # few lists need what is behind it
    from webkeep.store.states import selected_states

    for _, note in selected_states(archive, selection):
        yield Row(state_cells(note), state_facts(note))


def _findings(archive: Archive, _selection: Selection) -> Iterator[Row]:
    for finding in archive.catalog.ledger.findings():
        facts: dict[str, object] = {"code": finding.code, "source": finding.source, "offset": finding.offset}
        cells = (finding.source, f"{finding.offset}", finding.code, finding.message)
        yield Row(cells, {**facts, "message": finding.message})


REMOVED = "removed"
"""What is listed in place of the outcome of what was taken down since."""


def outcome_of(fate: Row) -> str:
    """The outcome that is listed of a fate."""
    return fate.cells[1]


_SEEN = (Column("first (UTC)"), Column("last"))

VIEWS = {
    "captures": View(
        "capture",
        (
            Column("capture"),
            Column("kind"),
            Column("started (UTC)"),
            Column("finished"),
            Column("observations", right=True),
            Column("URLs", right=True),
            Column("payload", right=True),
            Column("seeds"),
        ),
        _captures,
        frozenset({"capture", "since", "until"}),
    ),
    "observations": View(
        "observation",
        (
            Column("moment (UTC)"),
            Column("status", right=True),
            Column("type"),
            Column("size", right=True),
            Column("digest"),
            Column("capture"),
            Column("record"),
            Column("URL"),
        ),
        _observations,
        frozenset({"url", "capture", "since", "until"}),
    ),
    "urls": View(
        "URL",
        (Column("observations", right=True), *_SEEN, Column("URL")),
        _urls,
        frozenset({"url", "capture", "since", "until"}),
    ),
    "files": View(
        "file",
        (Column("file"), Column("size", right=True), Column("observations", right=True), *_SEEN),
        _files,
    ),
    "fates": View(
        "fate",
        (Column("capture"), Column("outcome"), Column("reason"), Column("URL")),
        _fates,
        frozenset({"url", "capture"}),
    ),
    "hosts": View(
        "host",
        (
            Column("capture"),
            Column("host"),
            Column("requests", right=True),
            Column("at once", right=True),
            Column("smallest gap", right=True),
            Column("delay, and why"),
            Column("refused by robots.txt", right=True),
            Column("sent too early", right=True),
        ),
        _hosts,
        frozenset({"capture", "since", "until"}),
        ", each once for every capture",
    ),
    "tombstones": View(
        "tombstone",
        (Column("removed (UTC)"), Column("was seen"), Column("reason"), Column("URL")),
        _tombstones,
        frozenset({"url", "since", "until"}),
    ),
    "states": View(
        "state",
        (
            Column("moment (UTC)"),
            Column("capture"),
            Column("level", right=True),
            Column("state", right=True),
            Column("resources", right=True),
            Column("moves", right=True),
            Column("after"),
            Column("page"),
        ),
        _states,
        frozenset({"url", "capture", "since", "until"}),
    ),
    "findings": View(
        "finding",
        (Column("file"), Column("byte", right=True), Column("code"), Column("what is wrong")),
        _findings,
    ),
}
"""Every view by the name of its option."""
