"""Capturing the reference site, beside wget with WARC, wget2, HTTrack and Scrapy.

    .venv/bin/python -m bench.capture [--quick] [--rounds N] [--profile]

The crawlers take turns on the same nginx. Rates are from the first to the last request in the server's log, start-up
apart. What is missing is judged by that log and by warcio. The site is static, though its pages have scripts: a capture
with no word about a browser is held against one that may not have any, by the time of the whole command and by what it
asked the server for.
"""

from __future__ import annotations

import argparse
import collections
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from bench.capture_check import Holdings, holdings
from bench.capture_profile import profile
from bench.capture_run import Traffic, capture_command, plain_command, run_capture, traffic
from bench.measuring import median, result, say
from bench.peers_crawlers import Crawler, crawlers, run_crawler
from bench.peers_nginx import Nginx
from bench.reference_site import ReferenceSite, reference_site

ROUNDS = 3


@dataclass(slots=True)
class Measured:
    """What the rounds brought."""

    rates: dict[str, list[float]] = field(default_factory=lambda: collections.defaultdict(list))
    startups: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    cpu_us: list[float] = field(default_factory=list)
    """Processor time a URL, of all processes of the command, its start included."""
    unanswered: int = 0
    """How many URLs webkeep was not given by the server, in the worst round."""
    held: Holdings = field(default_factory=Holdings)
    vs_off: list[float] = field(default_factory=list)
    """How fast the whole command is, beside the same without a browser."""
    other_requests: int = 0
    """How many requests the one made and the other did not, in the worst round."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Captures the reference site beside other crawlers.")
    parser.add_argument("--quick", action="store_true", help="on a smaller site, in under 50 seconds")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each crawler takes its turn")
    parser.add_argument("--profile", action="store_true", help="capture once more and say where the time goes")
    args = parser.parse_args()
    site = reference_site(300 if args.quick else 5000)
    peers = crawlers(scrapy_seconds=3 if args.quick else 40)
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        measured = _measured(site, peers, args.rounds, Path(folder))
        if args.profile:
            _profile(site, Path(folder))
    result(_figures(site, measured))


def _measured(site: ReferenceSite, peers: list[Crawler], rounds: int, folder: Path) -> Measured:
    measured = Measured()
    expected = set(site.files())
    for number in range(rounds):
        _capture(site, expected, measured, folder / f"webkeep-{number}", last=number == rounds - 1)
        _compare(site, measured, folder / f"off-{number}")
        for peer in peers:
            _crawl(peer, site, expected, measured, folder / f"{peer.name}-{number}")
    return measured


def _capture(site: ReferenceSite, expected: set[str], measured: Measured, folder: Path, last: bool) -> None:
    with Nginx.serving(site.folder, folder / "server") as server:
        began, run = run_capture(capture_command(server.url, folder / "archive"))
    seen = traffic(server, expected, began)
    _note(measured, "webkeep", seen)
    measured.startups.append(seen.startup_s)
    measured.memory.append(run.rss_mb)
    measured.cpu_us.append(run.cpu_s / seen.urls * 1e6)
    say(f"processor time: {measured.cpu_us[-1]:.0f} µs a URL")
    measured.unanswered = max(measured.unanswered, len(expected) - seen.urls)
    if last:
        measured.held = holdings(folder / "archive", site.digests())
    shutil.rmtree(folder)


def _compare(site: ReferenceSite, measured: Measured, folder: Path) -> None:
    """The same capture with no options but where to, and without a browser."""
    seconds, asked = [], []
    for name, options in (("default", ()), ("off", ("--browser", "off"))):
        with Nginx.serving(site.folder, folder / name) as server:
            _, run = run_capture(plain_command(server.url, folder / f"{name}-archive", *options))
        seconds.append(run.seconds)
        asked.append(collections.Counter(each.path for each in server.log()))
    default, off = asked
    measured.vs_off.append(seconds[1] / seconds[0])
    measured.other_requests = max(measured.other_requests, ((default - off) + (off - default)).total())
    say(f"with no options in {seconds[0]:.2f} s, without a browser in {seconds[1]:.2f} s")
    shutil.rmtree(folder)


def _crawl(peer: Crawler, site: ReferenceSite, expected: set[str], measured: Measured, folder: Path) -> None:
    with Nginx.serving(site.folder, folder / "server") as server:
        began = run_crawler(peer, server.url, folder / "files")
    seen = traffic(server, expected, began)
    _note(measured, peer.name, seen)
    if seen.urls < len(expected) and not peer.is_cut_off:
        say(f"{peer.name} left out {len(expected) - seen.urls:,} of {len(expected):,}")
    shutil.rmtree(folder)


def _note(measured: Measured, name: str, seen: Traffic) -> None:
    measured.rates[name].append(seen.urls_per_s)
    say(f"{name}: {seen.urls:,} URLs at {seen.urls_per_s:,.0f} a second, after {seen.startup_s:.2f} s")


def _figures(site: ReferenceSite, measured: Measured) -> dict[str, object]:
    expected = site.files()
    held = measured.held
    ours = measured.rates.pop("webkeep")
    return {
        "urls": len(expected),
        "stored": len(held.stored),
        "missing": max(len(expected) - len(held.stored), measured.unanswered),
        "wrong_digests": held.wrong_digests,
        "records": dict(held.records),
        **{
            f"vs_{name}": median(mine / theirs for mine, theirs in zip(ours, rates, strict=True))
            for name, rates in measured.rates.items()
        },
        "urls_per_s": round(median(ours)),
        "cpu_us_per_url": round(median(measured.cpu_us)),
        "peers_urls_per_s": {name: round(median(rates)) for name, rates in measured.rates.items()},
        "default_vs_off": median(measured.vs_off),
        "other_requests": measured.other_requests,
        "startup_s": median(measured.startups),
        "rss_mb": max(measured.memory),
    }


def _profile(site: ReferenceSite, folder: Path) -> None:
    with Nginx.serving(site.folder, folder / "profiled-server") as server:
        for line in profile(capture_command(server.url, folder / "profiled")):
            print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
