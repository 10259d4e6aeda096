"""`webkeep diff`: what changed on a site between two captures or two moments; which are compared where none is named,
how `--from` and `--to` are read, and what is said of takedowns.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from webkeep.cli.archive_opening import open_archive
from webkeep.cli.observation_lookup import url_spellings
from webkeep.cli.options.period import parse_period_end
from webkeep.cli.output.change_lines import ChangePrinter, describe_change_counts
from webkeep.cli.output.console import Output
from webkeep.cli.output.json_facts import SHORT_ID_CHARS
from webkeep.cli.output.takedowns import describe_takedowns, find_tombstones
from webkeep.cli.output.target_file import open_target_file
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.model import Capture, CaptureKind, Moment, parse_moment
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
from webkeep.url import parse_seed
from webkeep.url.canonical import LASTING_IDENTITY

_COMPARED_KINDS = frozenset({CaptureKind.CAPTURE, CaptureKind.IMPORT, CaptureKind.RECORD, CaptureKind.RECOVER})
_TOMBSTONES_ADVICE = "webkeep list {} --tombstones shows when and why"

ReadMoment = Callable[[str, Moment], Moment]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument(
        "url", nargs="?", metavar="URL", help="this page alone, with all of its text around the changes"
    )
    parser.add_argument(
        "--from",
        dest="before",
        metavar="A",
        help="a capture (the start of its id) or a moment (default: the last but one)",
    )
    parser.add_argument("--to", dest="after", metavar="B", help="the same (default: the last capture)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write it there as a page, side by side")


def run(args: argparse.Namespace, out: Output) -> int:
    """Compare; 1 says that something changed that matters."""
    with open_archive(args.archive, out) as archive:
        (before, state), (after, later) = _read_sides(archive, args)
        title = f"{args.archive}: {before} and {after}"
        counts: Counter[ChangeKind] = Counter()
        lines = ChangePrinter(archive, out, in_full=True, whole=args.url is not None)

        def print_changes() -> Iterator[PageChange]:
            for change in _filter_by_url(compare_states(archive, state, later), args.url):
                counts[change.kind] += 1
                lines.print_change(change)
                yield change

        if args.html is None:
            for _ in print_changes():
                pass
        else:
            with open_target_file(args.html) as file:
                file.writelines(render_diff_page(archive, title, print_changes()))
        stones = find_tombstones(archive, url_spellings(args.url.strip())) if args.url is not None else []
        left_out = _count_takedowns(archive, state.state, later) if args.url is None else len(stones)
    if args.url is not None and not counts and not stones:
        raise UsageError(
            f"{args.url} was there neither at {before} nor at {after}; webkeep list shows when it was seen"
        )
    if stones:
        out.note(describe_takedowns(stones, is_all=not counts))
    elif left_out:
        out.note(_left_out_words(left_out, args.archive))
    facts = {kind.value: counts[kind] for kind in ChangeKind}
    where = {} if args.html is None else {"html": str(args.html)}
    out.summary(
        {"archive": str(args.archive), "from": before, "to": after, "changes": facts, "taken_down": left_out, **where},
        f"{title}: {describe_change_counts(facts)}" + ("" if args.html is None else f"; see {args.html}"),
    )
    same = {ChangeKind.UNCHANGED, ChangeKind.INSIGNIFICANT}
    return DONE if set(counts) <= same and (counts or args.url is None) else FINDINGS


def _left_out_words(count: int, archive: Path) -> str:
    what = format_count(count, "URL")
    return f"{what} taken down since {'is' if count == 1 else 'are'} left out; {_TOMBSTONES_ADVICE.format(archive)}"


def _count_takedowns(archive: Archive, before: SiteState, after: SiteState) -> int:
    """How many URLs are in neither state because they were taken down."""
    gone = {LASTING_IDENTITY(stone.url) for stone in archive.tombstones() if not stone.url.startswith("urn:")}
    return sum(identity not in before and identity not in after for identity in gone)


def _filter_by_url(changes: Iterator[PageChange], url: str | None) -> Iterator[PageChange]:
    if url is None:
        return changes
    wanted = LASTING_IDENTITY(parse_seed(url))
    return (each for each in changes if wanted in (LASTING_IDENTITY(each.url), LASTING_IDENTITY(each.target)))


def _read_sides(archive: Archive, args: argparse.Namespace) -> tuple[tuple[str, SiteSnapshot], tuple[str, SiteState]]:
    """The two states to be compared, with what to call them.

    The first is what was known of each page by then; the second what was seen in the end.
    """
    captures = [each for each in archive.captures() if each.kind in _COMPARED_KINDS]
    if args.before is None and args.after is None and len(captures) < 2:
        raise UsageError(
            f"{archive.path} has {format_count(len(captures), 'capture')}; compare moments by --from and --to"
        )
    after = _read_side(archive, args.after, captures[-1] if captures else None, parse_period_end)
    before = _read_side(archive, args.before, captures[-2] if len(captures) > 1 else None, parse_moment)
    return _read_before(archive, before), _read_after(archive, after)


def _read_side(archive: Archive, text: str | None, usual: Capture | None, read: ReadMoment) -> Capture | Moment:
    if text is None:
        if usual is None:
            raise UsageError("say what to compare by --from and --to: captures or moments")
        return usual
    found = [each for each in archive.captures() if each.id.startswith(text.lower())]
    return found[0] if len(found) == 1 else _read_moment(archive, text, read)


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


def _read_moment(archive: Archive, text: str, read: ReadMoment) -> Moment:
    try:
        return read(text, archive.clock.now())
    except UsageError as error:
        raise UsageError(
            f"{text!r} is neither a moment nor the start of one capture's id; webkeep list {archive.path} shows them"
        ) from error


def _capture_name(capture: Capture) -> str:
    return f"capture {capture.id[:SHORT_ID_CHARS]} of {format_moment(capture.started)}"
