"""Pages that people come back to, and that change while they read, in real Chromium: what was sent is done once, and
the keyboard stays where it is.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from dashboard_calls import dashboard
from devtools import Browser
from service_page import ServicePage
from small_site import Page, SmallSite, linking

from webkeep.service.run import ServiceFolder
from webkeep.service.store import JobStore, ScheduleStore, open_service_database


def test_whoever_goes_back_and_sends_the_same_again_does_it_once(tmp_path: Path, offline_browser: Browser) -> None:
    with (
        SmallSite({"/": Page(b"<!doctype html><title>Home</title>words")}) as site,
        dashboard(tmp_path / "service") as client,
    ):
        page = ServicePage(offline_browser, f"http://127.0.0.1:{client.port}{client.entry}")
        page.wait("document.querySelector('#url') && location.pathname === '/' && !location.search")
        page.fill("#url", site.url("/"))
        page.click(".address-row button")
        page.wait("location.pathname.startsWith('/jobs/') && document.querySelector('.result .state-done')")
        job = page.run("location.pathname")
        page.run("history.back(); 1")
        page.wait(f"document.querySelector('#url')?.value === {site.url('/')!r} && document.readyState === 'complete'")
        page.click(".address-row button")
        page.wait("location.pathname.startsWith('/jobs/') && document.querySelector('.result')")
        assert page.run("location.pathname") == job
        schedules = f"http://127.0.0.1:{client.port}/collections/main/schedules"
        page.go(schedules)
        page.wait("document.querySelector('#times') && document.readyState === 'complete'")
        page.run("document.querySelector('#times').value = ''")
        page.fill("#times", "99 * * * *")
        page.click("button[value=add]")
        page.wait("document.querySelector('.message button')?.textContent === 'Go back'")
        page.click(".message button")
        page.wait("document.querySelector('#times')?.value === '99 * * * *' && document.readyState === 'complete'")
        page.run("document.querySelector('#times').value = ''")
        page.fill("#times", "@weekly")
        page.click("button[value=add]")
        page.wait("document.querySelectorAll('table tbody tr').length === 1")
        page.run("history.back(); 1")
        page.wait("document.querySelector('#times')?.value === '@weekly' && document.readyState === 'complete'")
        page.click("button[value=add]")
        page.wait("document.querySelector('#times')?.value === '@daily' && document.readyState === 'complete'")
        assert page.run("document.querySelectorAll('table tbody tr').length") == 1
        page.close()
    database = open_service_database(ServiceFolder(tmp_path / "service").database_path)
    assert (len(JobStore(database).list_jobs()), len(ScheduleStore(database).list_schedules("main"))) == (1, 1)
    database.close()


def test_the_keyboard_stays_where_it_is_while_a_job_is_told_of(tmp_path: Path, offline_browser: Browser) -> None:
    paths = [f"/page/{number}" for number in range(200)]
    pages = {"/": linking(*paths, title="Home")} | {path: linking("/", title=path) for path in paths}
    with SmallSite(pages) as site, dashboard(tmp_path / "service") as client:
        page = ServicePage(offline_browser, f"http://127.0.0.1:{client.port}{client.entry}")
        page.wait("document.querySelector('#url') && location.pathname === '/' && !location.search")
        page.run(
            "for (const [id, said] of [['delay', '0.2'], ['browser', 'off']]) document.getElementById(id).value = said"
        )
        page.fill("#url", site.url("/"))
        page.click(".address-row button")
        page.wait("document.querySelector('#live [aria-label=Hosts]')")
        page.run("document.querySelector('#live [aria-label=Hosts]').focus(); seen = live.textContent; 1")
        page.wait("live.textContent !== seen")
        assert page.run("document.activeElement.ariaLabel") == "Hosts"
        page.click(".steering .danger")
        page.wait("document.querySelector('.state-cancelled')")
        page.close()


def test_lists_tell_by_themselves_what_became_of_jobs(tmp_path: Path, offline_browser: Browser) -> None:
    paths = [f"/page/{number}" for number in range(300)]
    pages = {"/": linking(*paths, title="Home")} | {path: linking("/", title=path) for path in paths}
    with SmallSite(pages) as site, dashboard(tmp_path / "service") as client:
        client.enter()
        shown, root = ServicePage(offline_browser, "about:blank"), f"http://127.0.0.1:{client.port}"
        shown.call("Network.enable")
        for name, value in client.cookies.items():
            shown.call("Network.setCookie", name=name, value=value, url=root)
        plan = {"url": site.url("/"), "collection": "town", "delay": "0.2", "browser": "off"}
        for path in ("/jobs", "/collections/town", "/"):
            job = client.send("/start", client.ask("/"), **plan).headers["location"]
            shown.go(root + path)
            shown.wait(f"location.pathname === '{path}' && document.querySelector('.state-running')")
            shown.run(f"document.querySelector('main a[href=\"{job}\"]').focus(); stays = true")
            assert client.send(f"{job}/steering", client.ask(job), event="cancel").status == 303
            shown.wait("stays && !document.querySelector('.state-running')")
            assert shown.run("document.activeElement.getAttribute('href')") == job
            shown.wait("stays && !document.querySelector('[data-moving=yes]')")
        shown.close()
