"""Copies on a disk: how fast they are made, what they take, and whether they show what the site showed.

    python -m bench.mirror [--quick]

Beside HTTrack and `wget -mkp`, on the reference site, the demo site, sites that are hard to copy, and applications.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from urllib.parse import quote

from bench.apps import PlainServer
from bench.apps_site import AppServer, applications, install_packages
from bench.capture_run import WEBKEEP
from bench.loopback_site import LoopbackSite
from bench.measuring import MemoryWatch, median, result, say
from bench.mirror_browser import Chromium, Shown
from bench.mirror_sites import SITES, SiteServer
from bench.mirror_test_sites import TEST_SITES, served
from bench.mirror_walk import Walk, copy_walk, live_walk
from bench.peers_nginx import Nginx
from bench.reference_site import ReferenceSite, reference_site
from bench.spreading import spread
from webkeep.lab.demo import DemoServer, DemoSite, SitePlan
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import WritableArchive

_FEWER, _FEWER_APPLICATIONS = 4, 16
"""Of so many sites, or applications, a quick run walks through one."""

Copier = Callable[[str, Path], tuple[list[str], Callable[[], Path]]]
"""What to run to copy a URL into a folder, and where the copy of that URL is then."""


def main() -> None:
    """Run everything, and print the figures last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a site of 500 pages in place of 5,000, fewer rounds")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory(prefix="webkeep-mirror-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        spread(folder)
        figures = _speed(reference_site(500 if quick else 5000), 1 if quick else 3, folder)
        figures |= _memory(5_000 if quick else 100_000, folder)
        figures |= _walks(quick, folder)
    result(figures)


def _webkeep(url: str, folder: Path) -> tuple[list[str], Callable[[], Path]]:
    words = [*WEBKEEP, "copy", url, str(folder / "out"), "--delay", "0", "--robots", "ignore", "--json"]
    return words, lambda: folder / "out" / _file_of(folder / "out", url)


def _httrack(url: str, folder: Path) -> tuple[list[str], Callable[[], Path]]:
    limits = ["-c8", "-%c0", "-A1000000000", "--disable-security-limits", "-s0"]
    words = ["httrack", url, "-O", str(folder), "-q", "-I0", *limits]
    return words, lambda: folder / _host(url).replace(":", "_") / "index.html"


def _wget(url: str, folder: Path) -> tuple[list[str], Callable[[], Path]]:
    words = ["wget", "-mkp", "--quiet", "--execute=robots=off", f"--directory-prefix={folder}", url]
    return words, lambda: folder / _host(url) / "index.html"


_COPIERS: dict[str, Copier] = {"webkeep": _webkeep, "httrack": _httrack, "wget": _wget}


def _host(url: str) -> str:
    return url.split("/")[2]


def _file_of(copy: Path, url: str) -> str:
    """The file that a copy has of a URL."""
    with (copy / "_webkeep/manifest.jsonl").open(encoding="utf-8") as lines:
        return next(str(entry["file"]) for entry in map(json.loads, lines) if entry["url"] == url)


def _timed(words: list[str]) -> float:
    """How long a program takes; that it found something missing does not matter here."""
    began = time.perf_counter()
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=1800)
    if ended.returncode not in (0, 1, 8):
        print(ended.stderr.decode(errors="replace")[-2000:], file=sys.stderr)
        raise SystemExit(f"{' '.join(words)} ended with {ended.returncode}")
    return time.perf_counter() - began


def _speed(site: ReferenceSite, rounds: int, folder: Path) -> dict[str, object]:
    """Rates of all copiers in turn, and of a copy out of an archive; then two versions."""
    count = len(site.files())
    seconds: dict[str, list[float]] = {name: [] for name in (*_COPIERS, "mirror")}
    for number in range(rounds):
        for name, copier in _COPIERS.items():
            seconds[name].append(_copied(site, copier, folder / f"{name}-{number}"))
        archive = folder / f"webkeep-{number}" / "out.archive"
        seconds["mirror"].append(_timed([*WEBKEEP, "mirror", str(archive), str(folder / f"mirror-{number}"), "--json"]))
        say(", ".join(f"{name} {count / each[-1]:,.0f} a second" for name, each in seconds.items()))

    def ratio(ours: str, theirs: str) -> float:
        return median(other / own for own, other in zip(seconds[ours], seconds[theirs], strict=True))

    return {
        "files": count,
        "vs_httrack": ratio("mirror", "httrack"),
        "copy_vs_httrack": ratio("webkeep", "httrack"),
        "copy_vs_wget_mkp": ratio("webkeep", "wget"),
        "files_per_s": round(count / median(seconds["mirror"])),
        **_versions(folder / "webkeep-0" / "out.archive", folder / "versions", rounds),
    }


def _copied(site: ReferenceSite, copier: Copier, folder: Path) -> float:
    folder.mkdir()
    with Nginx.serving(site.folder, folder / "server") as server:
        return _timed(copier(server.url, folder)[0])


def _versions(archive: Path, out: Path, rounds: int) -> dict[str, object]:
    """What a second version of a site that did not change costs, as a share of the first."""
    shares: dict[str, list[float]] = {"second_version_time": [], "second_version_disk": []}
    for number in range(rounds):
        place = out.with_name(f"{out.name}-{number}")
        words = [*WEBKEEP, "mirror", str(archive), str(place), "--versions", "--json"]
        first, blocks = _timed(words), _blocks(place)
        shares["second_version_time"].append(median(_timed(words) for _ in range(3)) / first)
        shares["second_version_disk"].append((_blocks(place) - blocks) / 3 / blocks)
    return {name: round(statistics.median(each), 4) for name, each in shares.items()}


def _blocks(folder: Path) -> int:
    """The disk blocks below a folder, each counted once."""
    found = {(each.st_dev, each.st_ino): each.st_blocks for each in map(Path.lstat, folder.rglob("*"))}
    return sum(found.values())


def _memory(resources: int, folder: Path) -> dict[str, object]:
    """How much memory a copy of so many resources takes."""
    archive = _many(resources, folder / "many")
    with subprocess.Popen(
        [*WEBKEEP, "mirror", str(archive), str(folder / "many-out"), "--json"], stdout=subprocess.DEVNULL
    ) as process:
        watch = MemoryWatch(process.pid)
        watch.start()
        process.wait()
        watch.end()
    return {"rss_mb": watch.peak_mb, "rss_at": resources}


def _many(resources: int, path: Path) -> Path:
    """An archive of so many small pages and pictures."""
    when = Moment.parse("2024-03-01")
    head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n"
    with WritableArchive.create(path) as archive, archive.begin("bench") as capture:
        for number in range(resources):
            url = f"https://many.example/part-{number % 300}/of-some-length/page-{number}"
            around = [(number + step) % resources for step in range(9)]
            near = "".join(f'<p><a href="page-{each}.html">near</a> words</p>' for each in around)
            body = f"<!doctype html><title>Page {number}</title>{near}".encode()
            kind, name = (b"text/html", ".html") if number % 3 == 0 else (b"image/png", ".png")
            body = body if number % 3 == 0 else b"\x89PNG\r\n\x1a\n" + str(number).encode()
            capture.submit(Exchange(url + name, when.plus(number), head % kind, BytesBody(body)))
    return path


def _walks(quick: bool, folder: Path) -> dict[str, object]:
    """Walks through every site, as it is served and as each copier copied it."""
    totals = {name: Walk() for name in _COPIERS}
    served_walk = Walk()
    with Chromium(is_offline=False) as online, Chromium(is_offline=True) as offline:
        for name in list(SITES)[:: _FEWER if quick else 1]:
            with SiteServer(SITES[name]) as server:
                _walk(server.url, online, offline, folder / f"walk-{name}", totals, 60)
        for name, by_text in list(TEST_SITES.items())[: 1 if quick else None]:
            with served(name) as url:
                _walk(url, online, offline, folder / f"walk-tests-{name}", totals, 40, by_text)
        install_packages()
        for application in applications()[:: _FEWER_APPLICATIONS if quick else 1]:
            with AppServer(application) as server:
                place = folder / f"walk-app-{application.name}"
                live = _walk(server.url, online, offline, place, totals, 12)
                served_walk.add(_walk_served(server.url, live, offline, place))
        with Nginx.serving(reference_site(50).folder, folder / "walk-server") as reference:
            _walk(reference.url, online, offline, folder / "walk-reference", totals, 2 if quick else 50)
        with DemoServer(DemoSite(SitePlan(), Moment.parse("2026-05-20T08:00:00Z")), clock=_Still()) as demo:
            _walk(demo.url, online, offline, folder / "walk-demo", totals, 2 if quick else 150)
    ours = asdict(totals.pop("webkeep"))
    outside = {"outside_requests": ours["outside_requests"] + served_walk.outside_requests}
    peers = {name: asdict(walk) for name, walk in totals.items()}
    return {**ours, **outside, "applications_served": asdict(served_walk), "peers": peers}


def _walk_served(url: str, live: dict[str, Shown], offline: Chromium, folder: Path) -> Walk:
    """The walk through our copy of an application, on a plain web server."""
    copy = folder / "webkeep" / "out"
    with LoopbackSite(partial(PlainServer, directory=str(copy))) as plain:
        start = f"{plain.url}{quote(_file_of(copy, url))}"
        walk = copy_walk(offline, live, url, start, home=plain.url)
    _tell(f"{folder.name} webkeep, on a web server", walk)
    return walk


class _Still:
    """A clock that stands still, so that the demo site does not change under the walker."""

    def now(self) -> Moment:
        """The one moment there is."""
        return Moment.parse("2026-05-20T08:00:00Z")


def _walk(
    url: str,
    online: Chromium,
    offline: Chromium,
    folder: Path,
    totals: dict[str, Walk],
    most: int,
    by_text: bool = True,
) -> dict[str, Shown]:
    """Walk through a site and all copies of it; gives what it showed."""
    copies = {name: copier(url, folder / name) for name, copier in _COPIERS.items()}
    for name in copies:
        (folder / name).mkdir(parents=True)
    with ThreadPoolExecutor() as pool:
        copied = [pool.submit(_timed, words) for words, _ in copies.values()]
        live = live_walk(online, url, most)
        for each in copied:
            each.result()
    for name, (_, start) in copies.items():
        walk = copy_walk(offline, live, url, start().as_uri(), by_text)
        totals[name].add(walk)
        _tell(f"{folder.name} {name}", walk)
    return live


def _tell(name: str, walk: Walk) -> None:
    told = ", ".join(f"{key} {value}" for key, value in asdict(walk).items() if value)
    say(f"{name}: {told}")


if __name__ == "__main__":
    main()
