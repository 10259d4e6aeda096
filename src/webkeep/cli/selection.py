"""The arguments that say which part of an archive is meant."""

from __future__ import annotations

import argparse
import re

from webkeep.cli.period import end_of
from webkeep.errors import UsageError
from webkeep.model import parse_moment
from webkeep.store.archive import Archive, url_ranges
from webkeep.store.selecting import Selection
from webkeep.url import Match, has_known_suffix, normal, read_pattern, surt

EVERYTHING = "*"
_HOST = re.compile(r"[\w-]+(\.[\w-]+)*(:[0-9]+)?").fullmatch
_FILTERS = ("url", "capture", "since", "until")


def selection_arguments(parser: argparse.ArgumentParser, match: Match = Match.PREFIX) -> None:
    """Declare them; `match` is how --url is meant unless --match or a * says otherwise."""
    parser.add_argument("--url", metavar="URL", help="only this; also example.org/docs/*, *.example.org or *.png")
    parser.add_argument(
        "--match", choices=[each.value for each in Match], help=f"how much --url takes in ({match.value})"
    )
    parser.add_argument("--capture", metavar="ID", help="only one capture (the start of its id is enough)")
    parser.add_argument("--since", metavar="MOMENT", help="only what was seen at or after a moment")
    parser.add_argument(
        "--until", metavar="MOMENT", help="only what was seen up to a moment, or the end of a day, month or year"
    )


def check_selection(args: argparse.Namespace) -> None:
    """What is given and empty must not mean everything: it comes from a variable that was never set."""
    for name in _FILTERS:
        given = getattr(args, name)
        if given is not None and not given.strip():
            spelled = "the URL" if name == "url" else f"--{name}"
            raise UsageError(f"{spelled} is empty; give it a value or leave it out")
    if args.match and args.url is None:
        raise UsageError("--match says how much a URL takes in; give the URL")


def selected(args: argparse.Namespace, archive: Archive, match: Match = Match.PREFIX) -> Selection:
    """The selection the arguments make; a URL with `*` in it that is no beginning and no host is a shape."""
    check_selection(args)
    now = archive.clock.now()
    since = parse_moment(args.since, now) if args.since else None
    until = end_of(args.until, now) if args.until else None
    if since and until and since > until:
        raise UsageError(f"--since {args.since} is after --until {args.until}; exchange them")
    shape = _shape(args.url.strip(), archive) if args.url else ""
    url, match = _meant(args, match) if args.url and not shape else ("", match)
    if shape and args.match:
        raise UsageError(f"{shape} has a * for any characters; leave out --match {args.match}")
    capture = archive.capture(args.capture).id if args.capture else ""
    return Selection(url, match, capture, since, until, shape)


def _shape(text: str, archive: Archive) -> str:
    """A text with wildcards that is to be read as rules of a capture are; empty where it is a look-up.

    `example.org/docs/*` looks up a beginning, and `*.example.org` a host and its subdomains. A host is what has a known
    ending, or what the archive holds something of; `*.png` is none.
    """
    if text == EVERYTHING or "*" not in text:
        return ""
    if not text.startswith("*"):
        return "" if text.find("*") == len(text) - 1 and not text.startswith("/") else text
    name = text.removeprefix("*.").removesuffix("*").removesuffix("/")
    is_plain = text.startswith("*.") and _HOST(name) is not None
    return "" if is_plain and (has_known_suffix(name) or archive.count(f"http://{name}/", Match.DOMAIN)) else text


def check_url(url: str) -> None:
    """A web address without a host, or with one that no browser could open, can only be a slip."""
    if url.lower().startswith(("http:", "https:")) and normal(url) is None and ")" not in surt(url):
        raise UsageError(f"{url[:200]!r} is not a URL; give one such as http://example.org/page")


def _meant(args: argparse.Namespace, usual: Match) -> tuple[str, Match]:
    text = args.url.strip()
    url, match = read_pattern(text)
    if args.match and match not in (Match.EXACT, args.match):
        raise UsageError(f"{text} has the match {match.value} by its *; leave out --match {args.match}")
    if text == EVERYTHING:
        return "", match
    if match is Match.EXACT:
        match = Match(args.match) if args.match else usual
    check_url(url)
    url_ranges(url, match)  # what cannot be looked up is a wrong call, whatever is held
    return url, match
