"""Capturing a million small pages: is it as fast as capturing the first few thousand, and how much memory does it take?

    .venv/bin/python -m bench.capture_scale [--quick] [--depth N]

The site is a binary tree: a page's path is its way from the root in zeros and ones, and nginx writes the page out of
it. A smaller tree of the same shape is the measure, for there too every second page has nothing new to offer; the
first pages of the great one would seem slow beside the rest, having all the discoveries. The server's own work is told
as the share of one processor it took.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.capture_run import capture_command, run_capture, traffic
from bench.measuring import median, result, say
from bench.peers_nginx import Nginx

ROUNDS = 3
_FULL = (13, 19)
"""The depths of the small and the great tree: 16,383 and 1,048,575 pages."""
_QUICK = (12, 14)
"""8,191 and 32,767 pages."""
_TWO_BITS = ("00", "01", "10", "11")

# Braces in a pattern need quotes. A page links to the root, its parent, itself and its sibling, its children and its
# sibling's children; a leaf has its cousins in their place.
_SITE = """\
default_type text/html;
location = / {{ return 200 "{root}"; }}
location ~ "^/(?<up>[01]{{0,{inner}}})[01]$" {{ return 200 "{page}"; }}
location ~ "^/(?<up>(?<beyond>[01]{{{before_last}}})[01])[01]$" {{ return 200 "{leaf}"; }}
location / {{ return 404; }}
"""


@dataclass(frozen=True, slots=True)
class Tree(Collection[str]):
    """The paths of a binary tree."""

    depth: int

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and path[:1] == "/" and len(path) <= self.depth + 1 and not path[1:].strip("01")

    def __len__(self) -> int:
        return (1 << self.depth + 1) - 1

    def __iter__(self) -> Iterator[str]:
        return (f"/{number:b}".replace("/1", "/", 1) for number in range(1, len(self) + 1))

    @property
    def configuration(self) -> str:
        """What makes nginx serve it."""
        return _SITE.format(
            inner=self.depth - 2,
            before_last=self.depth - 2,
            root=_page("/0", "/1"),
            page=_page("/", "/$up", *(f"/${{up}}{bits}" for bits in ("0", "1", *_TWO_BITS))),
            leaf=_page("/", "/$up", "/${up}0", "/${up}1", *(f"/${{beyond}}{bits}" for bits in _TWO_BITS)),
        )


@dataclass(frozen=True, slots=True)
class Captured:
    """One capture of a tree."""

    urls: int
    missing: int
    urls_per_s: float
    seconds: float
    rss_mb: float
    server_busy: float


def main() -> None:
    parser = argparse.ArgumentParser(description="Captures a million pages, and some thousand for comparison.")
    parser.add_argument("--quick", action="store_true", help="thirty thousand pages, in under 50 seconds")
    parser.add_argument("--depth", type=int, default=0, help="how deep the great tree is; each level doubles it")
    args = parser.parse_args()
    shallow, deep = _QUICK if args.quick else _FULL
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        small = [_captured(Tree(shallow), Path(folder) / f"small-{number}") for number in range(ROUNDS)]
        great = _captured(Tree(args.depth or deep), Path(folder) / "great")
    usual = median(each.urls_per_s for each in small)
    result(
        {
            "urls": great.urls,
            "missing": great.missing,
            "rate_vs_small": round(great.urls_per_s / usual, 3),
            "rss_mb": great.rss_mb,
            "urls_per_s": round(great.urls_per_s),
            "seconds": round(great.seconds, 1),
            "small_urls": small[0].urls,
            "small_urls_per_s": round(usual),
            "small_rss_mb": max(each.rss_mb for each in small),
            "server_busy": round(great.server_busy, 3),
        }
    )


def _captured(tree: Tree, folder: Path) -> Captured:
    with Nginx(folder / "server", tree.configuration) as server:
        began, run = run_capture(capture_command(server.url, folder / "archive"))
    seen = traffic(server, tree, began)
    stored = int(run.facts["stored"])
    busy = server.cpu_seconds() / run.seconds
    say(
        f"{seen.urls:,} URLs at {seen.urls_per_s:,.0f} a second, {run.seconds:.1f} s in all, "
        f"{run.rss_mb:.0f} MB; the server was busy for {busy:.0%} of it"
    )
    shutil.rmtree(folder)
    missing = len(tree) - min(seen.urls, stored)
    return Captured(seen.urls, missing, seen.urls_per_s, run.seconds, run.rss_mb, busy)


def _page(*links: str) -> str:
    """A page of about a kilobyte; no two are the same, for each says its name all over."""
    name = "$request_uri"
    items = "".join(f"<li><a href='{link}'>way {number}</a>" for number, link in enumerate(links))
    text = " ".join(f"This is {name}, said for the {number}th time, and nothing else." for number in range(4, 12))
    return f"<!doctype html><title>Page {name}</title><h1>{name}</h1><p>{text}</p><ul>{items}</ul>"


if __name__ == "__main__":
    main()
