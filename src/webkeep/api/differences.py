"""`diff`: what changed on a site between two captures or two moments; which are compared where none is named, how they
are read, and how many URLs are left out because they were taken down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from webkeep.api.archive_opening import open_archive
from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, read_path, read_path_or_none
from webkeep.api.target_file import open_target_file
from webkeep.api.work_listener import CallbackListener, NoteCallback, ProgressCallback, WorkListener, WorkWatch
from webkeep.api.work_summary import IF_GIVEN, LEFT_OUT, SHORT_ID_CHARS, WorkSummary, name_in_json
from webkeep.errors import UsageError
from webkeep.model import Capture, CaptureKind, Moment, MomentLike, parse_moment, parse_period_end, read_moment
from webkeep.presentation import format_count, format_moment
from webkeep.quality.diff import (
    ChangeKind,
    PageChange,
    SiteSnapshot,
    SiteState,
    compare_states,
    render_diff_page,
    snapshot_at,
    snapshot_of_capture,
    state_at,
    state_in_captures,
)
from webkeep.store.archive import Archive
from webkeep.store.index import Tombstone
from webkeep.store.views import find_tombstones
from webkeep.url import normalize_url, parse_seed
from webkeep.url.canonical import LASTING_IDENTITY

_COMPARED_KINDS = frozenset({CaptureKind.CAPTURE, CaptureKind.IMPORT, CaptureKind.RECORD, CaptureKind.RECOVER})

_ReadMoment = Callable[[str, Moment], Moment]
_SAME_KINDS = frozenset({ChangeKind.UNCHANGED, ChangeKind.INSIGNIFICANT})
"""Kinds of changes that do not matter to a reader."""

ChangeCallback: TypeAlias = Callable[[PageChange], object]
ArchiveChangeCallback: TypeAlias = Callable[[Archive, PageChange], object]


@dataclass(frozen=True, slots=True)
class DiffSummary(WorkSummary):
    """What changed between two states of a site."""

    archive: Path
    before: str = field(metadata=name_in_json("from"))
    """What was compared, in words; and so on for what it was compared with."""
    after: str = field(metadata=name_in_json("to"))
    changes: Mapping[ChangeKind, int]
    """How many URLs there are of each kind."""
    taken_down: int
    """URLs that are left out, because they were taken down."""
    html: Path | None = field(default=None, metadata=IF_GIVEN)
    pages: tuple[PageChange, ...] = field(default=(), metadata=LEFT_OUT)
    """What became of every URL that is not the same as it was."""
    tombstones: tuple[Tombstone, ...] = field(default=(), metadata=LEFT_OUT)
    """Where one URL is asked for: what was taken down of it."""

    @property
    def is_same(self) -> bool:
        """Whether nothing changed that matters."""
        return not any(count for kind, count in self.changes.items() if kind not in _SAME_KINDS)


@dataclass(frozen=True, slots=True)
class DiffRequest:
    """What is to be compared."""

    archive: Path
    url: str | None = None
    before: MomentLike | None = None
    """A moment, or the start of a capture's identifier; the last capture but one where nothing is said."""
    after: MomentLike | None = None
    html: Path | None = None


@check_arguments
def diff(
    archive: StrPath,
    url: str | None = None,
    *,
    before: MomentLike | None = None,
    after: MomentLike | None = None,
    html: StrPath | None = None,
    on_change: ChangeCallback | None = None,
    on_progress: ProgressCallback | None = None,
    on_note: NoteCallback | None = None,
) -> DiffSummary:
    """Show what changed on a site, or at one URL, between two captures or moments: by default, the last two captures.

    `before` and `after` are moments, or the starts of captures' identifiers. `html` writes it as a page.
    """
    request = DiffRequest(read_path(archive), url, before, after, read_path_or_none(html))
    tell = on_change or (lambda _: None)
    return run_diff(request, CallbackListener(on_progress, on_note), lambda _, change: tell(change))


def run_diff(request: DiffRequest, listener: WorkListener, on_change: ArchiveChangeCallback) -> DiffSummary:
    """Compare two states, and tell of every change while its archive is open."""
    changed: list[PageChange] = []
    counts: Counter[ChangeKind] = Counter()
    with open_archive(request.archive, listener) as archive:
        (before, state), (after, later) = _read_sides(archive, request)
        with WorkWatch(listener, "comparing", lambda: {"urls": counts.total()}) as watch:

            def tell_changes() -> Iterator[PageChange]:
                for change in _filter_by_url(compare_states(archive, state, later), request.url):
                    counts[change.kind] += 1
                    if change.kind is not ChangeKind.UNCHANGED:
                        changed.append(change)
                    watch.tick()
                    on_change(archive, change)
                    yield change

            _write_page(archive, f"{request.archive}: {before} and {after}", tell_changes(), request.html)
        stones = [] if request.url is None else find_tombstones(archive, url_spellings(request.url.strip()))
        left_out = _count_takedowns(archive, state.state, later) if request.url is None else len(stones)
    if request.url is not None and not counts and not stones:
        raise UsageError(
            f"{request.url} was there neither at {before} nor at {after}; webkeep list shows when it was seen"
        )
    return DiffSummary(
        request.archive,
        before,
        after,
        {kind: counts[kind] for kind in ChangeKind},
        left_out,
        request.html,
        tuple(changed),
        tuple(stones),
    )


def count_update_changes(
    archive: Archive, before: Capture, after: str, on_change: ArchiveChangeCallback
) -> tuple[dict[ChangeKind, int], tuple[PageChange, ...]]:
    """What an update changed: how many URLs of each kind there are, and those that are not the same."""
    counts: Counter[ChangeKind] = Counter()
    changed = []
    for change in compare_states(archive, snapshot_of_capture(archive, before), state_in_captures(archive, after)):
        counts[change.kind] += 1
        if change.kind is not ChangeKind.UNCHANGED:
            changed.append(change)
        on_change(archive, change)
    return {kind: counts[kind] for kind in ChangeKind}, tuple(changed)


def url_spellings(url: str) -> list[str]:
    """A URL as a person wrote it and as browsers spell it, `http://` left out or not."""
    return list(dict.fromkeys([url, *filter(None, (normalize_url(url), normalize_url(f"http://{url}")))]))


def _write_page(archive: Archive, title: str, changes: Iterator[PageChange], html: Path | None) -> None:
    """Go through all changes, and write them as a page where that is wanted."""
    if html is None:
        for _ in changes:
            pass
        return
    with open_target_file(html) as file:
        file.writelines(render_diff_page(archive, title, changes))


def _count_takedowns(archive: Archive, before: SiteState, after: SiteState) -> int:
    """How many URLs are in neither state because they were taken down."""
    gone = {LASTING_IDENTITY(stone.url) for stone in archive.tombstones() if not stone.url.startswith("urn:")}
    return sum(identity not in before and identity not in after for identity in gone)


def _filter_by_url(changes: Iterator[PageChange], url: str | None) -> Iterator[PageChange]:
    if url is None:
        return changes
    wanted = LASTING_IDENTITY(parse_seed(url))
    return (each for each in changes if wanted in (LASTING_IDENTITY(each.url), LASTING_IDENTITY(each.target)))


def _read_sides(archive: Archive, request: DiffRequest) -> tuple[tuple[str, SiteSnapshot], tuple[str, SiteState]]:
    """The two states to be compared, with what to call them.

    The first is what was known of each page by then; the second what was seen in the end.
    """
    captures = [each for each in archive.captures() if each.kind in _COMPARED_KINDS]
    if request.before is None and request.after is None and len(captures) < 2:
        raise UsageError(
            f"{archive.path} has {format_count(len(captures), 'capture')}; compare moments by --from and --to"
        )
    after = _read_side(archive, request.after, captures[-1] if captures else None, parse_period_end)
    before = _read_side(archive, request.before, captures[-2] if len(captures) > 1 else None, parse_moment)
    return _read_before(archive, before), _read_after(archive, after)


def _read_side(
    archive: Archive, given: MomentLike | None, usual: Capture | None, read: _ReadMoment
) -> Capture | Moment:
    if given is None:
        if usual is None:
            raise UsageError("say what to compare by --from and --to: captures or moments")
        return usual
    if isinstance(given, str):
        found = [each for each in archive.captures() if each.id.startswith(given.lower())]
        return found[0] if len(found) == 1 else _parse_moment(archive, given, read)
    moment = read_moment(given, archive.clock.now())
    assert moment is not None
    return moment


def _read_before(archive: Archive, side: Capture | Moment) -> tuple[str, SiteSnapshot]:
    if isinstance(side, Capture):
        return _capture_name(side), snapshot_of_capture(archive, side)
    look = snapshot_at(archive, side)
    _check_state(archive, side, look.state)
    return format_moment(side), look


def _read_after(archive: Archive, side: Capture | Moment) -> tuple[str, SiteState]:
    if isinstance(side, Capture):
        return _capture_name(side), state_in_captures(archive, side.id)
    state = state_at(archive, side)
    _check_state(archive, side, state)
    return format_moment(side), state


def _check_state(archive: Archive, moment: Moment, state: SiteState) -> None:
    if not state:
        raise UsageError(
            f"nothing had been seen by {format_moment(moment)}; webkeep list {archive.path} shows when it was"
        )


def _parse_moment(archive: Archive, text: str, read: _ReadMoment) -> Moment:
    try:
        return read(text, archive.clock.now())
    except UsageError as error:
        raise UsageError(
            f"{text!r} is neither a moment nor the start of one capture's id; webkeep list {archive.path} shows them"
        ) from error


def _capture_name(capture: Capture) -> str:
    return f"capture {capture.id[:SHORT_ID_CHARS]} of {format_moment(capture.started)}"
