"""Walks through the states of applications that others wrote: none of them brings about an error of webkeep's own.

    python -m bench.real_walks [--quick] [--keep FOLDER] [NAME…]

The pages in `bench/real_pages/pages.toml` lie in packages of the npm registry. Each is captured by the command, with
two interactions deep, and what the command says is searched for internal errors and tracebacks. No page is told what it
should show: that is `bench.apps`.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench.capture_run import WEBKEEP
from bench.measuring import result, say
from bench.real_site import PackageProxy, RealPage, install_real_pages

_QUICK = ("swagger-ui-dist/index.html", "dragula/index.html", "jsoneditor/examples/03_switch_mode.html")
_AT_ONCE = 2
_WALK_SECONDS, _CAPTURE_SECONDS, _MOST_SECONDS = 10, 60, 180
_OPTIONS = ("--states", "2", "--browser", "always", "--scope", "page", "--max-urls", "600", "--delay", "0",
            "--retries", "0", "--robots", "ignore", "--tabs", "1", "--max-seconds", f"{_CAPTURE_SECONDS}s",
            "--page-seconds", f"{_WALK_SECONDS}s", "--json")  # fmt: skip
_WRONG_CALL = 2
_INTERNAL, _TRACEBACK = ("error of webkeep", "please report"), "Traceback (most recent call last)"


@dataclass(slots=True)
class Outcome:
    """What came of one page."""

    name: str
    code: int | None = None
    """The exit code; None where the command had to be ended."""
    walks: int = 0
    views: int = 0
    states: int = 0
    """Views that differ in what they ask for."""
    transitions: int = 0
    internal_errors: list[str] = field(default_factory=list)
    tracebacks: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    """By page, why there is no walk of it."""

    @property
    def is_failed(self) -> bool:
        """Whether webkeep did what it never may."""
        broken = self.code is None or self.code < 0 or self.code == _WRONG_CALL
        return bool(broken or self.internal_errors or self.tracebacks or self.failures)


def main() -> None:
    """Walk all pages, and print the figures last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"only {', '.join(_QUICK)}")
    parser.add_argument("--keep", type=Path, help="leave archives and what was said in this folder")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these pages, or those of these packages")
    args = parser.parse_args()
    pages, wanted = install_real_pages(), args.names or (_QUICK if args.quick else ())
    chosen = [each for each in pages if not wanted or each.name in wanted or each.package in wanted]
    scratch = tempfile.TemporaryDirectory(prefix="webkeep-walks-", ignore_cleanup_errors=True)
    with scratch as name, PackageProxy(pages) as proxy, ThreadPoolExecutor(_AT_ONCE) as pool:
        outcomes = list(pool.map(partial(_walk, proxy=proxy.url, folder=args.keep or Path(name)), chosen))
        say(f"asked for elsewhere, and refused: {', '.join(sorted(proxy.refused)) or 'nothing'}")
    result(_figures(chosen, outcomes))


def _walk(page: RealPage, proxy: str, folder: Path) -> Outcome:
    """Capture a page, and read what was said."""
    place = folder / page.name.replace("/", "-").replace(" ", "-")
    place.mkdir(parents=True)
    outcome = Outcome(page.name)
    words = [*WEBKEEP, "capture", page.url, "--into", str(place / "archive"), "--proxy", proxy, *_OPTIONS]
    outcome.code = _code(words, place / "capture.log")
    said = (place / "capture.log").read_text("utf-8", "replace")
    outcome.internal_errors = [line for line in said.splitlines() if any(each in line for each in _INTERNAL)]
    outcome.tracebacks = said.count(_TRACEBACK)
    _take_in(outcome, said)
    _tell(outcome)
    return outcome


def _code(words: Sequence[str], log: Path) -> int | None:
    """Run a command with all that it starts; None if it does not end by itself."""
    with log.open("w") as out, subprocess.Popen(words, stdout=out, stderr=out, start_new_session=True) as process:
        try:
            return process.wait(_MOST_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None


def _take_in(outcome: Outcome, said: str) -> None:
    """What the summary, which is the last line, has of walks."""
    last = said.rstrip().rpartition("\n")[2]
    browsed = json.loads(last).get("browser") if last.startswith("{") else None
    if browsed:
        outcome.walks, outcome.views, outcome.states = browsed["pages"], browsed["views"], browsed["states"]
        outcome.transitions, outcome.failures = browsed["transitions"], browsed["failures"]


def _tell(outcome: Outcome) -> None:
    how = "did not end" if outcome.code is None else f"exit code {outcome.code}"
    say(f"{outcome.name}: {outcome.views} views, {outcome.states} states, {outcome.transitions} transitions, {how}")
    for line in [*outcome.internal_errors, *outcome.failures.values()]:
        say(f"  {line}")


def _figures(pages: Sequence[RealPage], outcomes: Sequence[Outcome]) -> dict[str, object]:
    return {
        "applications": len(outcomes),
        "packages": len({each.package for each in pages}),
        "pages": sum(each.walks for each in outcomes),
        "states": sum(each.states for each in outcomes),
        "views": sum(each.views for each in outcomes),
        "transitions": sum(each.transitions for each in outcomes),
        "internal_errors": sum(bool(each.internal_errors) for each in outcomes),
        "tracebacks": sum(bool(each.tracebacks) for each in outcomes),
        "failed": [each.name for each in outcomes if each.is_failed],
        "not_walked": [each.name for each in outcomes if not each.walks],
    }


if __name__ == "__main__":
    main()
