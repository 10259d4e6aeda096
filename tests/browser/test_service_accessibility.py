"""Every page of the service for people who see, hear or move otherwise: axe finds nothing in light, in dark and on a
phone, nothing is wider than its window, and from the first start to a captured site nothing but the keyboard is needed.

The pages are those of the table of endpoints, filled with a collection that was captured and a recovery, as an
administrator, a reader and a visitor see them. A page that nobody was shown fails.
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from dashboard_calls import DashboardClient, dashboard
from devtools import Browser
from serve_calls import served
from service_page import ServicePage
from small_site import Page, SmallSite, linking
from visitor_service import VisitedService, held_site, visited_service

from declared_programs import ROOT
from webkeep.dashboard.endpoint_table import PAGES
from webkeep.service.accounts import AccountRole
from webkeep.service.collections import CollectionFacts, SeedEntry
from webkeep.service.jobs import JobOrder, JobState
from webkeep.service.notices import new_webhook
from webkeep.service.run import build_seed_schedule

AXE = ROOT / ".peers/axe/node_modules/axe-core/axe.min.js"
PHONE_WIDTH = 390
LONG = "a-rather-long-word-without-any-end-" * 6
RUN = """
axe.run(document, OPTIONS).then((found) => JSON.stringify(found.violations.map((each) => ({
  id: each.id, nodes: each.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + ' ' + node.failureSummary),
}))))
"""
BEYOND = """
JSON.stringify([...document.body.querySelectorAll('*')]
  .filter((each) => each.getBoundingClientRect().right > screen.width + 1 && !each.closest('.scroll, svg, [hidden]'))
  .slice(0, 3).map((each) => each.outerHTML.slice(0, 200)))
"""
PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")
ELSEWHERE = {
    "/jobs/{job}/events": "no page: a stream",
    "/recover/{link}/events": "no page: a stream",
    "/jobs/{job}/replay": "what was archived, on a server of its own",
    "/recover/{link}/look/{path:path}": "what was recovered, as it was",
    "/jobs/{job}/downloads/{format}": "no page: a file",
    "/recover/{link}/downloads/{format}": "no page: a file",
    "/assets/{name}": "no page: a file",
    "/jobs/{job}/evidence.zip": "no page: a file",
    "/jobs/{job}/pictures/{number}": "no page: a picture",
    "/collections/{collection}/browsers/{browser}/view": "no page: pictures of one",
    "/jobs/{job}/evidence": "the cover sheet of a package, as its own command writes it",
    "/jobs/{job}/rule": "of a capture that runs; looked at in a test of its own",
    "/collections/{collection}/browsers/{browser}": "a Chromium that is shown; looked at in the test of logins",
}
"""What is no page of the service, or not there without more than data; and where it is looked at."""


@dataclass
class Shelf:
    """A service with something of everything, and what its pages are asked for by."""

    site: VisitedService
    examples: dict[str, str]
    more: list[str]
    complaints: list[str] = field(default_factory=list)

    def paths(self) -> dict[str, str]:
        """Pages by how the table has them."""
        found = {}
        for each in PAGES:
            names = PARAMETER.findall(each.path)
            if "GET" in each.methods and each.path not in ELSEWHERE and set(names) <= self.examples.keys():
                found[each.path] = PARAMETER.sub(lambda name: self.examples[name[1]], each.path)
        return found | {path: path for path in self.more}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    root = tmp_path_factory.mktemp("shelf")
    pages = {
        "/": Page(b'<!doctype html><html lang="en"><title>Home</title><p>words</p><a href="/news">news</a>'),
        "/news": Page(b'<!doctype html><html lang="en"><title>News</title><p>more words</p>'),
    }
    with served(held_site(root / "held")) as holder, SmallSite(pages) as small:
        archive = f"cdx=http://127.0.0.1:{holder.port}/cdx"
        with visited_service(root / "service", {"Our library": archive}) as site:
            yield fill(site, f"http://127.0.0.1:{small.port}/")


def fill(site: VisitedService, url: str) -> Shelf:
    """Something of everything."""
    service, now = site.service, site.clock.now()
    for name, role in (("ada", AccountRole.ADMINISTRATOR), ("rae", AccountRole.READER)):
        site.server.add_account(name, role)
    said = {"description": f"About it. {LONG}", "subjects": ("towns",), "creator": "us", "rights": "CC0"}
    service.collections.create(CollectionFacts("town", f"The town {LONG}", **said, is_public=True), now)
    entries = [SeedEntry(url, {"browser": "off"}, "notes"), SeedEntry(f"https://example.org/{LONG}{LONG}", {}, LONG)]
    seed, other = service.collections.add_seeds("town", entries, now)
    service.schedules.add(build_seed_schedule(other, "@daily", now))
    service.notices.add_webhook(new_webhook(f"https://hook.example/{LONG}", "", now))
    job = service.jobs.submit(JobOrder("town", seed.archive, seed.plan, seed=seed.id), now)
    assert job is not None
    site.work_until(lambda: service.jobs.get(job.id).ended is not None)
    assert service.jobs.get(job.id).state is JobState.DONE, service.jobs.get(job.id).message
    waiting = service.jobs.submit(JobOrder("town", other.archive, other.plan, seed=other.id), now.plus(1e6))
    assert waiting is not None
    visitor = DashboardClient(site.server.port, "/")
    pending = site.asked(visitor)
    site.work_until(lambda: site.recovery(pending).survey is not None)
    completed = site.recover(visitor)
    recovery = site.recovery(pending)
    examples = {
        "preview": begin_preview(site, url),
        "collection": "town", "seed": seed.id, "job": job.id, "link": pending.split("/")[2], "code": recovery.code,
    }  # fmt: skip
    return Shelf(site, examples, [completed, f"/jobs/{waiting.id}", "/nothing", f"/jobs?collection=town&state={LONG}"])


def begin_preview(site: VisitedService, url: str) -> str:
    """A look at a site that is over."""
    client = site.server.client("ada")
    path = client.send("/previews", client.ask("/"), url=url, preset="site").headers["location"]
    site.work_until(lambda: "refresh" not in client.ask(path).headers)
    return path.rpartition("/")[2]


def look(shown: ServicePage, options: dict[str, object], where: str) -> list[str]:
    """What axe has to say."""
    found = shown.run(RUN.replace("OPTIONS", json.dumps(options)))
    assert found is not None, where
    return [f"{where}: {each['id']}: {each['nodes']}" for each in json.loads(found)]


def look_at(shown: ServicePage, path: str, is_whole: bool) -> list[str]:
    """What is wrong with a page that is open, all that is folded away unfolded: in light, in dark, on a phone."""
    shown.run(AXE.read_text())
    shown.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    wrong = look(shown, {}, f"{path} in light")
    if not is_whole:
        return wrong
    scheme = {"name": "prefers-color-scheme", "value": "dark"}
    shown.call("Emulation.setEmulatedMedia", features=[scheme])
    wrong += look(shown, {"runOnly": ["color-contrast"]}, f"{path} in dark")
    shown.call("Emulation.setEmulatedMedia", features=[scheme | {"value": "light"}])
    size = {"width": PHONE_WIDTH, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    shown.call("Emulation.setDeviceMetricsOverride", **size)
    wrong += look(shown, {}, f"{path} on a phone")
    beyond = json.loads(str(shown.run(BEYOND)))
    width = shown.run("document.scrollingElement.scrollWidth")
    if beyond or int(width) > PHONE_WIDTH:
        wrong.append(f"{path} is {width} wide on a phone: {beyond}")
    shown.call("Emulation.setDeviceMetricsOverride", width=1200, height=900, deviceScaleFactor=1, mobile=False)
    return wrong


def test_every_page_is_for_everybody(shelf: Shelf, offline_browser: Browser) -> None:
    assert AXE.exists(), "make test brings it: make .peers/axe/installed"
    root, seen, wrong = f"http://127.0.0.1:{shelf.site.server.port}", set(), list[str]()
    shown = ServicePage(offline_browser, "about:blank")
    shown.call("Network.enable")
    for account in ("ada", "rae", None):
        client = shelf.site.server.client(account)
        shown.call("Network.clearBrowserCookies")
        for name, value in client.cookies.items():
            shown.call("Network.setCookie", name=name, value=value, url=root)
        for template, path in shelf.paths().items():
            answer = client.ask(path)
            kind = answer.headers.get("content-type", "")
            if answer.status in (303, 401) or not kind.startswith("text/html"):
                seen |= {template} if answer.status == 200 else set()
                continue
            seen |= {template} if answer.status == 200 else set()
            shown.go(root + path)
            shown.wait(f"document.readyState === 'complete' && location.href === {json.dumps(root + path)}")
            wrong += [f"{account or 'a visitor'}, {each}" for each in look_at(shown, path, account == "ada")]
    shown.close()
    assert not wrong, "\n".join(wrong)
    unseen = {each.path for each in PAGES if "GET" in each.methods} - seen - ELSEWHERE.keys()
    assert unseen == set(), "fill the shelf with what they show"


def test_a_job_that_is_watched_and_steered_is_for_everybody(tmp_path: Path, offline_browser: Browser) -> None:
    paths = [f"/page/{number}" for number in range(300)]
    pages = {"/": linking(*paths, "/gone", title="Home")} | {path: linking("/", title=path) for path in paths}
    with SmallSite(pages) as site, dashboard(tmp_path / "service") as client:
        shown = ServicePage(offline_browser, f"http://127.0.0.1:{client.port}{client.entry}")
        shown.wait("document.querySelector('#url') && location.pathname === '/' && !location.search")
        shown.run("document.getElementById('delay').value = '0.2'; document.getElementById('browser').value = 'always'")
        shown.fill("#url", site.url("/"))
        shown.click(".address-row button")
        shown.wait("document.querySelector('#live [aria-label=Hosts]') && document.querySelector('#exclude')")
        job = str(shown.run("location.pathname"))
        wrong = look_at(shown, job, True)
        shown.fill("#exclude", "*/page/1*")
        shown.click("form[action$='/rule'] button")
        shown.wait("location.pathname.endsWith('/rule') && document.querySelector('.card .figures')")
        wrong += look_at(shown, f"{job}/rule", True)
        shown.click(".card form button")
        shown.wait("document.querySelector('.rules code') && document.readyState === 'complete'")
        wrong += look_at(shown, f"{job} with rules", True)
        shown.click(".steering button")
        shown.wait("document.querySelector('.state-paused') && document.readyState === 'complete'")
        wrong += look_at(shown, f"{job} paused", True)
        shown.click(".steering .danger")
        shown.wait("document.querySelector('.result .state-cancelled')")
        shown.close()
    assert not wrong, "\n".join(wrong)


def focused(shown: ServicePage) -> str:
    found = "(document.activeElement.id || document.activeElement.value || document.activeElement.textContent).trim()"
    return str(shown.run(found))


def tab_to(shown: ServicePage, wanted: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(60):
        shown.press("Tab")
        if focused(shown) == wanted:
            assert shown.run("getComputedStyle(document.activeElement).outlineStyle") != "none", "the focus is seen"
            return
    raise AssertionError(f"no {wanted} is reached by Tab")


def test_from_the_first_start_to_a_captured_site_by_keyboard_alone(tmp_path: Path, offline_browser: Browser) -> None:
    home = Page(b'<!doctype html><html lang="en"><title>Home</title><p>words</p>')
    with SmallSite({"/": home}) as site, dashboard(tmp_path / "service") as client:
        shown = ServicePage(offline_browser, f"http://127.0.0.1:{client.port}{client.entry}")
        shown.wait("document.querySelector('#url') && location.pathname === '/' && !location.search")
        shown.run("document.activeElement.blur()")
        tab_to(shown, "url")
        shown.call("Input.insertText", text=f"http://127.0.0.1:{site.port}/")
        tab_to(shown, "site")
        shown.press("Enter")
        shown.wait("location.pathname.startsWith('/jobs/')")
        shown.wait("document.querySelector('.result') && document.readyState === 'complete'")
        tab_to(shown, "Report")
        shown.press("Enter")
        shown.wait("document.body.innerText.includes('127.0.0.1')")
        shown.close()
