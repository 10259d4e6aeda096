"""`webkeep list`: what an archive holds: its options, which view is shown where none is named, what is refused, and the
overview above the list of captures.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from webkeep.cli.archive_opening import open_archive
from webkeep.cli.options.selection_options import selection_from_arguments, selection_request_from_arguments
from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.cli.output.console import Output
from webkeep.cli.output.json_facts import moment_fact
from webkeep.cli.output.list_views import REMOVED, VIEWS, ListedRow, ListView, listed_outcome
from webkeep.cli.output.table import PrintedTable, print_facts
from webkeep.cli.output.takedowns import describe_takedowns
from webkeep.cli.subcommand import DONE
from webkeep.coherence.time_travel import MomentMapping
from webkeep.errors import UsageError
from webkeep.model import UrlOutcome
from webkeep.presentation import format_count, format_moment, format_size
from webkeep.store.archive import Archive, Selection
from webkeep.store.views import ArchiveOverview, latest_tombstones, read_overview
from webkeep.url import UrlMatch

_FILTER_ARGUMENTS = ("url", "capture", "since", "until")
_BY_FINGERPRINTS = ("alike", "behaviours")
"""Lists that are made of the fingerprints of pages."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    url = parser.add_argument("url", metavar="URL", help="also example.org/docs/*, *.example.org, *.png, or * for all")
    # With nargs="?" argparse would take an ARCHIVE that options follow for all there is, and refuse a URL after them.
    url.required = False
    parser.usage = "%(prog)s ARCHIVE [URL] [options]"
    parser.add_argument("--match", choices=[match.value for match in UrlMatch], help="how much URL takes in")
    views = parser.add_mutually_exclusive_group()
    for name, text in (
        ("captures", "the captures (the default without a URL)"),
        ("observations", "every time a URL was seen (the default with a URL)"),
        ("urls", "each URL once, with its first and last observation"),
        ("files", "the WARC files"),
        ("fates", "what became of the URLs that captures came across"),
        ("hosts", "how captures treated each host: requests, gaps, delays, refusals"),
        ("states", "what clicks and the like made of pages that were run in a browser"),
        ("alike", "pages that are alike: one page under many URLs, soft 404s, walls, traps"),
        ("behaviours", "what pages do from capture to capture, and which change together"),
        ("tombstones", "what was taken down"),
        ("findings", "flaws met in the WARC files"),
    ):
        views.add_argument(f"--{name}", dest="view", action="store_const", const=name, help=text)
    views.add_argument("--as-of", metavar="MOMENT", help="the site as of a moment: each URL once, from one capture")
    parser.add_argument("--mapping", choices=list(MomentMapping), help="which capture answers for --as-of (nearest)")
    parser.add_argument(
        "--outcome",
        choices=[*(each.value for each in UrlOutcome), REMOVED],
        help="with --fates: only those with this outcome",
    )
    parser.add_argument("--capture", metavar="ID", help="only one capture (the start of its id is enough)")
    parser.add_argument("--since", metavar="MOMENT", help="only from a moment on, such as 2024-03 or yesterday")
    parser.add_argument("--until", metavar="MOMENT", help="only up to a moment")
    parser.add_argument("--limit", type=parse_whole_number, metavar="N", help="at most so many")


def run(args: argparse.Namespace, out: Output) -> int:
    """Print the list as it is read."""
    name = (
        args.view or ("fates" if args.outcome else "") or ("observations" if args.url or args.capture else "captures")
    )
    view = _find_view(name) if args.as_of is None else _build_as_of_view(args.as_of, args.mapping)
    _check_arguments(args, name if args.as_of is None else "as-of", view)
    with open_archive(args.archive, out) as archive:
        selection = selection_from_arguments(args, archive, UrlMatch.EXACT)
        facts: dict[str, object] = {"archive": str(args.archive), "name": archive.name}
        if view is VIEWS["captures"]:
            facts |= _print_overview(archive, read_overview(archive), out)
        if name in _BY_FINGERPRINTS and archive.catalog.fingerprints.is_outdated:
            out.note(
                "the catalog is of an earlier version of webkeep and lacks fingerprints of pages, so that pages are "
                f"missing here; webkeep rebuild {args.archive} makes them"
            )
        rows = view.rows(archive, selection)
        if args.outcome:
            rows = (row for row in rows if listed_outcome(row) == args.outcome)
        listed = _print_rows(view, islice(rows, args.limit), out)
        more = args.limit is not None and next(rows, None) is not None
        if (selection.url or selection.pattern) and view in (VIEWS["observations"], VIEWS["urls"]):
            facts["taken_down"] = _report_takedowns(archive, selection, listed, out)
    rest = f"; --limit {args.limit} left out the rest" if more else ""
    out.summary(facts | {"listed": listed, "more": more}, format_count(listed, view.thing) + view.remark + rest)
    return DONE


def _find_view(name: str) -> ListView:
    if name in VIEWS:
        return VIEWS[name]
    from webkeep.cli.output.change_views import CHANGE_VIEWS  # few lists need what is behind it

    return CHANGE_VIEWS[name]


def _report_takedowns(archive: Archive, selection: Selection, listed: int, out: Output) -> int:
    """Say what else there was of what is listed; the answer is how many versions that were."""
    stones = latest_tombstones(stone for stone in archive.tombstones() if selection.includes_url(stone.url))
    if len({stone.url for stone in stones}) == 1:
        out.note(describe_takedowns(stones, is_all=not listed))
    elif stones:
        out.note(
            f"{format_count(len(stones), 'version')} of {len({stone.url for stone in stones}):,} URLs "
            f"were taken "
            "down; --tombstones lists them"
        )
    return len(stones)


def _build_as_of_view(moment: str, mapping: str | None) -> ListView:
    from webkeep.cli.output.as_of_view import build_as_of_view  # few lists need what is behind it

    return build_as_of_view(moment, mapping)


def _check_arguments(args: argparse.Namespace, name: str, view: ListView) -> None:
    """An argument that would be passed over in silence is a wrong call."""
    selection_request_from_arguments(args)
    if args.outcome and name != "fates":
        raise UsageError(f"--outcome says which fates are listed; leave it out, or --{name}")
    if args.mapping and args.as_of is None:
        raise UsageError("--mapping says which capture answers for a moment; give the moment with --as-of")
    for given in _FILTER_ARGUMENTS:
        if getattr(args, given) and given not in view.narrowed_by:
            spelled = "a URL" if given == "url" else f"--{given}"
            raise UsageError(f"--{name} cannot be narrowed by {spelled}; leave one of them out")


def _print_overview(archive: Archive, whole: ArchiveOverview, out: Output) -> dict[str, object]:
    held = f"{format_count(whole.observations, 'observation')} of {format_count(whole.urls, 'URL')}"
    print_facts(
        [
            ("archive", f"{archive.name} ({archive.path})"),
            (
                "holds",
                f"{held}, {format_size(whole.payload_size)} of payload" if whole.observations else "nothing yet",
            ),
            (
                "from",
                f"{format_moment(whole.first)} to {format_moment(whole.last)} UTC" if whole.first else "",
            ),
            ("on disk", f"{format_size(whole.disk_size)} in {format_count(whole.files, 'WARC file')}"),
        ],
        out.line,
    )
    out.line()
    return {
        "observations": whole.observations,
        "urls": whole.urls,
        "bytes": whole.payload_size,
        "first": moment_fact(whole.first),
        "last": moment_fact(whole.last),
        "files": whole.files,
        "disk_bytes": whole.disk_size,
    }


def _print_rows(view: ListView, rows: Iterator[ListedRow], out: Output) -> int:
    table = PrintedTable(view.columns, out.line)
    count = 0
    for row in rows:
        count += 1
        out.event(view.thing.lower(), **row.facts)
        table.add_row(*row.cells)
    table.finish()
    return count
