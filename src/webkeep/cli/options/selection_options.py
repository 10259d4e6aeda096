"""The arguments that say which part of an archive is meant (`--url`, `--match`, `--capture`, `--since`, `--until`), and
whether a `*` stands for a beginning, for a host's subdomains or for any characters.
"""

from __future__ import annotations

import argparse
import re

from webkeep.cli.options.period import parse_period_end
from webkeep.errors import UsageError
from webkeep.model import parse_moment
from webkeep.store.archive import Archive, Selection, url_ranges
from webkeep.url import UrlMatch, has_known_suffix, normalize_url, parse_url_pattern, surt

ANY_URL = "*"
_match_host = re.compile(r"[\w-]+(\.[\w-]+)*(:[0-9]+)?").fullmatch
_FILTER_ARGUMENTS = ("url", "capture", "since", "until")


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


def check_selection(args: argparse.Namespace) -> None:
    """What is given and empty must not mean everything: it comes from a variable that was never set."""
    for name in _FILTER_ARGUMENTS:
        given = getattr(args, name)
        if given is not None and not given.strip():
            spelled = "the URL" if name == "url" else f"--{name}"
            raise UsageError(f"{spelled} is empty; give it a value or leave it out")
    if args.match and args.url is None:
        raise UsageError("--match says how much a URL takes in; give the URL")


def selection_from_arguments(
    args: argparse.Namespace, archive: Archive, match: UrlMatch = UrlMatch.PREFIX
) -> Selection:
    """The selection the arguments make; a URL with `*` in it that is no beginning and no host is a shape."""
    check_selection(args)
    now = archive.clock.now()
    since = parse_moment(args.since, now) if args.since else None
    until = parse_period_end(args.until, now) if args.until else None
    if since and until and since > until:
        raise UsageError(f"--since {args.since} is after --until {args.until}; exchange them")
    shape = _wildcard_shape(args.url.strip(), archive) if args.url else ""
    url, match = _read_url_match(args, match) if args.url and not shape else ("", match)
    if shape and args.match:
        raise UsageError(f"{shape} has a * for any characters; leave out --match {args.match}")
    capture = archive.capture(args.capture).id if args.capture else ""
    return Selection(url, match, capture, since, until, shape)


def _wildcard_shape(text: str, archive: Archive) -> str:
    """A text with wildcards that is to be read as rules of a capture are; empty where it is a look-up.

    `example.org/docs/*` looks up a beginning, and `*.example.org` a host and its subdomains. A host is what has a known
    ending, or what the archive holds something of; `*.png` is none.
    """
    if text == ANY_URL or "*" not in text:
        return ""
    if not text.startswith("*"):
        return "" if text.find("*") == len(text) - 1 and not text.startswith("/") else text
    name = text.removeprefix("*.").removesuffix("*").removesuffix("/")
    is_plain = text.startswith("*.") and _match_host(name) is not None
    return "" if is_plain and (has_known_suffix(name) or archive.count(f"http://{name}/", UrlMatch.DOMAIN)) else text


def check_url(url: str) -> None:
    """A web address without a host, or with one that no browser could open, can only be a slip."""
    if url.lower().startswith(("http:", "https:")) and normalize_url(url) is None and ")" not in surt(url):
        raise UsageError(f"{url[:200]!r} is not a URL; give one such as http://example.org/page")


def _read_url_match(args: argparse.Namespace, usual: UrlMatch) -> tuple[str, UrlMatch]:
    text = args.url.strip()
    url, match = parse_url_pattern(text)
    if args.match and match not in (UrlMatch.EXACT, args.match):
        raise UsageError(f"{text} has the match {match.value} by its *; leave out --match {args.match}")
    if text == ANY_URL:
        return "", match
    if match is UrlMatch.EXACT:
        match = UrlMatch(args.match) if args.match else usual
    check_url(url)
    url_ranges(url, match)  # what cannot be looked up is a wrong call, whatever is held
    return url, match
