"""Collections by the page alone in a real Chromium: 200 seeds from a table, a feed and a repository that are watched, a
schedule that is tried out, and the public page with its frame.
"""

import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from dashboard_calls import dashboard
from devtools import Browser
from service_page import ServicePage
from small_site import Page, SmallSite

RECORD = (
    "<record><header><identifier>oai:1</identifier><datestamp>2026-01-01</datestamp></header><metadata><dc>"
    "<identifier>{}</identifier></dc></metadata></record>"
)


def answer(host: str, path: str) -> Page:
    here = f"http://{host}"
    if path == "/feed":
        return Page(f"<rss><channel><item><link>{here}/news</link></item></channel></rss>".encode(), "text/xml")
    if path.startswith("/oai"):
        assert parse_qs(urlsplit(path).query)["verb"] == ["ListRecords"]
        listed = RECORD.format(f"{here}/record")
        return Page(f"<OAI-PMH><ListRecords>{listed}</ListRecords></OAI-PMH>".encode(), "text/xml")
    return Page(f"<!doctype html><title>{path}</title><h1>{path}</h1>".encode())


def test_a_collection_is_made_filled_watched_and_shown_by_its_pages(tmp_path: Path, offline_browser: Browser) -> None:
    with SmallSite(answer) as site, dashboard(tmp_path / "service") as client:
        start = f"http://127.0.0.1:{client.port}"
        page = ServicePage(offline_browser, start + client.entry)
        page.wait("location.pathname === '/' && document.querySelector('h1')?.innerText")
        page.go(f"{start}/new-collection")
        page.wait("document.querySelector('#name') !== null")
        page.fill("#name", "town")
        page.fill("#title", "The town")
        page.click("#is_public")
        page.click("main form button")
        page.wait("location.pathname === '/collections/town'")
        lines = [f"{site.url(f'/page/{number}')},page" for number in range(200)]
        table = tmp_path / "seeds.csv"
        table.write_text("\n".join(["url,scope", *lines]))
        root = page.call("DOM.getDocument")["root"]["nodeId"]
        field = page.call("DOM.querySelector", nodeId=root, selector="#file")["nodeId"]
        page.call("DOM.setFileInputFiles", nodeId=field, files=[str(table)])
        page.click("#add button")
        page.wait("document.body.innerText.includes('200 seeds')")
        page.go(f"{start}/new-collection")
        page.wait("document.querySelector('#left-out-town') !== null")
        page.fill("#name", "land")
        page.fill("#title", "The land")
        page.click("#left-out-town")
        page.click("main form button")
        page.wait("location.pathname === '/collections/land' && document.body.innerText.includes('Left out is what')")
        page.go(f"{start}/collections/town/schedules")
        page.wait("document.querySelector('#times') !== null")
        page.click("button[value=preview]")
        assert page.wait("document.querySelectorAll('.runs li').length") == 8
        for kind, path in (("feed", "/feed"), ("oai-pmh", "/oai?set=maps")):
            page.wait("document.querySelector('#watch #url') !== null")
            page.run(f"document.querySelector('#kind').value = '{kind}'")
            page.fill("#watch #url", site.url(path))
            page.click("#present")
            page.click("#watch form button")
            page.wait(f"document.querySelector('td.first')?.closest('table').innerText.includes('{path}')")
        for name in ("news", "record"):
            for _ in range(200):
                page.go(f"{start}/jobs")
                page.wait("document.querySelector('h1') !== null && document.readyState === 'complete'")
                if page.run(f"document.body.innerText.includes('/{name}')"):
                    break
            assert page.run(f"document.body.innerText.includes('/{name}')"), name
        page.go(f"{start}/public/town")
        assert page.wait("document.querySelectorAll('.seeds li').length") == 100
        assert "The town" in str(page.run("document.querySelector('details pre').textContent"))
        assert page.complaints() == []
