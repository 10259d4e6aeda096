"""What a capture would mean, told before it is begun: by the command, by pages without scripts, and by the API."""

import json
from pathlib import Path

from dashboard_calls import dashboard
from small_site import Page, SmallSite, linking
from warc_material import webkeep

from webkeep.quality.report import BrowserNeed, PageOutlook, ScopeLimits, SitemapOutlook, estimate_capture

ROBOTS = b"User-agent: *\nDisallow: /closed/\nCrawl-delay: 0.2\nSitemap: /nowhere\n"
SITEMAP = "<urlset>" + "".join(f"<url><loc>{{0}}p{number}</loc></url>" for number in range(7)) + "</urlset>"


def site_pages(home: str) -> dict[str, Page]:
    return {
        "/": linking("/one", "/two"),
        "/robots.txt": Page(ROBOTS, "text/plain"),
        "/sitemap.xml": Page(SITEMAP.replace("{0}", home).encode(), "application/xml"),
    }


def test_the_command_tells_of_the_site_around_a_page() -> None:
    site = SmallSite(lambda _host, path: site_pages(site.url("/")).get(path, Page(b"none", "text/plain", 404)))
    with site:
        told = webkeep("check", site.url("/"), "--site", "--browser", "off", "--json")
        closed = webkeep("check", site.url("/closed/"), "--site", "--browser", "off")
    found = json.loads(told.out.splitlines()[-1])["site"]
    assert found["robots"] == {"answer": "allowed", "rule": "", "crawl_delay": 0.2}
    assert found["sitemap"] == {"files": 1, "urls": 7, "is_whole": True}
    assert found["estimate"]["pages"] == {"least": 7, "most": 7} and found["page"]["delay"] == 0.2
    assert b'"answer": "refused", "rule": "Disallow: /closed/ (line 2)"' in closed.out


def test_what_nobody_can_know_is_said_to_be_unknown() -> None:
    page = PageOutlook(1000, 2, 5000, 4, BrowserNeed.NOT_NEEDED, 0.0, 1.0)
    open_ended = estimate_capture(page, SitemapOutlook(), ScopeLimits(is_page_alone=False))
    assert (open_ended.pages.least, open_ended.pages.most, open_ended.bytes.most) == (5, None, None)
    alone = estimate_capture(page, SitemapOutlook(1, 70, is_whole=True), ScopeLimits(is_page_alone=True))
    assert (alone.pages.most, alone.seconds.most, alone.bytes.most) == (1, 3, 6000)
    bounded = estimate_capture(page, SitemapOutlook(), ScopeLimits(is_page_alone=False, max_urls=3))
    assert (bounded.pages.least, bounded.pages.most) == (3, 3)


def test_a_page_without_scripts_tells_it_and_keeps_what_was_typed(tmp_path: Path) -> None:
    site = SmallSite(lambda _host, path: site_pages(site.url("/")).get(path, Page(b"none", "text/plain", 404)))
    with site, dashboard(tmp_path / "service") as client:
        client.enter()
        moved = client.send("/previews", client.ask("/"), url=site.url("/"), preset="site", browser="off", depth="3")
        assert moved.status == 303, moved.text
        shown = client.ask(moved.headers["location"])
        while "refresh" in shown.headers:
            shown = client.ask(moved.headers["location"])
        assert "7 URLs in scope in 1 file" in shown.text and "of the page can be archived" in shown.text
        assert f'value="{site.url("/")}"' in shown.text and 'value="3"' in shown.text
        plan = client.send("/plan.toml", shown, url=site.url("/"), preset="page", max_bytes="2GB")
        assert 'scope = "page"' in plan.text and 'max_bytes = "2GB"' in plan.text
        assert client.ask("/previews/0123").status == 404
        assert client.send("/previews", shown, url="file:///etc/passwd", submission="x").status in (303, 400)
        assert "/jobs/" not in client.ask("/").text.partition("captured lately")[2].partition("All jobs")[0]
