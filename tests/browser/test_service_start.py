"""From the first start of a service to a finished capture of the demo site, its replay and report, by the page alone;
and a rule that is seen before it is applied while a capture runs. In real Chromium.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from browsing import StillClock
from dashboard_calls import DashboardClient, dashboard
from devtools import Browser, Page, chromium, evaluate, open_page

from webkeep.api import export
from webkeep.browser.process import find_program, quiet_switches
from webkeep.lab.demo import DemoServer, DemoSite, SitePlan

MAX_CLICKS = 5


@contextmanager
def window(folder: Path, client: DashboardClient) -> Iterator["Person"]:
    words = [find_program(), f"--user-data-dir={folder}", *quiet_switches(), "--no-sandbox", "--headless=new"]
    with chromium([*words, "about:blank"]) as browser:
        page = Page(f"http://127.0.0.1:{client.port}{client.entry}", is_plain=True)
        open_page(browser, page)
        yield Person(browser, page)
        browser.close()


class Person:
    """Somebody in front of the page, whose clicks are counted."""

    def __init__(self, browser: Browser, page: Page) -> None:
        self._browser, self.page = browser, page
        self.clicks = 0

    def await_page(self, expression: str) -> None:
        """Wait until something is so on whatever page is there by then."""
        waiting = f"""new Promise((done) => {{
          const look = () => {{ if ({expression}) done(true); else setTimeout(look, 50); }}; look();
        }})"""
        for _ in range(200):
            try:
                words = {"expression": waiting, "awaitPromise": True, "returnByValue": True}
                told = self._browser.call("Runtime.evaluate", self.page.session, **words)
            except AssertionError as error:  # it was left for the next page while it was waited for
                if "navigated" not in str(error) and "destroyed" not in str(error) and "context" not in str(error):
                    raise
                continue
            if told["result"].get("value") is True:
                return
        raise AssertionError(f"never so: {expression}")

    def paste(self, text: str) -> None:
        self._browser.call("Input.insertText", self.page.session, text=text)

    def click(self, selector: str) -> None:
        self.clicks += 1
        evaluate(self._browser, self.page, f"document.querySelector({selector!r}).click()")

    def fill(self, selector: str, text: str) -> None:
        evaluate(self._browser, self.page, f"document.querySelector({selector!r}).value = {text!r}; 1")

    def go(self, path: str) -> None:
        evaluate(self._browser, self.page, f"location.assign({path!r}); 1")
        self.await_page(f"location.pathname === {path!r} && document.readyState === 'complete'")

    def choose(self, selector: str, file: Path) -> None:
        def call(method: str, **params: object) -> dict[str, Any]:
            return self._browser.call(method, self.page.session, **params)

        root = call("DOM.getDocument")["root"]["nodeId"]
        field = call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        call("DOM.setFileInputFiles", nodeId=field, files=[str(file)])

    def text(self) -> str:
        return evaluate(self._browser, self.page, "document.body.innerText")

    def back(self) -> None:
        evaluate(self._browser, self.page, "history.back(); 1")


def test_the_demo_site_is_captured_shown_and_judged_in_five_clicks(tmp_path: Path) -> None:
    clock = StillClock()
    with (
        DemoServer(DemoSite(SitePlan(), clock.now()), clock=clock) as demo,
        dashboard(tmp_path / "service") as client,
        window(tmp_path / "profile", client) as person,
    ):
        person.await_page("document.activeElement && document.activeElement.id === 'url'")
        person.paste(f"http://127.0.0.1:{demo.port}/")
        person.await_page("document.querySelector('#preview .dial')")
        assert "Sitemaps" in person.text() and "Pages" in person.text(), person.text()
        person.click(".address-row button")
        person.await_page("document.querySelector('.result a.button')")
        assert person.page.complaints == []
        person.click(".result a.button")
        person.await_page(f"location.port !== '{client.port}' && document.title")
        person.back()
        person.await_page("document.querySelector('.result a[href$=\"/report\"]')")
        person.click('.result a[href$="/report"]')
        person.await_page("location.pathname.endsWith('/report') && document.querySelector('h1')")
        assert person.clicks <= MAX_CLICKS
        file = tmp_path / "one.warc.gz"
        export(tmp_path / "service" / "collections" / "main" / "archive-1", warc=file)
        person.go("/")
        person.choose("#upload", tmp_path / "service" / "jobs.sqlite")
        person.click("#bring button")
        person.await_page("document.querySelector('#bring [role=status]').textContent.includes('has no records')")
        person.choose("#upload", file)
        person.click("#bring button")
        person.await_page("location.pathname.startsWith('/jobs/') && document.querySelector('.state-done')")


def test_a_rule_is_seen_before_it_is_applied_and_taken_back(tmp_path: Path) -> None:
    clock = StillClock()
    with (
        DemoServer(DemoSite(SitePlan(), clock.now()), clock=clock) as demo,
        dashboard(tmp_path / "service") as client,
        window(tmp_path / "profile", client) as person,
    ):
        person.await_page("document.getElementById('delay')")
        person.fill("#url", f"http://127.0.0.1:{demo.port}/")
        person.fill("#delay", "1")
        person.fill("#browser", "off")
        person.click(".address-row button")
        person.await_page("document.getElementById('exclude') && document.querySelector('#live table')")
        person.fill("#exclude", "*/news/*")
        person.click("form[action$='/rule'] button")
        person.await_page("document.querySelector('.card .figures') && document.title.includes('/news/')")
        assert "of the queue" in person.text() and "URLs were looked at" in person.text()
        person.click(".card form button")
        person.await_page("document.querySelector('.rules code')")
        assert "*/news/*" in person.text()
        person.click(".rules button")
        person.await_page("document.querySelector('.steering') && !document.querySelector('.rules code')")
        person.click(".steering .danger")
        person.await_page(
            "document.querySelector('.result .state-cancelled') && document.querySelector('.result a.button')"
        )
        assert "stored" in person.text(), "what it captured stays, and is shown"
