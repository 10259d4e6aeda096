"""`webkeep why`: what became of a URL in each capture, and how the capture came upon it; the words for outcomes
(refused, out of scope, a trap) and for origins (a seed, a sitemap).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from webkeep.api import read_trail, url_spellings
from webkeep.cli.archive_opening import open_archive
from webkeep.cli.output.console import Output
from webkeep.cli.output.json_facts import SHORT_ID_CHARS
from webkeep.cli.output.state_rows import describe_reveals
from webkeep.cli.output.takedowns import TakedownLookup, describe_tombstone, tombstone_facts
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.crawl.run import UrlOrigin, UrlSource, link_constructs, url_origin_of
from webkeep.errors import UsageError
from webkeep.frontier.hosts import UNKNOWN_RULES_SUFFIX
from webkeep.model import Capture, Fate, UrlOutcome
from webkeep.presentation import describe_failure, format_moment
from webkeep.store.archive import Archive
from webkeep.store.index import Tombstone
from webkeep.url import normalize_url


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument("url", metavar="URL", help="a page or file, such as example.org/page")
    parser.add_argument("--capture", metavar="ID", help="only one capture (the start of its id is enough)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Tell each capture's answer, newest first."""
    urls = _check_spellings(args.url)
    with open_archive(args.archive, out) as archive:
        captures = [archive.capture(args.capture)] if args.capture else reversed(list(archive.captures()))
        answers = list(_find_trails(archive, captures, urls))
        takedowns = TakedownLookup(archive)
        stones = [takedowns.find_tombstone(capture.id, trail[0]) for capture, trail in answers]
        for (capture, trail), stone in zip(answers, stones, strict=True):
            _print_trail(archive, capture, trail, stone, out)
    known = bool(answers)
    if not known:
        out.note(f"no capture in {args.archive} came across {args.url}: no page it read had a link to it")
    facts = [
        {"capture": capture.id, **_fate_facts(trail[0]), **tombstone_facts(stone)}
        for (capture, trail), stone in zip(answers, stones, strict=True)
    ]
    out.summary({"archive": str(args.archive), "url": args.url, "known": known, "captures": facts})
    return DONE if known else FINDINGS


def _check_spellings(text: str) -> list[str]:
    """The URL as it was written and as browsers would spell it; what no browser could open is a wrong call."""
    url = text.strip()
    if not url or normalize_url(url if "://" in url else f"http://{url}") is None:
        raise UsageError(f"{text[:200]!r} is not a URL; give one such as http://example.org/page")
    return url_spellings(url)


def _find_trails(
    archive: Archive, captures: Iterator[Capture] | list[Capture], urls: list[str]
) -> Iterator[tuple[Capture, list[Fate]]]:
    for capture in captures:
        for spelling in urls:
            trail = read_trail(archive, capture, spelling.partition("#")[0])
            if trail:
                yield capture, trail
                break


def _print_trail(archive: Archive, capture: Capture, trail: list[Fate], stone: Tombstone | None, out: Output) -> None:
    fate = trail[0]
    under_way = "" if capture.finished else ", under way or stopped"
    out.line(f"capture {capture.id[:SHORT_ID_CHARS]} of {format_moment(capture.started)}{under_way}")
    out.line(f"  {_fate_words(fate)}" + (f"; {describe_tombstone(stone)}" if stone else ""))
    urls, steps, known_from = _describe_trail(archive, capture, trail)
    for step in steps:
        out.line(f"  {step}")
    facts = _fate_facts(fate) | tombstone_facts(stone)
    out.event("why", capture=capture.id, **facts, trail=urls, found=steps[:-1], origin=steps[-1], known_from=known_from)


def _describe_trail(archive: Archive, capture: Capture, trail: list[Fate]) -> tuple[list[str], list[str], list[str]]:
    """The URLs of a trail, what it is in words, and the earlier captures that it leads through."""
    urls: list[str] = []
    steps: list[str] = []
    known_from: list[str] = []
    while True:
        urls += [each.url for each in trail[1:]]
        steps += [_step_words(archive, capture.id, child, parent) for child, parent in pairwise(trail)]
        last = trail[-1]
        origin = UrlOrigin(UrlSource.UNKNOWN) if last.via else url_origin_of(archive, capture, last.url)
        earlier = origin.earlier
        before = read_trail(archive, earlier, last.url) if earlier is not None else []
        if earlier is None or not before or earlier.id in known_from:
            who = "which" if steps else "it"
            return urls, [*steps, f"{who} was {_origin_words(capture, last, origin)}"], known_from
        steps.append(f"known from capture {earlier.id[:SHORT_ID_CHARS]} of {format_moment(earlier.started)}")
        known_from.append(earlier.id)
        capture, trail = earlier, before


def _origin_words(capture: Capture, fate: Fate, origin: UrlOrigin) -> str:
    """How the first URL of a trail came to be known."""
    if fate.via:
        return f"found on {fate.via}"
    if origin.source is UrlSource.BROUGHT:
        return f"part of {'an' if capture.kind[:1] in 'aeiou' else 'a'} {_KIND_WORDS.get(capture.kind, capture.kind)}"
    return _ORIGIN_WORDS[origin.source]


def _step_words(archive: Archive, capture: str, child: Fate, parent: Fate) -> str:
    sources = ", ".join(link_constructs(archive, capture, parent.url, child.url))
    if sources:
        return f"found on {parent.url} in {sources}"
    return f"found on {parent.url}" + describe_reveals(archive, capture, parent.url, child.url)


def _fate_words(fate: Fate) -> str:
    words, reason = _OUTCOME_WORDS[fate.outcome], fate.reason.removesuffix(UNKNOWN_RULES_SUFFIX)
    if reason != fate.reason:
        words = "not asked for, as the robots.txt of its host could not be had"
    return f"{words}: {describe_failure(reason)}" if reason else words


def _fate_facts(fate: Fate) -> dict[str, object]:
    return {"url": fate.url, "outcome": fate.outcome.value, "reason": fate.reason, "via": fate.via}


_KIND_WORDS = {"record": "recording", "recover": "recovery"}
_ORIGIN_WORDS = {
    UrlSource.SEED: "named as a seed",
    UrlSource.EARLIER: "known from an earlier capture",
    UrlSource.RULES: "asked for its rules",
    UrlSource.DECLARED: "named as a sitemap by the robots.txt of its host",
    UrlSource.USUAL: "looked for because sites usually have it",
    UrlSource.ONE_OF_MANY: "one of more seeds than are kept by name",
    UrlSource.UNKNOWN: "found in a way that was not kept",
}

_OUTCOME_WORDS = {
    UrlOutcome.STORED: "stored",
    UrlOutcome.DUPLICATE: "stored, with the same content as another record",
    UrlOutcome.REFUSED: "not asked for, because the site refuses it",
    UrlOutcome.OUT_OF_SCOPE: "not asked for, because it is out of scope",
    UrlOutcome.TAKEN_DOWN: "not asked for, because it was taken down here",
    UrlOutcome.FAILED: "asked for, and failed",
    UrlOutcome.CUT: "not asked for, because a limit was reached",
    UrlOutcome.TRAPPED: "not asked for, because it looks like a trap",
    UrlOutcome.QUEUED: "still to be asked for",
}
