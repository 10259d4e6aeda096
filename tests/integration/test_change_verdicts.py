"""Changes of the demo site with noise on its pages: told apart by `webkeep diff` as the site's own truth has them."""

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from capture_calls import capture, events
from small_site import GONE, Page, SmallSite
from warc_material import Done, webkeep

from webkeep.clock import SystemClock
from webkeep.lab.demo import DemoServer, DemoSite, NoiseSet, SitePlan, category_of_change, noise_kinds
from webkeep.model import Moment


@dataclass
class SiteClock:
    """Goes with the machine's, and is put forward between captures."""

    ahead: float = 0.0
    system: SystemClock = field(default_factory=SystemClock)

    def now(self) -> Moment:
        return self.system.now().plus(self.ahead)


@dataclass
class History:
    """Three captures of a noisy site, and the version of every page that each saw last."""

    site: DemoSite
    origin: str
    archive: Path
    versions: list[dict[str, int]]

    def truth(self, path: str) -> str:
        """What happened to a page from the last but one capture to the last."""
        return category_of_change(self.site, path, *(each[path] for each in self.versions[-2:]))


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    archive, clock = tmp_path_factory.mktemp("noisy") / "archive", SiteClock()
    site = DemoSite(SitePlan(pages=100, noise=NoiseSet.SECOND), clock.now())
    versions: list[dict[str, int]] = []
    with DemoServer(site, clock=clock) as server:
        for _ in range(3):
            known = server.requests
            assert capture(archive, server.url, "--for", "evidence", "--new").code <= 1
            served = server.served_responses()[known:]
            versions.append({one.path: one.version for one in served if one.version is not None})
            clock.ahead += 7200
        return History(site, server.addresses.origin, archive, versions)


def page_changes(done: Done, history: History) -> dict[str, dict[str, object]]:
    found = {each["url"].removeprefix(history.origin): each for each in events(done, "change")}
    return {path: each for path, each in found.items() if path in history.versions[0] and "verdict" in each}


def test_noise_is_told_from_change(history: History) -> None:
    done = webkeep("diff", history.archive)
    told = page_changes(done, history)
    noisy = {path for path, each in told.items() if each["kind"] == "insignificant"}
    assert len(noisy) > 10
    pages = {path for path in told if path.endswith("/")}
    truly_noisy = {path for path in pages if history.truth(path) in ("unchanged", "insignificant")}
    # Noise is drawn anew for every request: some of it may look the same too often to be learned of three captures.
    assert len(truly_noisy ^ (noisy & pages)) <= len(pages) // 20
    assert done.summary["changes"]["insignificant"] == len(noisy)
    assert all(noise_kinds(NoiseSet.SECOND, 1, path) for path in noisy)


def test_reports_tell_the_same(history: History) -> None:
    told = webkeep("diff", history.archive, "--json")
    matters = [each["verdict"]["category"] for each in events(told, "change") if each.get("verdict")]
    done = webkeep("report", history.archive)
    step = done.summary["steps"][-1]
    assert step["categories"]["insignificant"] == matters.count("insignificant") > 10
    assert step["read"] == sum(step["categories"].values())
    assert not any("Noise" in each for each in done.summary["not_computed"])
    pseudo = done.summary["coherence"]["pseudo"]
    assert pseudo["insignificant"] == matters.count("insignificant")
    assert "differs in nothing that matters" in done.summary["verdict"]["sentence"]
    few = webkeep("report", history.archive, "--pages", "5").summary
    assert few["steps"][-1]["read"] < sum(few["steps"][-1]["categories"].values())
    assert any("cannot tell noise from small edits" in each for each in few["not_computed"])


def test_a_rule_set_by_hand_makes_a_change_insignificant(history: History) -> None:
    told = page_changes(webkeep("diff", history.archive), history)
    chronicle = {path for path, each in told.items() if path.startswith("/chronicle/") and each["kind"] == "changed"}
    assert chronicle
    rules = history.archive / "noise.toml"
    rules.write_text('[[ignore]]\nelement = "main#content"\n[[ignore]]\nelement = "section.aside"\n')
    try:
        again = page_changes(webkeep("diff", history.archive), history)
        assert chronicle.isdisjoint(path for path, each in again.items() if each["kind"] == "changed")
        rules.write_text("[[ignore]]\nnothing = 1\n")
        refused = webkeep("diff", history.archive)
        assert refused.code == 2
        assert "rule 1 of" in refused.err
    finally:
        rules.unlink()


def test_pages_that_change_are_told_from_those_that_do_not(history: History) -> None:
    listed = {
        each["url"].removeprefix(history.origin): each
        for each in events(webkeep("list", history.archive, "--behaviours"), "page")
    }
    still = {
        path
        for path in listed
        if len({each.get(path) for each in history.versions}) == 1 and not noise_kinds(NoiseSet.SECOND, 1, path)
    }
    assert still
    assert {listed[path]["behaviour"] for path in still} == {"static"}
    assert {listed[path]["group"] for path in still} == {0}
    assert all((each["changes"] > 0) == (each["behaviour"] != "static") for each in listed.values())
    told = page_changes(webkeep("diff", history.archive), history)
    noisy = {path for path, each in told.items() if each["kind"] == "insignificant" and path in listed}
    assert {path for path in noisy if len({each.get(path) for each in history.versions}) == 1} - still
    quiet = {path for path in noisy if listed[path]["behaviour"] == "static"}
    assert len(quiet) > len(noisy) // 2, "noise is no change"
    assert any(each["behaviour"] != "static" and each["group"] for each in listed.values())


def test_pages_that_are_alike_are_listed_by_what_they_are(tmp_path: Path) -> None:
    words = [f"A sentence with the number {number} in it, which says what it says." for number in range(12)]
    page = "<title>t</title>" + "".join(f"<p>{each}" for each in words)
    missing = "<title>Oops</title>" + "".join(
        f"<p>Sorry, this page was not found, try another one {n}" for n in range(6)
    )
    pages = {
        "/": Page(b"<a href=/A>a</a><a href=/a>b</a><a href=/x1>x</a><a href=/x2>y</a><a href=/other>o</a>"),
        "/A": Page(page.encode()),
        "/a": Page(page.encode() + b"<!-- 2 -->"),
        "/x1": Page(missing.encode()),
        "/x2": Page(missing.encode() + b"<p>/x2"),
        "/other": Page(b"<p>Something else is said here, at some length, and nowhere else."),
    }
    with SmallSite(lambda _host, path: pages.get(path, GONE)) as site:
        assert capture(tmp_path / "a", site.url()).code == 0
    groups = events(webkeep("list", tmp_path / "a", "--alike"), "group")
    assert {(each["kind"], tuple(url.rpartition("/")[2] for url in each["urls"])) for each in groups} == {
        ("case variants", ("A", "a")),
        ("soft 404", ("x1", "x2")),
    }


def test_what_a_catalog_of_an_earlier_version_lacks_is_told(tmp_path: Path) -> None:
    pages = {"/": Page(b"<p>Something is said here, at some length, and nowhere else.")}
    with SmallSite(lambda _host, path: pages.get(path, GONE)) as site:
        assert capture(tmp_path / "a", site.url()).code == 0
    with closing(sqlite3.connect(tmp_path / "a/catalog.sqlite")) as connection:
        connection.execute("ALTER TABLE page_fingerprint RENAME TO fingerprint")
    for view in ("--alike", "--behaviours"):
        assert f"webkeep rebuild {tmp_path / 'a'} makes them" in webkeep("list", tmp_path / "a", view).err
    told = json.loads(webkeep("report", tmp_path / "a", "--json").out.splitlines()[-1])
    assert any("webkeep rebuild" in each for each in told["not_computed"])
    assert webkeep("rebuild", tmp_path / "a").code == 0
    assert "rebuild" not in webkeep("list", tmp_path / "a", "--alike").err
