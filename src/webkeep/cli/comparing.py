"""`webkeep diff`: what changed on a site between two captures or two moments."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.change_lines import ChangeLines, change_counts
from webkeep.cli.facts import SHORT
from webkeep.cli.graves import stones_of, takedown_words
from webkeep.cli.lookup import spellings
from webkeep.cli.opening import opened
from webkeep.cli.output import Output
from webkeep.cli.period import end_of
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.target import target_file
from webkeep.errors import UsageError
from webkeep.model import Capture, Moment, parse_moment
from webkeep.quality.change_page import change_page
from webkeep.quality.site_changes import Kind, PageChange, changes_between
from webkeep.quality.site_snapshots import SiteSnapshot, snapshot_at, snapshot_of
from webkeep.quality.site_state import State, state_at, state_in
from webkeep.store.archive import Archive
from webkeep.url import LASTING_IDENTITY, parse_seed

_SHOWN = "webkeep list {} --tombstones shows when and why"

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
    """Compare; 1 says that something is not the same."""
    with opened(args.archive, out) as archive:
        (before, state), (after, later) = _sides(archive, args)
        title = f"{args.archive}: {before} and {after}"
        counts: Counter[Kind] = Counter()
        lines = ChangeLines(archive, out, in_full=True, whole=args.url is not None)

        def told() -> Iterator[PageChange]:
            for change in _chosen(changes_between(archive, state, later), args.url):
                counts[change.kind] += 1
                lines.tell(change)
                yield change

        if args.html is None:
            for _ in told():
                pass
        else:
            with target_file(args.html) as file:
                file.writelines(change_page(archive, title, told()))
        stones = stones_of(archive, spellings(args.url.strip())) if args.url is not None else []
        left_out = _left_out(archive, state.state, later) if args.url is None else len(stones)
    if args.url is not None and not counts and not stones:
        raise UsageError(
            f"{args.url} was there neither at {before} nor at {after}; webkeep list shows when it was seen"
        )
    if stones:
        out.note(takedown_words(stones, is_all=not counts))
    elif left_out:
        what = measure.counted(left_out, "URL")
        out.note(f"{what} taken down since {'is' if left_out == 1 else 'are'} left out; {_SHOWN.format(args.archive)}")
    facts = {kind.value: counts[kind] for kind in Kind}
    where = {} if args.html is None else {"html": str(args.html)}
    out.summary(
        {"archive": str(args.archive), "from": before, "to": after, "changes": facts, "taken_down": left_out, **where},
        f"{title}: {change_counts(facts)}" + ("" if args.html is None else f"; see {args.html}"),
    )
    return DONE if set(counts) <= {Kind.UNCHANGED} and (counts or args.url is None) else FINDINGS


def _left_out(archive: Archive, before: State, after: State) -> int:
    """How many URLs are in neither state because they were taken down."""
    gone = {LASTING_IDENTITY(stone.url) for stone in archive.tombstones() if not stone.url.startswith("urn:")}
    return sum(identity not in before and identity not in after for identity in gone)


def _chosen(changes: Iterator[PageChange], url: str | None) -> Iterator[PageChange]:
    if url is None:
        return changes
    wanted = LASTING_IDENTITY(parse_seed(url))
    return (each for each in changes if wanted in (LASTING_IDENTITY(each.url), LASTING_IDENTITY(each.target)))


def _sides(archive: Archive, args: argparse.Namespace) -> tuple[tuple[str, SiteSnapshot], tuple[str, State]]:
    """The two states to be compared, with what to call them.

    The first is what was known of each page by then; the second what was seen in the end.
    """
    captures = [each for each in archive.captures() if each.kind in ("capture", "import", "record", "recover")]
    if args.before is None and args.after is None and len(captures) < 2:
        raise UsageError(
            f"{archive.path} has {measure.counted(len(captures), 'capture')}; compare moments by --from and --to"
        )
    after = _side(archive, args.after, captures[-1] if captures else None, end_of)
    before = _side(archive, args.before, captures[-2] if len(captures) > 1 else None, parse_moment)
    return _before(archive, before), _after(archive, after)


def _side(archive: Archive, text: str | None, usual: Capture | None, read: ReadMoment) -> Capture | Moment:
    if text is None:
        if usual is None:
            raise UsageError("say what to compare by --from and --to: captures or moments")
        return usual
    found = [each for each in archive.captures() if each.id.startswith(text.lower())]
    return found[0] if len(found) == 1 else _moment(archive, text, read)


def _before(archive: Archive, side: Capture | Moment) -> tuple[str, SiteSnapshot]:
    if isinstance(side, Capture):
        return _named(side), snapshot_of(archive, side)
    look = snapshot_at(archive, side)
    _check(archive, side, look.state)
    return measure.date(side), look


def _after(archive: Archive, side: Capture | Moment) -> tuple[str, State]:
    if isinstance(side, Capture):
        return _named(side), state_in(archive, side.id)
    state = state_at(archive, side)
    _check(archive, side, state)
    return measure.date(side), state


def _check(archive: Archive, moment: Moment, state: State) -> None:
    if not state:
        raise UsageError(
            f"nothing had been seen by {measure.date(moment)}; webkeep list {archive.path} shows when it was"
        )


def _moment(archive: Archive, text: str, read: ReadMoment) -> Moment:
    try:
        return read(text, archive.clock.now())
    except UsageError as error:
        raise UsageError(
            f"{text!r} is neither a moment nor the start of one capture's id; webkeep list {archive.path} shows them"
        ) from error


def _named(capture: Capture) -> str:
    return f"capture {capture.id[:SHORT]} of {measure.date(capture.started)}"
