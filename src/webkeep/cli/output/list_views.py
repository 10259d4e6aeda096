"""What `webkeep list` can show: each view's columns for people, its JSON keys for programs, and the arguments that can
narrow it; from captures, URLs and fates to hosts and tombstones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from webkeep.cli.output.json_facts import SHORT_ID_CHARS, capture_facts, moment_fact, observation_facts
from webkeep.cli.output.table import PrintedColumn, build_columns
from webkeep.cli.output.takedowns import TakedownLookup, describe_tombstone, tombstone_facts
from webkeep.model import Capture, Fate, Moment, Observation, RecordType
from webkeep.presentation import format_duration, format_moment, format_size
from webkeep.store.archive import Archive, Selection
from webkeep.store.index import IndexEntry, Tombstone
from webkeep.store.views import read_file_overviews


@dataclass(frozen=True, slots=True)
class ListedRow:
    """One thing listed."""

    cells: tuple[str, ...]
    facts: dict[str, object]


@dataclass(frozen=True, slots=True)
class ListView:
    """One kind of list."""

    thing: str
    """What is listed, in the singular; the name of its events as well."""
    columns: tuple[PrintedColumn, ...]
    rows: Callable[[Archive, Selection], Iterator[ListedRow]]
    narrowed_by: frozenset[str] = frozenset()
    """The arguments that can narrow it."""
    remark: str = ""
    """What is said behind the number of things, where that would be misread."""


def _capture_rows(archive: Archive, selection: Selection) -> Iterator[ListedRow]:
    for capture in archive.captures():
        if _is_within_selection(selection, capture):
            yield _capture_row(archive, capture)


def _is_within_selection(selection: Selection, capture: Capture) -> bool:
    return (
        (not selection.capture or capture.id == selection.capture)
        and (selection.since is None or capture.started >= selection.since)
        and (selection.until is None or capture.started <= selection.until)
    )


def _capture_row(archive: Archive, capture: Capture) -> ListedRow:
    totals = archive.catalog.observations.totals(capture.id)
    seeds = capture.seeds[0] if capture.seeds else ""
    cells = (
        capture.id[:SHORT_ID_CHARS],
        capture.kind,
        format_moment(capture.started),
        format_moment(capture.finished, "unfinished"),
        f"{totals.observations:,}",
        f"{totals.urls:,}",
        format_size(totals.size),
        f"{seeds} and {len(capture.seeds) - 1:,} more" if len(capture.seeds) > 1 else seeds,
    )
    numbers = {"observations": totals.observations, "urls": totals.urls, "bytes": totals.size}
    return ListedRow(cells, capture_facts(capture) | numbers)


def _observation_rows(archive: Archive, selection: Selection) -> Iterator[ListedRow]:
    return map(_observation_row, selection.observations(archive))


def _observation_row(observation: Observation) -> ListedRow:
    digest = observation.payload_digest
    cells = (
        format_moment(observation.moment),
        "" if observation.status is None else str(observation.status),
        observation.media_type,
        "" if observation.is_dangling else format_size(observation.size),
        digest.base32[:SHORT_ID_CHARS] if digest else "",
        observation.capture[:SHORT_ID_CHARS],
        _record_words(observation),
        observation.url if observation.method == "GET" else f"{observation.url} ({observation.method})",
    )
    return ListedRow(cells, observation_facts(observation))


def _record_words(observation: Observation) -> str:
    """The type of the record; of a revisit also that its server sent nothing new, or that its original is missing."""
    if observation.is_dangling:
        return f"{observation.record_type} of what is not held"
    return f"{observation.record_type} (304)" if observation.not_modified else observation.record_type


def _url_rows(archive: Archive, selection: Selection) -> Iterator[ListedRow]:
    """The index comes in the order of keys and time, so the few URLs of one key are together."""
    entries = archive.entries(selection.url, selection.match, selection.since, selection.until)
    wanted = (entry for entry in entries if selection.includes_url(entry.url)) if selection.pattern else entries
    held = (entry for entry in wanted if _is_in_capture(archive, selection.capture, entry))
    for key, group in groupby(held, lambda entry: entry.key):
        seen: dict[str, _UrlObservations] = {}
        for entry in group:
            observed = seen.setdefault(entry.url, _UrlObservations(entry.moment, entry.moment))
            observed.last, observed.count = entry.moment, observed.count + 1
        for url, observed in seen.items():
            cells = (f"{observed.count:,}", format_moment(observed.first), format_moment(observed.last), url)
            facts: dict[str, object] = {"url": url, "key": key, "observations": observed.count}
            yield ListedRow(cells, {**facts, "first": observed.first.iso(), "last": observed.last.iso()})


@dataclass(slots=True)
class _UrlObservations:
    first: Moment
    last: Moment
    count: int = 0


def _is_in_capture(archive: Archive, capture: str, entry: IndexEntry) -> bool:
    if entry.record_type == RecordType.METADATA or not capture:
        return entry.record_type != RecordType.METADATA
    observation = archive.catalog.observations.find_at(entry.place.file, entry.place.offset)
    return observation is not None and observation.capture == capture


def _file_rows(archive: Archive, _selection: Selection) -> Iterator[ListedRow]:
    for file in read_file_overviews(archive):
        dates = format_moment(file.first), format_moment(file.last)
        facts: dict[str, object] = {"file": file.name, "bytes": file.size, "observations": file.observations}
        yield ListedRow(
            (file.name, format_size(file.size), f"{file.observations:,}", *dates),
            {**facts, "first": moment_fact(file.first), "last": moment_fact(file.last)},
        )


def _fate_rows(archive: Archive, selection: Selection) -> Iterator[ListedRow]:
    from webkeep.api import read_fates

    # One capture after the other: they lie so in the catalog, and nothing has to be sorted.
    takedowns = TakedownLookup(archive)
    for capture in [archive.capture(selection.capture)] if selection.capture else list(archive.captures()):
        for fate in read_fates(archive, capture):
            if selection.includes_url(fate.url):
                yield _fate_row(capture.id, fate, takedowns.find_tombstone(capture.id, fate))


def _fate_row(capture: str, fate: Fate, stone: Tombstone | None) -> ListedRow:
    reason = "; ".join(filter(None, (describe_tombstone(stone) if stone else "", fate.reason)))
    facts: dict[str, object] = {"url": fate.url, "outcome": fate.outcome.value, "reason": fate.reason, "via": fate.via}
    cells = (capture[:SHORT_ID_CHARS], REMOVED if stone else fate.outcome.value, reason, fate.url)
    return ListedRow(cells, {**facts, "capture": capture, **tombstone_facts(stone)})


def _host_rows(archive: Archive, selection: Selection) -> Iterator[ListedRow]:
    from webkeep.crawl.run import host_ledgers_of

    for capture in archive.captures():
        if _is_within_selection(selection, capture):
            for name, ledger in host_ledgers_of(archive, capture):
                yield _host_row(capture, name, ledger)


def _host_row(capture: Capture, name: str, ledger: Mapping[str, Any]) -> ListedRow:
    gap, delays = ledger["smallest_gap"], ledger["delays"]
    cells = (
        capture.id[:SHORT_ID_CHARS],
        name,
        f"{ledger['requests']:,}",
        f"{ledger['greatest_concurrency']:,}",
        "" if gap is None else format_duration(gap),
        f"{format_duration(delays[-1][1])} ({delays[-1][2]})" if delays else "",
        f"{sum(ledger['refusals'].values()):,}",
        f"{ledger['too_early']:,}",
    )
    return ListedRow(cells, {"capture": capture.id, "host": name, **ledger})


def _tombstone_rows(archive: Archive, selection: Selection) -> Iterator[ListedRow]:
    for stone in archive.tombstones():
        too_early = selection.since is not None and stone.removed < selection.since
        too_late = selection.until is not None and stone.removed > selection.until
        if too_early or too_late or not selection.includes_url(stone.url):
            continue
        cells = (format_moment(stone.removed), format_moment(stone.moment), stone.reason, stone.url)
        facts: dict[str, object] = {"url": stone.url, "moment": stone.moment.iso(), "removed": stone.removed.iso()}
        yield ListedRow(
            cells, {**facts, "reason": stone.reason, "record": stone.record, "payload_digest": stone.digest}
        )


def _state_rows(archive: Archive, selection: Selection) -> Iterator[ListedRow]:
    from webkeep.cli.output.state_rows import state_cells, state_facts  # few lists need what is behind it
    from webkeep.store.views import select_states

    for _, note in select_states(archive, selection):
        yield ListedRow(state_cells(note), state_facts(note))


def _finding_rows(archive: Archive, _selection: Selection) -> Iterator[ListedRow]:
    for finding in archive.catalog.log.findings():
        facts: dict[str, object] = {"code": finding.code, "source": finding.source, "offset": finding.offset}
        cells = (finding.source, f"{finding.offset}", finding.code, finding.message)
        yield ListedRow(cells, {**facts, "message": finding.message})


REMOVED = "removed"
"""What is listed in place of the outcome of what was taken down since."""


def listed_outcome(fate: ListedRow) -> str:
    """The outcome that is listed of a fate."""
    return fate.cells[1]


_SEEN_COLUMNS = build_columns("first (UTC)", "last")

VIEWS = {
    "captures": ListView(
        "capture",
        build_columns("capture", "kind", "started (UTC)", "finished", "observations>", "URLs>", "payload>", "seeds"),
        _capture_rows,
        frozenset({"capture", "since", "until"}),
    ),
    "observations": ListView(
        "observation",
        build_columns("moment (UTC)", "status>", "type", "size>", "digest", "capture", "record", "URL"),
        _observation_rows,
        frozenset({"url", "capture", "since", "until"}),
    ),
    "urls": ListView(
        "URL",
        (PrintedColumn("observations", right=True), *_SEEN_COLUMNS, PrintedColumn("URL")),
        _url_rows,
        frozenset({"url", "capture", "since", "until"}),
    ),
    "files": ListView(
        "file",
        (
            *build_columns("file", "size>", "observations>"),
            *_SEEN_COLUMNS,
        ),
        _file_rows,
    ),
    "fates": ListView(
        "fate",
        build_columns("capture", "outcome", "reason", "URL"),
        _fate_rows,
        frozenset({"url", "capture"}),
    ),
    "hosts": ListView(
        "host",
        build_columns(
            "capture",
            "host",
            "requests>",
            "at once>",
            "smallest gap>",
            "delay, and why",
            "refused by robots.txt>",
            "sent too early>",
        ),
        _host_rows,
        frozenset({"capture", "since", "until"}),
        ", each once for every capture",
    ),
    "tombstones": ListView(
        "tombstone",
        build_columns("removed (UTC)", "was seen", "reason", "URL"),
        _tombstone_rows,
        frozenset({"url", "since", "until"}),
    ),
    "states": ListView(
        "state",
        build_columns("moment (UTC)", "capture", "level>", "state>", "resources>", "moves>", "after", "page"),
        _state_rows,
        frozenset({"url", "capture", "since", "until"}),
    ),
    "findings": ListView(
        "finding",
        build_columns("file", "byte>", "code", "what is wrong"),
        _finding_rows,
    ),
}
"""Every view by the name of its option."""
