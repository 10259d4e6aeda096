"""Versions that show something else than the page."""

import pytest

from recover_shelf import Shelf, crawled, page
from webkeep.document import PlaceholderSuspicion
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.recover import RecoveryPlan
from webkeep.recover.judging import detect_placeholder
from webkeep.recover.repositories import RepositoryTraits

SITE = "http://lost.example/"
LONG = "<p>" + "A long and thoughtful text about error pages. " * 80


def seen(content: str, url: str = f"{SITE}a", status: int = 200, kind: str = "text/html") -> Exchange:
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\n\r\n".encode()
    return Exchange(url, Moment.parse("2010"), head, BytesBody(content.encode()))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<title>404 Not Found</title><h1>Not Found</h1>", PlaceholderSuspicion.SOFT_404),
        ("<title>Our shop</title><h1>Sorry, that page was not found</h1>", PlaceholderSuspicion.SOFT_404),
        ("<title>Seite nicht gefunden</title><p>Leider", PlaceholderSuspicion.SOFT_404),
        ("<title>Erreur</title><h1>Page introuvable</h1>", PlaceholderSuspicion.SOFT_404),
        ("<title>500 Internal Server Error</title>", PlaceholderSuspicion.SERVER_ERROR),
        ("<title>Error establishing a database connection</title>", PlaceholderSuspicion.SERVER_ERROR),
        (
            "<title>lost.example</title><p>This domain is for sale! <a href=/>Buy this domain</a>",
            PlaceholderSuspicion.PARKED,
        ),
        ("<title>x</title><script src='//c.parkingcrew.net/a.js'></script>", PlaceholderSuspicion.PARKED),
        ("<title>Log in</title><form><input type=password></form>", PlaceholderSuspicion.LOGIN),
        ("<title>News</title><h1>This content is not available in your region</h1>", PlaceholderSuspicion.REGION),
        ("<title>451: Unavailable due to legal reasons</title><p>We recognize", PlaceholderSuspicion.REGION),
        ("<title>In Ihrem Land nicht verfügbar</title>", PlaceholderSuspicion.REGION),
        ("<h1>Ce contenu n'est pas disponible dans votre pays</h1>", PlaceholderSuspicion.REGION),
        ("<html><title>Internet Archive Wayback Machine</title><p>Hrm.", PlaceholderSuspicion.ARCHIVE),
        ("<p>Got an HTTP 302 response at crawl time</p>", PlaceholderSuspicion.ARCHIVE),
    ],
)
def test_what_is_refused(content: str, expected: PlaceholderSuspicion) -> None:
    assert detect_placeholder(seen(content)) is expected


@pytest.mark.parametrize(
    "exchange",
    [
        seen(f"<title>How to design a 404 page</title>{LONG}"),
        seen("<title>Rooms</title><h1>Room 12</h1>"),
        seen(f"<title>Why films are not available in your country</title>{LONG}"),
        seen("<title>Not available</title><h1>Rooms that are not available in your week</h1>"),
        seen("<title>404 Not Found</title>", status=404),
        seen("<title>Log in</title><form><input type=password></form>", f"{SITE}login.php"),
        seen("404 not found", kind="text/plain"),
        seen(f"<title>Domains</title>{LONG}{LONG} this domain is for sale"),
    ],
    ids=[
        "speaks of it",
        "an ordinary page",
        "speaks of countries",
        "of weeks",
        "says so itself",
        "a login page",
        "no page",
        "says much more",
    ],
)
def test_what_is_not(exchange: Exchange) -> None:
    assert detect_placeholder(exchange) is None


def test_the_root_is_never_taken_for_a_missing_page() -> None:
    assert detect_placeholder(seen("<title>Error 404: the band</title>"), is_root=True) is None


def test_a_refused_version_gives_way_to_an_older_one_and_is_told() -> None:
    shelf = Shelf(RepositoryTraits("one"))
    shelf.put(SITE, "2010-01-01", page("home", links=["/a", "/b"]))
    shelf.put(SITE + "a", "2009-01-01", page("the real one"))
    shelf.put(SITE + "a", "2011-01-01", "<title>404 Not Found</title>")
    shelf.put(SITE + "b", "2011-01-01", "<title>404 Not Found</title>")
    got = crawled(RecoveryPlan((SITE,)), shelf)
    assert b"the real one" in got.content(SITE + "a")
    assert got.missing() == {SITE + "b": f"held only as {PlaceholderSuspicion.SOFT_404.value}"}
    trusting = crawled(RecoveryPlan((SITE,), suspicious=False), shelf)
    assert b"404" in trusting.content(SITE + "a")
