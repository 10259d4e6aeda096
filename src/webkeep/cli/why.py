"""`webkeep why`: what became of a URL in each capture, and how the capture came upon it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from webkeep.cli.facts import SHORT
from webkeep.cli.graves import Graveyard, stone_facts, stone_words
from webkeep.cli.lookup import spellings
from webkeep.cli.measure import date
from webkeep.cli.opening import opened
from webkeep.cli.output import Output
from webkeep.cli.state_lists import revealed
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.unreached import plain
from webkeep.crawl.jobs import job_of
from webkeep.crawl.provenance import Origin, Source, origin_of, sources_of, trail
from webkeep.errors import UsageError
from webkeep.frontier.robots import UNKNOWN_RULES
from webkeep.model import Capture, Fate, Outcome
from webkeep.store.archive import Archive
from webkeep.store.job import JobBook
from webkeep.store.ledger import Tombstone
from webkeep.url import normal


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument("url", metavar="URL", help="a page or file, such as example.org/page")
    parser.add_argument("--capture", metavar="ID", help="only one capture (the start of its id is enough)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Tell each capture's answer, newest first."""
    urls = _spellings(args.url)
    with opened(args.archive, out) as archive:
        captures = [archive.capture(args.capture)] if args.capture else reversed(list(archive.captures()))
        answers = list(_answers(archive, captures, urls))
        graveyard = Graveyard(archive)
        stones = [graveyard.stone_of(capture.id, way[0]) for capture, way in answers]
        for (capture, way), stone in zip(answers, stones, strict=True):
            _tell(archive, capture, way, stone, out)
    known = bool(answers)
    if not known:
        out.note(f"no capture in {args.archive} came across {args.url}: no page it read had a link to it")
    facts = [
        {"capture": capture.id, **_fate_facts(way[0]), **stone_facts(stone)}
        for (capture, way), stone in zip(answers, stones, strict=True)
    ]
    out.summary({"archive": str(args.archive), "url": args.url, "known": known, "answers": facts})
    return DONE if known else FINDINGS


def _spellings(text: str) -> list[str]:
    """The URL as it was written and as browsers would spell it; what no browser could open is a wrong call."""
    url = text.strip()
    if not url or normal(url if "://" in url else f"http://{url}") is None:
        raise UsageError(f"{text[:200]!r} is not a URL; give one such as http://example.org/page")
    return spellings(url)


def _answers(
    archive: Archive, captures: Iterator[Capture] | list[Capture], urls: list[str]
) -> Iterator[tuple[Capture, list[Fate]]]:
    for capture in captures:
        for spelling in urls:
            way = _way(archive, capture, spelling.partition("#")[0])
            if way:
                yield capture, way
                break


def _way(archive: Archive, capture: Capture, url: str) -> list[Fate]:
    """The fate of a URL and of those that led to it, from the archive or from a job that is under way."""
    book = job_of(archive, capture).book
    if capture.finished is None and book.exists():
        with JobBook(book) as under_way:
            return under_way.trail(url)
    return trail(archive, capture.id, url) or _seen(archive, capture.id, url)


def _seen(archive: Archive, capture: str, url: str) -> list[Fate]:
    """What can be told where no fates were kept: that it is there, and what led to it."""
    for observation in archive.history(url):
        if observation.capture == capture and observation.url == url:
            return [Fate(url, Outcome.STORED, "", observation.via)]
    return []


def _tell(archive: Archive, capture: Capture, way: list[Fate], stone: Tombstone | None, out: Output) -> None:
    fate = way[0]
    under_way = "" if capture.finished else ", under way or stopped"
    out.line(f"capture {capture.id[:SHORT]} of {date(capture.started)}{under_way}")
    out.line(f"  {_words(fate)}" + (f"; {stone_words(stone)}" if stone else ""))
    urls, steps, known_from = _whole_way(archive, capture, way)
    for step in steps:
        out.line(f"  {step}")
    facts = _fate_facts(fate) | stone_facts(stone)
    out.event("why", capture=capture.id, **facts, way=urls, found=steps[:-1], origin=steps[-1], known_from=known_from)


def _whole_way(archive: Archive, capture: Capture, way: list[Fate]) -> tuple[list[str], list[str], list[str]]:
    """The URLs of a way, what it is in words, and the earlier captures that it leads through."""
    urls: list[str] = []
    steps: list[str] = []
    known_from: list[str] = []
    while True:
        urls += [each.url for each in way[1:]]
        steps += [_step(archive, capture.id, child, parent) for child, parent in pairwise(way)]
        last = way[-1]
        origin = Origin(Source.UNKNOWN) if last.via else origin_of(archive, capture, last.url)
        earlier = origin.earlier
        before = _way(archive, earlier, last.url) if earlier is not None else []
        if earlier is None or not before or earlier.id in known_from:
            who = "which" if steps else "it"
            return urls, [*steps, f"{who} was {_origin_words(capture, last, origin)}"], known_from
        steps.append(f"known from capture {earlier.id[:SHORT]} of {date(earlier.started)}")
        known_from.append(earlier.id)
        capture, way = earlier, before


def _origin_words(capture: Capture, fate: Fate, origin: Origin) -> str:
    """How the first URL of a way came to be known."""
    if fate.via:
        return f"found on {fate.via}"
    if origin.source is Source.BROUGHT:
        return f"part of {'an' if capture.kind[:1] in 'aeiou' else 'a'} {_KINDS.get(capture.kind, capture.kind)}"
    return _ORIGINS[origin.source]


def _step(archive: Archive, capture: str, child: Fate, parent: Fate) -> str:
    sources = ", ".join(sources_of(archive, capture, parent.url, child.url))
    if sources:
        return f"found on {parent.url} in {sources}"
    return f"found on {parent.url}" + revealed(archive, capture, parent.url, child.url)


def _words(fate: Fate) -> str:
    words, reason = _OUTCOMES[fate.outcome], fate.reason.removesuffix(UNKNOWN_RULES)
    if reason != fate.reason:
        words = "not asked for, as the robots.txt of its host could not be had"
    return f"{words}: {plain(reason)}" if reason else words


def _fate_facts(fate: Fate) -> dict[str, object]:
    return {"url": fate.url, "outcome": fate.outcome.value, "reason": fate.reason, "via": fate.via}


_KINDS = {"record": "recording", "recover": "recovery"}
_ORIGINS = {
    Source.SEED: "named as a seed",
    Source.EARLIER: "known from an earlier capture",
    Source.RULES: "asked for its rules",
    Source.DECLARED: "named as a sitemap by the robots.txt of its host",
    Source.USUAL: "looked for because sites usually have it",
    Source.ONE_OF_MANY: "one of more seeds than are kept by name",
    Source.UNKNOWN: "found in a way that was not kept",
}

_OUTCOMES = {
    Outcome.STORED: "stored",
    Outcome.DUPLICATE: "stored, with the same content as another record",
    Outcome.REFUSED: "not asked for, because the site refuses it",
    Outcome.OUT_OF_SCOPE: "not asked for, because it is out of scope",
    Outcome.TAKEN_DOWN: "not asked for, because it was taken down here",
    Outcome.FAILED: "asked for, and failed",
    Outcome.CUT: "not asked for, because a limit was reached",
    Outcome.TRAPPED: "not asked for, because it looks like a trap",
    Outcome.QUEUED: "still to be asked for",
}
