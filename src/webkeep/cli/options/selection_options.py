"""The arguments that say which part of an archive is meant: `--url`, `--match`, `--capture`, `--since`, `--until`."""

from __future__ import annotations

import argparse

from webkeep.api import SelectionRequest
from webkeep.store.archive import Archive, Selection
from webkeep.url import UrlMatch


def add_selection_arguments(parser: argparse.ArgumentParser, match: UrlMatch = UrlMatch.PREFIX) -> None:
    """Declare them; `match` is how --url is meant unless --match or a * says otherwise."""
    parser.add_argument("--url", metavar="URL", help="only this; also example.org/docs/*, *.example.org or *.png")
    parser.add_argument(
        "--match", choices=[each.value for each in UrlMatch], help=f"how much --url takes in ({match.value})"
    )
    parser.add_argument("--capture", metavar="ID", help="only one capture (the start of its id is enough)")
    parser.add_argument("--since", metavar="MOMENT", help="only what was seen at or after a moment")
    parser.add_argument(
        "--until", metavar="MOMENT", help="only what was seen up to a moment, or the end of a day, month or year"
    )


def selection_request_from_arguments(args: argparse.Namespace) -> SelectionRequest:
    """What they select by."""
    return SelectionRequest(args.url, args.match, args.capture, args.since, args.until)


def selection_from_arguments(
    args: argparse.Namespace, archive: Archive, match: UrlMatch = UrlMatch.PREFIX
) -> Selection:
    """The selection of an archive that they make."""
    return selection_request_from_arguments(args).select(archive, match)
