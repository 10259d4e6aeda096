"""The arguments that say which part of an archive is meant."""

from __future__ import annotations

import argparse

from webkeep.errors import UsageError
from webkeep.model import parse_moment
from webkeep.store.archive import Archive
from webkeep.store.selecting import Selection
from webkeep.url import Match


def selection_arguments(parser: argparse.ArgumentParser, match: str = "prefix") -> None:
    """Declare them; `match` is how --url is meant unless --match says otherwise."""
    parser.add_argument("--url", default="", metavar="URL", help="only this URL, or what lies below it with --match")
    parser.add_argument(
        "--match", choices=[str(match.value) for match in Match], default=match, help=f"what --url stands for ({match})"
    )
    parser.add_argument("--capture", default="", metavar="ID", help="only one capture (the start of its id is enough)")
    parser.add_argument("--since", metavar="MOMENT", help="only what was seen at or after a moment")
    parser.add_argument("--until", metavar="MOMENT", help="only what was seen at or before a moment")


def selected(args: argparse.Namespace, archive: Archive) -> Selection:
    """The selection the arguments make."""
    now = archive.clock.now()
    since = parse_moment(args.since, now) if args.since else None
    until = parse_moment(args.until, now) if args.until else None
    if since and until and since > until:
        raise UsageError(f"--since {args.since} is after --until {args.until}; exchange them")
    capture = archive.capture(args.capture).id if args.capture else ""
    return Selection(args.url, Match(args.match), capture, since, until)
