"""What the site shows: sound documents, links that lead somewhere, versions that differ, the same bytes everywhere."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree

import pytest
import turbohtml

from webkeep.errors import UsageError
from webkeep.lab.demo import DemoAddresses, DemoKind, DemoSite, LeafRates, SitePlan, TreeShape
from webkeep.lab.demo.addresses import SISTER_HOST, host_of
from webkeep.lab.demo.demo_site import count_town_pages
from webkeep.lab.demo.generated_pages import GeneratedPages
from webkeep.lab.demo.site_resource import DemoReach
from webkeep.lab.demo.sitemaps import changefreq_word
from webkeep.model import Moment

START = Moment.parse("2026-05-20T08:00:00Z")
TOWN = DemoSite(SitePlan(), START)
GROWN = DemoSite(SitePlan(pages=count_town_pages() + 120, tree=TreeShape(outdegree=5)), START)
BARE = DemoSite(SitePlan(town=False, pages=80, tree=TreeShape(outdegree=4)), START)
PAGES = [one.path for one in TOWN.resources.values() if one.kind is DemoKind.PAGE]
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def html(site: DemoSite, path: str, version: int = 0, addresses: DemoAddresses | None = None) -> turbohtml.Document:
    return turbohtml.parse(site.render_version(path, version, addresses or DemoAddresses()), strict=True)


def references(site: DemoSite, path: str) -> Iterator[str]:
    """Every address a resource names, read without the product's own extractors."""
    resource = site.resources[path]
    content = site.render_version(path, 0)
    if resource.kind is DemoKind.PAGE:
        document = html(site, path)
        for name in ("href", "src", "action"):
            yield from (element.attrs[name] for element in document.select(f"[{name}]"))
        for element in document.select("[srcset]"):
            yield from (part.split()[0] for part in element.attrs["srcset"].split(","))
    elif resource.kind is DemoKind.STYLE:
        yield from re.findall(r'(?:url\(|@import )"([^"]+)"', content.decode())
    elif resource.kind is DemoKind.SCRIPT:
        yield from re.findall(r'from "([^"]+)"', content.decode())
    elif path.endswith(".webmanifest"):
        yield from re.findall(r'"src": "([^"]+)"', content.decode())
    elif resource.kind is DemoKind.REDIRECT:
        yield resource.location


def found_by_links(site: DemoSite) -> set[str]:
    seen, waiting = {"/"}, ["/"]
    while waiting:
        source = waiting.pop()
        for reference in references(site, source):
            target = urlsplit(urljoin(source, reference)).path
            if not reference.startswith(("data:", "#")) and target in site.resources and target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def test_the_town_has_about_sixty_pages() -> None:
    assert 55 <= count_town_pages() <= 70
    assert len(PAGES) == count_town_pages()


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_sound(path: str) -> None:
    document = html(TOWN, path)
    names = [element.attrs["id"] for element in document.select("[id]")]
    assert len(names) == len(set(names))
    assert all("alt" in element.attrs for element in document.select("img"))
    assert len(document.select("h1")) == len(document.select("main")) == len(document.select("title")) == 1
    assert document.select_one("html").attrs["lang"]


@pytest.mark.parametrize("site", [TOWN, GROWN, BARE], ids=["town", "grown", "bare"])
def test_every_reference_leads_to_a_resource_of_the_site(site: DemoSite) -> None:
    for source in site.resources:
        for reference in references(site, source):
            if reference.startswith(("data:", "#")) or reference == "/contact/send/":
                continue
            assert not urlsplit(reference).netloc, f"{source} reaches outside: {reference}"
            assert urlsplit(urljoin(source, reference)).path in site.resources, f"{source} names {reference}"


@pytest.mark.parametrize("site", [TOWN, GROWN, BARE], ids=["town", "grown", "bare"])
def test_reachability_is_told_truly(site: DemoSite) -> None:
    assert found_by_links(site) == {one.path for one in site.truth() if one.reach is DemoReach.LINK}


@pytest.mark.parametrize("site", [TOWN, GROWN, BARE], ids=["town", "grown", "bare"])
def test_versions_of_a_changing_resource_differ(site: DemoSite) -> None:
    changing = [one.path for one in site.truth() if one.rate]
    assert len(changing) > 10
    for path in changing:
        contents = [site.render_version(path, version) for version in range(4)]
        assert len(set(contents)) == 4, path
        assert contents[2] == site.render_version(path, 2)


def test_content_does_not_depend_on_the_process() -> None:
    script = (
        "import hashlib; from webkeep.lab.demo import *; from webkeep.model import Moment\n"
        "site = DemoSite(SitePlan(pages=80), Moment.parse('2026-05-20T08:00:00Z'))\n"
        "found = hashlib.sha256()\n"
        "for one in site.truth():\n"
        "    for version in (0, 1) if one.rate else (0,):\n"
        "        found.update(one.path.encode() + site.render_version(one.path, version))\n"
        "print(found.hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "77")
    }
    assert len(digests) == 1


def test_pages_do_not_depend_on_the_start_and_do_on_the_seed() -> None:
    later = DemoSite(SitePlan(), START.plus(1e6))
    other = DemoSite(SitePlan(seed=2), START)
    for path in PAGES:
        assert later.render_version(path, 0) == TOWN.render_version(path, 0)
    assert other.render_version("/", 0) != TOWN.render_version("/", 0)
    assert other.render_version("/pictures/quay-dawn-320.png", 0) != TOWN.render_version(
        "/pictures/quay-dawn-320.png", 0
    )


def test_speed_compresses_time() -> None:
    fast = DemoSite(SitePlan(speed=60), START)
    slow_hour = [moment.seconds_since(START) for moment in TOWN.changes_until("/", START.plus(3600))]
    fast_minute = [moment.seconds_since(START) for moment in fast.changes_until("/", START.plus(60))]
    assert [round(second / 60, 4) for second in slow_hour] == [round(second, 4) for second in fast_minute]


def test_one_page_is_in_an_old_charset() -> None:
    content = TOWN.render_version("/welcome/fr/", 0)
    assert "œuvres".encode("windows-1252") in content
    assert turbohtml.parse(content).encoding.lower() == "windows-1252"
    assert TOWN.resources["/welcome/fr/"].media_type == "text/html"


def test_sitemaps_list_every_public_page_with_its_truth() -> None:
    at = START.plus(5000)
    index = ElementTree.fromstring(TOWN.render_version("/sitemap.xml", TOWN.version_at("/sitemap.xml", at)))
    listed: dict[str, tuple[str, str]] = {}
    for part in index.iter(f"{SITEMAP}loc"):
        path = urlsplit(part.text or "").path
        for url in ElementTree.fromstring(TOWN.render_version(path, TOWN.version_at(path, at))).iter(f"{SITEMAP}url"):
            where, modified, often, _ = (child.text or "" for child in url)
            listed[urlsplit(where).path] = (modified, often)
    assert set(listed) == set(PAGES) - {"/desk/", "/contact/thanks/"}
    for path, (modified, often) in listed.items():
        assert Moment.parse(modified) == TOWN.state_at(path, at).began
        assert often == changefreq_word(TOWN.resources[path].rate)


def test_change_frequencies_are_words_of_the_protocol() -> None:
    words = [changefreq_word(rate) for rate in (1.0, 1 / 3600, 1 / 86400, 1 / 604800, 1 / 2.6e6, 1 / 3.2e7, 0.0)]
    assert words == ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"]


def test_feeds_are_well_formed_and_change_with_their_articles() -> None:
    for path in ("/feeds/news.rss", "/feeds/news.atom"):
        ElementTree.fromstring(TOWN.render_version(path, 3))
        followed = [TOWN.version_at(one, START.plus(9000)) for one in TOWN.resources[path].follows]
        assert TOWN.version_at(path, START.plus(9000)) == sum(followed) > 0


def test_robots_keep_the_control_addresses_out() -> None:
    robots = TOWN.render_version("/robots.txt", 0).decode()
    assert "Disallow: /.demo/\n" in robots
    assert "Disallow: /desk/\n" in robots
    assert "Sitemap: http://www.tidewick.example/sitemap.xml\n" in robots


def test_spread_over_hosts_links_cross_them() -> None:
    addresses = DemoAddresses.on_port(8090, spread=True)
    document = html(TOWN, "/", addresses=addresses)
    links = {element.attrs["href"] for element in document.select("a[href]")}
    assert f"http://{SISTER_HOST}:8090/upper-fell/" in links
    assert "/news/" in links
    assert (
        document.select_one('link[rel="stylesheet"]').attrs["href"].startswith("http://static.tidewick.example:8090/")
    )
    assert len({host_of(path) for path in TOWN.resources}) == 4


def test_the_tree_has_the_shape_of_the_experiments() -> None:
    tree = GeneratedPages(1, 1000, TreeShape(outdegree=10, skew=1.2, hottest=1.0), "/", town=False)
    assert [tree.parent(number) for number in (1, 10, 11, 110, 111)] == [0, 0, 1, 10, 11]
    assert [child for number in range(1000) for child in tree.children(number)] == list(range(1, 1000))
    assert tree.rate(0) == 1.0
    assert tree.rate(9) == pytest.approx(10**-1.2)
    hot_leaves = GeneratedPages(1, 1000, TreeShape(leaves=LeafRates.HOT, hottest=1.0), "/", town=False)
    assert hot_leaves.rate(999) == 1.0
    assert hot_leaves.rate(0) == pytest.approx(1000**-1.2)


def test_depth_widens_the_tree() -> None:
    flat = GeneratedPages(1, 2000, TreeShape(outdegree=3, depth=2), "/", town=False)
    assert max(flat.level(number) for number in range(2000)) == 2
    assert flat.outdegree == 45


def test_a_share_of_the_tree_can_stand_still() -> None:
    tree = GeneratedPages(1, 200, TreeShape(still=0.75), "/", town=False)
    assert sum(tree.rate(number) == 0 for number in range(200)) == 150
    assert tree.rate(0) > 0


def test_every_page_of_a_large_site_has_its_own_address() -> None:
    large = DemoSite(SitePlan(pages=5000), START)
    assert sum(one.kind is DemoKind.PAGE for one in large.resources.values()) == 5000
    assert b"/chronicle/" in large.render_version("/", 0)
    assert max(len(path) for path in large.resources) < 200


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: SitePlan(pages=-1), "pages"),
        (lambda: SitePlan(town=False), "number of pages"),
        (lambda: SitePlan(speed=0), "speed"),
        (lambda: SitePlan(speed=float("nan")), "speed"),
        (lambda: SitePlan(speed=1e9), "lower speed"),
        (lambda: TreeShape(outdegree=1), "outdegree"),
        (lambda: TreeShape(still=2), "still"),
        (lambda: TOWN.version_at("/nowhere/", START), "no address"),
        (lambda: TOWN.render_version("/about/", 1), "never changes"),
    ],
)
def test_wrong_wishes_are_refused(wrong: object, said: str) -> None:
    assert callable(wrong)
    with pytest.raises(UsageError, match=said):
        wrong()
