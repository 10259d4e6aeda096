"""What everybody sees of a public collection: its page, replay apart from the service, its words, and a frame of it."""

import http.client
import io
import json
import re
import tomllib
import urllib.parse
import zipfile
from pathlib import Path

import pytest
from dashboard_calls import DashboardClient, dashboard
from small_site import Page, SmallSite, linking
from test_dashboard_captures import made
from test_dashboard_plans import add

from webkeep.errors import UsageError
from webkeep.service.run import ServicePlace

FACTS = {
    "title": 'The "town" <b>',
    "description": "Its pages\nof a year",
    "subjects": "maps\nriver",
    "creator": "A library",
    "rights": "CC BY 4.0",
    "purpose": "extensive",
}
PAGES = {"/": linking("/one", title="Front"), "/one": Page(b"<title>One</title><p>a heron by the weir")}


def captured_collection(client: DashboardClient, site: SmallSite, **more: str) -> str:
    client.enter()
    assert client.send("/collections", client.ask("/new-collection"), name="town", **FACTS, **more).status == 303
    add(client, "town", table=site.url("/"))
    (seed,) = re.findall(r'href="(/collections/town/seeds/\w+)"', client.ask("/collections/town").text)
    job = client.send(f"{seed}/capture", client.ask(seed)).headers["location"]
    assert 'data-state="done"' in client.ask(f"{job}/events").text
    return job


def ask(url: str) -> tuple[int, str]:
    """What a browser gets at an address whose name leads to this machine, redirects not followed."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=60)
    try:
        connection.request(
            "GET", parts.path + (f"?{parts.query}" if parts.query else ""), headers={"host": parts.netloc}
        )
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace")
    finally:
        connection.close()


def replay_links(text: str) -> list[str]:
    return re.findall(r'href="(http://[^"]+/view/[^"]+)"', text)


def test_a_public_collection_is_replayed_searched_and_framed_apart_from_the_service(tmp_path: Path) -> None:
    with SmallSite(PAGES) as site, dashboard(tmp_path / "service") as client:
        captured_collection(client, site)
        stranger = DashboardClient(client.port, client.entry)
        for path in ("/public/town", "/public/town/embed", "/public/town/picture"):
            assert stranger.ask(path).status == 404, path
        assert "Only those see this page" in client.ask("/public/town").text
        edit = client.ask("/collections/town/edit")
        assert client.send("/collections/town/edit", edit, is_public="yes", **FACTS).status == 303
        shown = stranger.ask("/public/town")
        assert "&lt;b&gt;" in shown.text and "1 of 1 seeds" in shown.text
        (link,) = replay_links(shown.text)
        assert urllib.parse.urlsplit(link).hostname == "localhost"
        assert urllib.parse.urlsplit(link).port != client.port
        assert ask(link)[0] == 200 and "as it was" in ask(link)[1]
        status, missing = ask(f"{link}nothing")
        assert status == 404 and str(tmp_path) not in missing, "nobody is told where it lies on the machine"
        assert client.send("/collections/town/picture", client.ask("/public/town")).status == 303
        assert 'src="/public/town/picture"' in client.ask("/collections/town").text
        framed = stranger.ask("/public/town/embed")
        assert "frame-ancestors *" in framed.headers["content-security-policy"]
        assert "x-frame-options" not in framed.headers and "<script" not in framed.text
        assert shown.headers["x-frame-options"] == "DENY" and "set-cookie" not in framed.headers
        assert len(found_pages(stranger)) == 1
        assert "<mark>heron</mark>" in stranger.ask("/public/town?q=heron").text
        assert "Nothing was found" in stranger.ask("/public/town?q=dragon").text
        edit = client.ask("/collections/town/edit")
        client.send("/collections/town/edit", edit, **FACTS)
        with pytest.raises(OSError):
            ask(link)
        assert stranger.ask("/public/town").status == 404


def found_pages(client: DashboardClient) -> list[str]:
    """The pages with a word, once the words of the archive were read: each request takes some milliseconds."""
    for _ in range(20_000):
        if found := [each for each in replay_links(client.ask("/public/town?q=heron").text) if each.endswith("/one")]:
            return found
    raise AssertionError("the words were not read")


def test_what_is_said_of_a_collection_is_said_in_its_archives_and_packages(tmp_path: Path) -> None:
    folder = tmp_path / "service"
    with SmallSite(PAGES) as site, dashboard(folder) as client:
        job = captured_collection(client, site)
        (settings,) = folder.glob("collections/town/archive-*/archive.toml")
        said = tomllib.loads(settings.read_text())
        assert said["title"] == FACTS["title"] and said["subjects"] == ["maps", "river"]
        package = zipfile.ZipFile(io.BytesIO(made(client, f"{job}/downloads/wacz").body))
        manifest = json.loads(package.read("datapackage.json"))
        assert (manifest["title"], manifest["keywords"]) == (FACTS["title"], ["maps", "river"])
        assert manifest["contributors"] == [{"title": "A library", "role": "author"}]
        assert manifest["dublinCore"]["dc:rights"] == "CC BY 4.0"
        edit = client.ask("/collections/town/edit")
        client.send("/collections/town/edit", edit, **{**FACTS, "creator": "Another"})
        assert tomllib.loads(settings.read_text())["creator"] == "Another"


@pytest.mark.parametrize(
    ("public", "replay", "port"),
    [
        ("https://keep.example.org/", "https://replay.example.org/", 8070),
        ("https://keep.example/", "https://keep.example/", 8070),
        ("https://keep.example/", "https://replay.elsewhere.example/path", 8070),
        ("https://keep.example/", "ftp://elsewhere.example/", 8070),
        ("https://keep.example/", "https://elsewhere.example/", 0),
    ],
)
def test_replay_shares_no_site_with_the_service(public: str, replay: str, port: int) -> None:
    with pytest.raises(UsageError):
        ServicePlace("127.0.0.1", public, replay, port)


def test_replay_for_others_takes_a_domain_of_its_own() -> None:
    place = ServicePlace("127.0.0.1", "https://keep.example.org/", "https://kept.example.net/", 8070)
    assert place.is_exposed
