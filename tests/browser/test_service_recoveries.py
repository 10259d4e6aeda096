"""A visitor's recovery in a real Chromium, by the pages alone: form, mail, progress, result, end of its term."""

import re
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from devtools import Browser
from mail_server import MailServer, running_mail_server
from serve_calls import served
from service_page import ServicePage
from visitor_service import DAY, LOST, VisitedService, held_site, mail_settings, visited_service

from webkeep.service.recoveries import VisitorRecoveryState

WITHOUT_LABEL = (
    "[...document.querySelectorAll('input:not([type=hidden]), select')].filter(e => !e.labels.length).length"
)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SAYS = "document.body.innerText.includes('{}')"


@contextmanager
def at_work(site: VisitedService) -> Iterator[None]:
    """The service does what is to be done, for as long as the block lasts."""
    ending = threading.Event()

    def work() -> None:
        while not ending.wait(0.05):
            site.work()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


def wait_for_mail(server: MailServer, count: int) -> str:
    deadline = time.monotonic() + 60
    while len(server.mails) < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    content = server.mails[-1].get_payload(decode=True)
    assert isinstance(content, bytes)
    return content.decode()


def wait_for_file(path: Path) -> Path:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return path


def test_a_lost_site_comes_back_by_the_pages_alone(tmp_path: Path, offline_browser: Browser) -> None:
    held = held_site(tmp_path / "held")
    with served(held) as holder, running_mail_server() as mails:
        slow = {"Our library": f"cdx=http://127.0.0.1:{holder.port}/cdx limit=2/second"}
        with visited_service(tmp_path / "service", slow, mail_settings(mails.port)) as site, at_work(site):
            root = f"http://127.0.0.1:{site.server.port}"
            page = ServicePage(offline_browser, f"{root}/recover", width=360, scheme="dark")
            page.wait("document.querySelector('#url')")
            assert (page.run(WITHOUT_LABEL), page.run(OVERFLOW)) == (0, 0)
            page.fill("#url", "lost.example")
            page.fill("#mail", "ada@home.example")
            page.press("Enter")  # without a mouse
            page.wait(SAYS.format("There is something to recover"))
            assert page.run(OVERFLOW) == 0, "a phone shows it whole"
            status = str(page.run("location.href"))
            found = re.search(r"http://keep\.example(/recover/\S+/confirm/\S+)", wait_for_mail(mails, 1))
            assert found
            page.go(root + found[1])
            page.wait("location.pathname.includes('/confirm/') && document.querySelector('form button')")
            page.click("form button")
            page.wait("document.querySelector('progress') && document.querySelector('progress').value > 0")
            assert page.run("location.href") == status
            page.wait(SAYS.format("5 of 5 resources"))
            assert status.removeprefix(root) in wait_for_mail(mails, 2)
            fetch_result(page, offline_browser, tmp_path / "fetched")
            page.click("a[href$='/look/']")
            look_at_result(page)
            look_as_administrator(page, root + site.server.told[0])
            site.clock.at = site.clock.at.plus(29 * DAY)
            page.go(status)
            site.work_until(lambda: not site.service.recoveries.list_recoveries([VisitorRecoveryState.COMPLETED]))
            page.go(status)
            page.wait(SAYS.format("There is nothing here"))
            assert page.complaints() == []
            page.close()


def fetch_result(page: ServicePage, browser: Browser, folder: Path) -> None:
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    page.wait("document.querySelector(\"a.button[href$='/downloads/zip']\")")  # the mail may be there before
    page.click("a.button[href$='/downloads/zip']")
    with zipfile.ZipFile(wait_for_file(folder / "lost.example.zip")) as packed:
        assert "sites/lost.example/index.html" in packed.namelist()


def poll(page: ServicePage, wanted: str) -> None:
    """Wait for what a page in a sandbox is to be, in which nothing can wait by itself."""
    deadline = time.monotonic() + 60
    while not page.run(wanted):
        assert time.monotonic() < deadline, wanted
        time.sleep(0.02)


def look_at_result(page: ServicePage) -> None:
    """What strangers wrote is shown, and does nothing."""
    poll(page, "location.pathname.endsWith('/look/') && document.readyState === 'complete'")
    page.go(str(page.run("location.href")) + "lost.example/index.html")
    poll(page, "document.title.includes('alert') && document.readyState === 'complete'")
    assert page.run("self.origin") == "null", "it is of no origin, least of all of the service's"
    assert page.run("document.querySelector('img') && document.querySelector('img').src.includes('/look/')")


def look_as_administrator(page: ServicePage, entry: str) -> None:
    page.go(entry)
    page.wait("document.querySelector('a[href=\"/recoveries\"]')")
    page.go(entry.partition("/?")[0] + "/recoveries")
    page.wait(f"document.querySelector('table') && {SAYS.format(LOST)}")
    assert (page.run(WITHOUT_LABEL), page.run(OVERFLOW)) == (0, 0)
    page.go(entry.partition("/?")[0] + "/recoveries/usage")
    page.wait("document.querySelectorAll('figure:has(svg)').length === 4")
