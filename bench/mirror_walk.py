"""The walker: goes through a site as it is served, then through a copy of it on the disk, link by link."""

from __future__ import annotations

import hashlib
import urllib.request
from collections import Counter, deque
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from bench.mirror_browser import Chromium, Shown


@dataclass(slots=True)
class Walk:
    """What came of a walk through a copy."""

    pages_walked: int = 0
    pages_live: int = 0
    text_differences: int = 0
    embeds_compared: int = 0
    broken_links: int = 0
    missing_embeds: int = 0
    outside_requests: int = 0
    console_errors: int = 0

    def add(self, other: Walk) -> None:
        """Take in what came of another one."""
        for name, count in asdict(other).items():
            setattr(self, name, getattr(self, name) + count)


def live_walk(browser: Chromium, start: str, most: int) -> dict[str, Shown]:
    """Every page that can be reached from the start, as it is served, by its address."""
    origin = "/".join(start.split("/", 3)[:3]) + "/"
    found: dict[str, Shown] = {}
    waiting = deque([start])
    while waiting and len(found) < most:
        url = waiting.popleft()
        if url in found:
            continue
        found[url] = browser.show(url)
        found[url].contents = _digests(found[url])
        waiting += [link for link in map(_plain, found[url].links) if link.startswith(origin)]
    return found


def copy_walk(
    browser: Chromium, live: dict[str, Shown], start: str, copy: str, by_text: bool = True, home: str = ""
) -> Walk:
    """The same walk through a copy: each link is taken where the same link of the live page was.

    `home` is where the copy is served, if it is.
    """
    walk = Walk(pages_live=len(live))
    waiting, done = deque([(start, copy)]), set()
    while waiting:
        url, place = waiting.popleft()
        if url in done or url not in live:
            continue
        done.add(url)
        there, here = live[url], browser.show(place, home)
        if here.is_broken and not there.is_broken:
            walk.broken_links += 1
            continue
        walk.pages_walked += 1
        walk.text_differences += by_text and there.is_page and here.text != there.text
        pairs = zip(there.pictures, here.pictures, strict=False)
        lost = sum(before not in (after, "0x0") for before, after in pairs)
        other = there.contents - _digests(here) - here.made_digests
        walk.embeds_compared += there.contents.total()
        walk.missing_embeds += max(
            lost, here.failed - there.failed, len(there.pictures) - len(here.pictures), other.total()
        )
        walk.outside_requests += here.outside
        walk.console_errors += max(0, here.errors - there.errors)
        waiting += _pairs(there, here, walk)
    return walk


def _pairs(there: Shown, here: Shown, walk: Walk) -> list[tuple[str, str]]:
    walk.broken_links += max(0, len(there.links) - len(here.links))
    return [(_plain(url), place) for url, place in zip(there.links, here.links, strict=False)]


def _digests(shown: Shown) -> Counter[str]:
    """What stands for the bytes of all that a page embeds, but for what it made itself."""
    return Counter(map(_digest, shown.embeds))


def _digest(url: str) -> str:
    if url.startswith("file:"):  # browsers read past a query
        return hashlib.sha1(Path(unquote(urlsplit(url).path)).read_bytes()).hexdigest()
    with urllib.request.urlopen(url, timeout=10) as answer:
        return hashlib.sha1(answer.read()).hexdigest()


def _plain(url: str) -> str:
    return urldefrag(url).url
