"""A Starlette application whose changes are known, recorded, and the rates that come out of the archive."""

import asyncio
import random
from collections.abc import MutableMapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from webkeep.change.rates import RateSource, RateTable, pair_observations
from webkeep.model import Moment
from webkeep.recorder.asgi import ArchivingMiddleware
from webkeep.recorder.limits import RecorderLimits
from webkeep.recorder.recording_rules import RecorderRules
from webkeep.store.archive import Archive
from webkeep.store.views import read_histories, read_history

HOUR = 3600
START = Moment.parse("2026-03-01")
ORIGIN = "https://www.tidewick.example"


class HandClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = START

    def now(self) -> Moment:
        return self.moment

    def move_to(self, seconds: float) -> None:
        self.moment = Moment(START.micros + round(seconds * 1_000_000))


class Site:
    """Pages that change at times told beforehand, recorded by the hand clock."""

    def __init__(self, path: Path, changes: dict[str, list[float]], **rules: Any) -> None:
        self.path = path
        self.clock = HandClock()
        self.changes = changes
        app = Starlette(routes=[Route("/away", self._away), Route("/{page}", self._page)])
        self.middleware = ArchivingMiddleware(
            app, path, RecorderRules(origin=ORIGIN, **rules), RecorderLimits(patience=0)
        )
        self.middleware.recorder.clock = self.clock

    async def _page(self, request: Request) -> Response:
        return HTMLResponse(f"<title>version {self._version(request.path_params['page'])}</title>")

    async def _away(self, _: Request) -> Response:
        return RedirectResponse(f"/{self._version('away')}")

    def _version(self, page: str) -> int:
        now = self.clock.now().seconds_since(START)
        return sum(change <= now for change in self.changes[page])

    def visit(self, page: str) -> None:
        scope = {
            "type": "http",
            "method": "GET",
            "path": f"/{page}",
            "raw_path": f"/{page}".encode(),
            "query_string": b"",
            "headers": [(b"host", b"www.tidewick.example")],
        }

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request"}

        async def send(_: MutableMapping[str, Any]) -> None:
            return None

        asyncio.run(self.middleware(scope, receive, send))

    def run(self, hours: int, every: int = HOUR) -> None:
        """Visit all pages at even times, then end the server."""
        for seconds in range(0, hours * HOUR + 1, every):
            self.clock.move_to(seconds)
            for page in self.changes:
                self.visit(page)
        self.middleware.close()


def moments(seconds: list[float]) -> tuple[Moment, ...]:
    return tuple(Moment(START.micros + round(each * 1_000_000)) for each in seconds)


def test_known_changes_become_exact_histories_and_rates(tmp_path: Path) -> None:
    chance = random.Random(1)
    hours = 24 * 10
    changes = {
        f"page-{number}": sorted(HOUR * each for each in chance.sample(range(1, hours), count))
        for number, count in enumerate((0, 1, 5, 30))
    }
    Site(tmp_path / "a", {page: [float(each) for each in times] for page, times in changes.items()}).run(hours)
    with Archive(tmp_path / "a") as archive:
        found = {each.url.rpartition("/")[2]: each for each in read_histories(archive)}
        assert read_history(archive, f"{ORIGIN}/page-2") == found["page-2"]
        assert read_history(archive, f"{ORIGIN}/nowhere") is None
    assert found.keys() == changes.keys()
    for page, times in changes.items():
        one = found[page]
        assert one.changes == moments([float(each) for each in times])
        assert (one.began, one.ended, one.is_exact) == (START, *moments([hours * HOUR]), True)
        assert one.rate.per_second == pytest.approx(len(times) / (hours * HOUR))
        assert one.rate.source is RateSource.HISTORY


def test_a_rate_table_is_told_the_same_by_pairs(tmp_path: Path) -> None:
    hours = 24 * 30
    times = [float(HOUR * each) for each in range(5, hours, 7)]
    Site(tmp_path / "a", {"page": times}).run(hours)
    book, misled = RateTable(), RateTable()
    with Archive(tmp_path / "a") as archive:
        [one] = read_histories(archive)
        for pair in pair_observations(archive.observations()):
            misled.add_pair(*pair)
    for pair in one.to_pairs():
        book.add_pair(*pair)
    true = len(times) / (hours * HOUR)
    # A rate table keeps sixteen looks at a page: eight changes, in a little more than seven of the times between two.
    assert book.rate(one.url).per_second == pytest.approx(true, rel=0.2)
    # Records of a recorder are not looks: taken as such, every one of them has seen a change.
    assert misled.rate(one.url).per_second > 2 * true


def test_pairs_are_the_whole_time_without_holes(tmp_path: Path) -> None:
    Site(tmp_path / "a", {"page": [2.0 * HOUR, 3.0 * HOUR]}).run(5)
    with Archive(tmp_path / "a") as archive:
        [one] = read_histories(archive)
    looks = list(one.to_pairs())
    assert (looks[0].first, looks[-1].second) == (one.began, one.ended)
    assert all(earlier.second == later.first for earlier, later in pairwise(looks))
    assert tuple(look.second for look in looks if look.changed) == one.changes


def test_a_restart_is_no_change_and_one_meanwhile_is_seen(tmp_path: Path) -> None:
    times = {"page": [2.0 * HOUR, 6.0 * HOUR], "away": [3.0 * HOUR]}
    first = Site(tmp_path / "a", times)
    first.run(4)
    second = Site(tmp_path / "a", times)
    for hour in (5, 7, 9):
        second.clock.move_to(hour * HOUR)
        second.visit("page")
        second.visit("away")
    second.middleware.close()
    with Archive(tmp_path / "a") as archive:
        found = {each.url.rpartition("/")[2]: each for each in read_histories(archive)}
    assert found["page"].changes == moments([2.0 * HOUR, 7.0 * HOUR])
    assert found["away"].changes == moments([3.0 * HOUR])
    assert {each.ended for each in found.values()} == set(moments([9.0 * HOUR]))


def test_what_was_held_back_or_lost_is_not_exact(tmp_path: Path) -> None:
    Site(tmp_path / "gap", {"page": [float(HOUR)]}, gap=10 * HOUR).run(2)
    lost = Site(tmp_path / "lost", {"page": [float(HOUR)]})
    lost.middleware.recorder.memory_budget.take(lost.middleware.recorder.memory_budget.left - 300)
    lost.visit("page")
    lost.middleware.recorder.memory_budget.take(lost.middleware.recorder.memory_budget.left)
    lost.run(2)
    for name in ("gap", "lost"):
        with Archive(tmp_path / name) as archive:
            [one] = read_histories(archive)
        assert (one.changes, one.is_exact) == ((), False), name
