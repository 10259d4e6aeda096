"""What was archived, shown to people who have accounts and sit elsewhere: in a browser of the service that reaches the
archives of the collection and nothing else, for readers too; and no reader is shown a browser that reaches the web.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from dashboard_calls import DashboardClient, dashboard
from devtools import Browser
from service_page import ServicePage
from small_site import Page, SmallSite
from test_dashboard_public import captured_collection
from warc_material import webkeep

PASSWORD = "a long enough password"
FRONT = b"""<!doctype html><title>Front</title><body>
<a href="/one" style="position:absolute;left:20px;top:20px;width:300px;height:40px">one</a>"""
ONE = b"""<!doctype html><title>One</title><p>a heron</p><script>
fetch('/sent.json').then((answer) => answer.json()).then((told) => { location.hash = told.said; });</script>"""
PAGES = {"/": Page(FRONT), "/one": Page(ONE), "/sent.json": Page(b'{"said": "run"}', "application/json")}


def add_account(root: Path, name: str, *words: str) -> None:
    file = root.parent / "password"
    file.write_text(PASSWORD)
    added = webkeep("service", "account", "add", root, name, "--password-file", file, *words)
    assert added.code == 0, added.err


def log_in(browser: Browser, client: DashboardClient, name: str, path: str) -> ServicePage:
    page = ServicePage(browser, f"http://127.0.0.1:{client.port}{path}")
    page.wait("location.pathname === '/login' && document.querySelector('#name')")
    page.fill("#name", name)
    page.fill("#password", PASSWORD)
    page.press("Enter")
    page.wait(f"location.pathname === {path!r}")
    return page


def go_to(page: ServicePage, url: str) -> None:
    page.run(f"address.value = {url!r}; document.querySelector('#address-form').requestSubmit()")
    page.wait(f"view.dataset.drawn === 'yes' && view.dataset.url.startsWith({url!r})")


def test_a_reader_elsewhere_sees_what_was_archived_and_nothing_else(tmp_path: Path, offline_browser: Browser) -> None:
    root = tmp_path / "service"
    with dashboard(root) as client, SmallSite({"/": Page(b"never asked")}) as other:
        with SmallSite(PAGES) as site:
            home, job = site.url("/"), captured_collection(client, site)
        add_account(root, "ada")
        add_account(root, "rae", "--role", "reader", "--collection", "town")
        page = log_in(offline_browser, client, "rae", job)
        page.wait("document.querySelector('button[form=see]')")
        page.click("button[form=see]")
        page.wait(f"window.view && view.dataset.drawn === 'yes' && view.dataset.url === {home!r}")
        assert page.run("document.querySelectorAll('[action$=\"/save\"]').length") == 0
        page.click_picture(100, 40)
        page.wait(f"view.dataset.url === '{home}one#run'")
        go_to(page, other.url("/"))
        assert other.asked == [], "what is not held is not asked for"
        page.click("[action$='/end'] button")
        page.wait(f"location.pathname === {job!r}")
        page.close()


def test_whoever_is_a_reader_by_now_is_shown_no_browser_of_a_curator(tmp_path: Path, offline_browser: Browser) -> None:
    root = tmp_path / "service"
    with dashboard(root) as client, SmallSite(PAGES) as site:
        captured_collection(client, site)
        add_account(root, "ada")
        path = "/collections/town/logins"
        page = log_in(offline_browser, client, "ada", path)
        page.fill("#url", site.url("/"))
        page.fill("#name", "Ada")
        page.press("Enter")
        page.wait("window.view && view.dataset.drawn === 'yes'")
        add_account(root, "eve")
        changed = webkeep("service", "account", "role", root, "ada", "--role", "reader")
        assert changed.code == 0, changed.err
        page.wait("view.dataset.ended === 'yes'")
        assert "you are shown it no more" in str(page.run("told.textContent"))
        page.close()
