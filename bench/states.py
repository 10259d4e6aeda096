"""Exploring the states of pages, against the paper's algorithm on the same Chromium."""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.state_replays import QUICK_PAGES, state_replays
from bench.states_paper import USUAL_LIMITS, PaperWalk, paper_walk
from bench.states_site import FOLDER, StatesSite, page_names
from bench.states_tab_proxy import open_tab_proxies
from bench.two_tier import measured
from webkeep.browser import StateWalk
from webkeep.browser.process import BrowserSettings, Chromium
from webkeep.browser.tabs import BrowserTabs, Tab
from webkeep.browser.walk import find_states, walk_page
from webkeep.browser.walk.state_machine import all_resources

_TABS = 2
_MOMENT = 1_790_000_000_000
_QUICK = ("mouseover-menu", "tabs", "accordion", "delegated", "load-more", "wizard")
_LITERAL = ("load-more", "tabs-kept", "wizard", "modals")
_MOST_LITERAL = 60
_TIERS, _QUICK_TIERS = (1200, 3), (60, 1)
"""Pages and rounds of the crawls with and without deciding which pages need a browser."""
_TIER_KEYS = ("two_tier_speedup", "precision", "recall", "recall_heldout", "missed_upper_95")


@dataclass(slots=True)
class Run:
    """What one way through all pages took and found."""

    seconds: float = 0.0
    requests: int = 0
    found: dict[str, set[str]] = field(default_factory=dict)
    """Resources by page."""
    walks: dict[str, StateWalk] = field(default_factory=dict)
    by_page: dict[str, float] = field(default_factory=dict)
    scripts: int = 0


async def explored(names: Sequence[str], latency: float) -> Run:
    """Walk the pages our way."""
    run = Run()
    with StatesSite(latency) as site:
        async with open_tab_proxies(_TABS) as (ways, keys, _), Chromium(BrowserSettings(key_hashes=keys)) as browser:
            free, waiting = await _warm(browser, ways, site), list(reversed(names))
            begun = time.perf_counter()

            async def work() -> None:
                """As a capture does: a tab for each page, and all that are free for the last one."""
                while waiting and free:
                    name = waiting.pop()
                    tabs = [free.pop() for _ in range(1 if waiting else len(free))]
                    started = time.perf_counter()
                    run.walks[name] = walked = await walk_page(site.url(name), tabs, USUAL_LIMITS, _MOMENT)
                    run.by_page[name] = time.perf_counter() - started
                    run.found[name] = _paths(all_resources(walked), site)
                    free.extend(tabs)

            await asyncio.gather(*(work() for _ in range(_TABS)))
            run.seconds = time.perf_counter() - begun
        run.requests = sum(site.counts().values())
    run.scripts = sum(len(each.transitions) for each in run.walks.values())
    return run


async def as_published(names: Sequence[str], latency: float, literal: bool = False) -> tuple[Run, dict[str, PaperWalk]]:
    """The paper's way, with nothing held back and nothing remembered; all tabs share a page, so that none is idle."""
    run, walks = Run(), {}
    with StatesSite(latency) as site:
        async with (
            open_tab_proxies(_TABS, holds=False) as (ways, keys, _),
            Chromium(BrowserSettings(key_hashes=keys)) as browser,
        ):
            tabs = await _warm(browser, ways, site)
            for name in names:
                begun = time.perf_counter()
                most = _MOST_LITERAL if literal else 100_000
                walked = await paper_walk(site.url(name), tabs, USUAL_LIMITS, _MOMENT, literal, most)
                run.by_page[name] = time.perf_counter() - begun
                walks[name] = walked
                run.found[name] = _paths(walked.resources, site)
        run.requests = sum(site.counts().values())
    run.seconds = sum(run.by_page.values())
    run.scripts = sum(each.scripts for each in walks.values())
    return run, walks


async def _warm(browser: Chromium, ways: Sequence[Any], site: StatesSite) -> list[Tab]:
    """Tabs that have shown a page before, so that neither way pays for the start of Chromium."""
    opening = BrowserTabs(browser)
    tabs = [await opening.open_tab(way) for way in ways]
    for tab in tabs:
        await tab.begin_page(_MOMENT)
        await tab.load(site.url("shared"), 10)
    site.counts()
    return tabs


def _paths(urls: set[str] | frozenset[str], site: StatesSite) -> set[str]:
    """As the truth names them."""
    start = f"http://127.0.0.1:{site.port}"
    return {url.removeprefix(start) for url in urls}


def truth(name: str) -> dict[str, Any]:
    """What is known of a page."""
    return dict(json.loads((FOLDER / name / "truth.json").read_text()))


def _wanted(name: str) -> set[str]:
    return {f"/{name}/{'' if path == 'index.html' else path}" for path in truth(name)["resources"] if "?" not in path}


def _differences(one: Mapping[str, set[str]], other: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """What one has and the other has not, by page."""
    return {name: sorted(one[name] - other[name]) for name in one if one[name] - other[name]}


def _told(run: Run) -> str:
    return f"{run.seconds:.1f} s, {run.requests} requests, {run.scripts} scripts or transitions"


def _held_against_truth(walks: Mapping[str, StateWalk]) -> dict[str, int]:
    """What was found, and what there is; transitions are those that lead elsewhere."""
    known = [truth(name) for name in walks]
    found = walks.values()
    return {
        "views_found": sum(len(each.views) for each in found),
        "views_truth": sum(len(each["views"]) for each in known),
        "states_found": sum(len(find_states(each)) for each in found),
        "states_truth": sum(each["states"] for each in known),
        "transitions_found": sum(step.source != step.target for each in found for step in each.transitions),
        "transitions_truth": sum(len(each["transitions"]) for each in known),
    }


async def measure(names: Sequence[str], rounds: int) -> dict[str, Any]:
    """All keys that this bench answers for."""
    ratios: dict[float, list[float]] = {}
    shares = []
    ours = theirs = Run()
    for latency in (0.05, 0.0):
        ratios[latency] = []
        for _ in range(rounds):
            ours = await explored(names, latency)
            theirs, _walks = await as_published(names, latency)
            ratios[latency].append(theirs.seconds / ours.seconds)
            shares.append(ours.requests / theirs.requests)
            print(f"latency {latency * 1000:.0f} ms, ours: {_told(ours)}; the paper's way: {_told(theirs)}")
            for name in names:
                print(f"  {name:16} {ours.by_page[name]:6.2f} s  paper {theirs.by_page[name]:6.2f} s")
    wanted = {name: _wanted(name) for name in names}
    missed = _differences(wanted, ours.found)
    beyond = _differences(theirs.found, ours.found)
    if missed or beyond:
        print("missed", missed, "found by the paper's way only", beyond)
    whole = sum(len(each) for each in wanted.values())
    return {
        "pages": len(names),
        **_held_against_truth(ours.walks),
        "coverage": 1 - sum(len(each) for each in missed.values()) / whole,
        "paper_coverage": sum(len(wanted[name] & theirs.found[name]) for name in names) / whole,
        "transitions_run": ours.scripts,
        "paper_scripts": theirs.scripts,
        "speedup_50ms": round(statistics.median(ratios[0.05]), 2),
        "speedup_0ms": round(statistics.median(ratios[0.0]), 2),
        "requests_vs_paper": round(statistics.median(shares), 4),
    }


async def literally() -> dict[str, str]:
    """The reading in which all combinations are run, where that ends."""
    run, walks = await as_published(_LITERAL, 0.0, literal=True)
    return {
        name: f"{each.scripts} scripts in {run.by_page[name]:.1f} s{'' if each.ended else ', not at its end'}"
        for name, each in walks.items()
    }


def main() -> None:
    """Measure, and say what came of it in one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer pages, one round")
    arguments = parser.parse_args()
    names = list(_QUICK) if arguments.quick else page_names()
    figures = asyncio.run(measure(names, 1 if arguments.quick else 3))
    if not arguments.quick:
        figures["all_combinations"] = asyncio.run(literally())
    tiers = measured(*(_QUICK_TIERS if arguments.quick else _TIERS))
    figures |= {key: tiers[key] for key in _TIER_KEYS}
    figures |= state_replays(QUICK_PAGES if arguments.quick else names)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
