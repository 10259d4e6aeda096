"""Scripted applications: what a reader sees and can do is there in replay and in copies, from a disk and from a server.

    python -m bench.apps [--quick] [--capture='OPTION…'] [--keep FOLDER] [NAME…]

Each application in `bench/app_pages` runs in Chromium as it is served, where every check must hold; then it is captured
with no options at all (or those given), and looked at again as `webkeep serve` shows it, in a copy opened from the
disk, and in the same copy on a plain web server, while the application itself is gone.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from bench.apps_browser import Eyes, Look, asked_outside, eyes
from bench.apps_site import Application, AppServer, applications, install_packages
from bench.capture_run import WEBKEEP
from bench.loopback_site import LoopbackSite
from bench.measuring import result, say
from bench.replay_servers import webkeep_server
from webkeep.replay.server import ServerName
from webkeep.store.archive import Archive

_QUICK = ("handbook", "notes", "stories")
"""A router with paths, one with fragments, and pieces of HTML."""
_AT_ONCE = 2
_PLACES = ("replayed", "copied_file", "copied_http")

Address = Callable[[str], str | None]
"""Where a URL of an application is shown; None where it is not."""


@dataclass(slots=True)
class Outcome:
    """What came of one application."""

    name: str
    checks: int = 0
    captured: str = ""
    """The exit codes of capturing and copying, where they are not 0."""
    failed: dict[str, list[str]] = field(default_factory=lambda: {place: [] for place in _PLACES})
    """By place, what did not hold."""
    outside: list[str] = field(default_factory=list)
    """What was asked for elsewhere by what was kept."""


def main() -> None:
    """Run all applications, and print the figures last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"only {', '.join(_QUICK)}")
    parser.add_argument("--capture", default="", metavar="OPTIONS", help="capture with these options")
    parser.add_argument("--keep", type=Path, help="leave archives and copies in this folder")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    args = parser.parse_args()
    install_packages()
    wanted = args.names or (_QUICK if args.quick else ())
    chosen = [each for each in applications() if not wanted or each.name in wanted]
    with tempfile.TemporaryDirectory(prefix="webkeep-apps-", ignore_cleanup_errors=True) as name:
        folder = args.keep or Path(name)
        _check_the_checks(chosen, folder)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            run = partial(_run, folder=folder, options=shlex.split(args.capture))
            outcomes = list(pool.map(run, chosen))
    result(_figures(outcomes))


def _check_the_checks(chosen: Sequence[Application], folder: Path) -> None:
    """No check holds where nothing is shown."""
    folder.mkdir(parents=True, exist_ok=True)
    checks = [check for each in chosen for visit in each.visits for check in visit.checks]
    with eyes(folder / "blank.json") as blank:
        held = blank.look("about:blank", checks, patience=0.0).held
    if wrong := [check.name for check, is_so in zip(checks, held, strict=True) if is_so]:
        raise SystemExit(f"true of a blank page: {'; '.join(wrong)}")


def _run(application: Application, folder: Path, options: Sequence[str]) -> Outcome:
    outcome = Outcome(application.name, sum(len(visit.checks) + 1 for visit in application.visits))
    place = folder / application.name
    place.mkdir(parents=True, exist_ok=True)
    with AppServer(application) as server:
        url = server.url
        live = _live(application, url, place / "live.json")
        captured = _code([*WEBKEEP, "capture", url, "--into", str(place / "archive"), *options], place / "capture.log")
    copied = _code([*WEBKEEP, "mirror", str(place / "archive"), str(place / "copy")], place / "mirror.log")
    outcome.captured = f"capture {captured}, mirror {copied}" if captured or copied else ""
    if captured > 1:
        nothing = [Look([False] * len(visit.checks), [visit.at, visit.at]) for visit in application.visits]
        outcome.failed = dict.fromkeys(_PLACES, _failed(application, live, nothing))
    else:
        _compare(outcome, application, url, live, place)
    _tell(outcome)
    return outcome


def _live(application: Application, url: str, log: Path) -> list[Look]:
    """What is seen while the application is served, which is everything."""
    with eyes(log) as looking:
        live = _looks(looking, application, partial(urljoin, url))
    if wrong := _failed(application, live, live):
        raise SystemExit(f"{application.name} as it is served does not show: {'; '.join(wrong)}")
    return live


def _compare(outcome: Outcome, application: Application, url: str, live: Sequence[Look], place: Path) -> None:
    """Look at all that was kept."""
    archive, copy, log = place / "archive", place / "copy", place / "kept.json"
    with webkeep_server(archive) as replay, LoopbackSite(partial(PlainServer, directory=str(copy))) as plain:
        addresses = (
            _replayed(archive, url, replay.port),
            _copied(copy, url, copy.resolve().as_uri() + "/"),
            _copied(copy, url, plain.url),
        )
        with eyes(log) as looking:
            for name, each in zip(_PLACES, addresses, strict=True):
                outcome.failed[name] = _failed(application, live, _looks(looking, application, each))
        outcome.outside = asked_outside(log, [replay.port, urlsplit(plain.url).port or 80])


def _replayed(archive: Path, url: str, port: int) -> Address:
    """Where `webkeep serve` shows the URLs of an application."""
    with Archive(archive) as held:
        entry = held.lookup(url)
    naming = ServerName.parse(f"http://localhost:{port}").naming_at(entry.moment.digits() if entry else "")
    return lambda path: naming.replay_url(urljoin(url, path))


def _copied(copy: Path, url: str, base: str) -> Address:
    """Where the files of a copy are."""
    files = _files_of(copy)

    def address(path: str) -> str | None:
        page, fragment = urldefrag(urljoin(url, path))
        return f"{base}{quote(files[page])}{f'#{fragment}' if fragment else ''}" if page in files else None

    return address


class PlainServer(SimpleHTTPRequestHandler):
    """Files and nothing else."""

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


def _files_of(copy: Path) -> dict[str, str]:
    """By URL, the file of a copy."""
    manifest = copy / "_webkeep/manifest.jsonl"
    if not manifest.exists():
        return {}
    entries = map(json.loads, manifest.read_text("utf-8").splitlines())
    return {str(each["url"]): str(each["file"]) for each in entries if each.get("file")}


def _looks(looking: Eyes, application: Application, address: Address) -> list[Look]:
    """What comes of each visit; nothing holds where there is no such page."""
    places = ((visit, address(visit.at)) for visit in application.visits)
    return [looking.look(place, visit.checks) if place else Look([False] * len(visit.checks), [visit.at])
            for visit, place in places]  # fmt: skip


def _failed(application: Application, live: Sequence[Look], looks: Sequence[Look]) -> list[str]:
    """The names of the checks that do not hold; one more for each visit is that no more fails than live."""
    failed = []
    for visit, before, after in zip(application.visits, live, looks, strict=True):
        failed += [check.name for check, is_so in zip(visit.checks, after.held, strict=True) if not is_so]
        if len(after.in_vain) > len(before.in_vain):
            failed.append(f"{visit.at} gets what it asks for: {', '.join(after.in_vain[:3])}")
    return failed


def _code(words: Sequence[str], log: Path) -> int:
    with log.open("w") as out:
        return subprocess.run(words, stdout=out, stderr=out, check=False).returncode


def _tell(outcome: Outcome) -> None:
    shares = ", ".join(f"{place} {outcome.checks - len(outcome.failed[place])}" for place in _PLACES)
    say(f"{outcome.name}: {outcome.checks} checks, {shares}{f' ({outcome.captured})' if outcome.captured else ''}")
    for place in _PLACES:
        for name in outcome.failed[place]:
            say(f"  not {place}: {name}")
    for url in outcome.outside:
        say(f"  asked outside: {url}")


def _figures(outcomes: Sequence[Outcome]) -> dict[str, object]:
    checks = sum(each.checks for each in outcomes)
    failed = {place: sum(len(each.failed[place]) for each in outcomes) for place in _PLACES}
    return {
        "applications": len(outcomes),
        "checks": checks,
        **{place: round(1 - failed[place] / checks, 4) for place in _PLACES},
        "outside_requests": sum(len(each.outside) for each in outcomes),
        "failed": {each.name: {place: names for place, names in each.failed.items() if names} for each in outcomes
                   if any(each.failed.values())},
    }  # fmt: skip


if __name__ == "__main__":
    main()
