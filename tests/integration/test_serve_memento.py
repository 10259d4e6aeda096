"""RFC 7089 to the letter: what it says a server MUST or SHOULD do, each with its test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from serve_calls import Client, Reply, archive_of, page, served

from webkeep.memento import parse_links

URL = "http://example.org/page"
FIRST, SECOND, THIRD = "20230101120000", "20230601120000", "20240101120000"
DATES = {
    FIRST: "Sun, 01 Jan 2023 12:00:00 GMT",
    SECOND: "Thu, 01 Jun 2023 12:00:00 GMT",
    THIRD: "Mon, 01 Jan 2024 12:00:00 GMT",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    path = archive_of(
        tmp_path_factory.mktemp("serve") / "archive",
        page(URL, FIRST, "<p>first"),
        page(URL, SECOND, "<p>second"),
        page(URL, THIRD, "<p>third"),
        page("http://example.org/moved", FIRST, "", status="301 Moved", head="Location: /page\r\n"),
        page("http://example.org/gone", FIRST, "not here", status="404 Not Found"),
        page("http://example.org/broken", FIRST, "sorry", status="503 Unavailable"),
    )
    with served(path) as client:
        yield client


def memento(client: Client, stamp: str = SECOND, url: str = URL, **headers: str) -> Reply:
    return client.ask(f"/web/{stamp}/{url}", **headers)


def gate(client: Client, **headers: str) -> Reply:
    return client.ask(f"/web/{URL}", **headers)


def direct(client: Client, **headers: str) -> Reply:
    return client.ask(f"/timegate/{URL}", **headers)


def timemap(client: Client) -> Reply:
    return client.ask(f"/timemap/link/{URL}")


CHECKS: dict[str, Callable[[Client], bool]] = {
    # 2.1.1 Accept-Datetime and Memento-Datetime
    "2.1.1 MUST: Memento-Datetime is an RFC 1123 date in GMT": lambda c: (
        memento(c).get("Memento-Datetime") == DATES[SECOND]
    ),
    "4.5.6 MUST: a memento keeps its datetime with and without Accept-Datetime": lambda c: (
        memento(c, Accept_Datetime=DATES[FIRST]).get("Memento-Datetime") == DATES[SECOND]
    ),
    "2.1.1 MUST NOT: no Memento-Datetime on what is no memento (TimeMap)": lambda c: (
        timemap(c).get("Memento-Datetime") == ""
    ),
    "2.1.1 MUST NOT: no Memento-Datetime on an answer that nothing is held": lambda c: (
        c.ask("/web/2023/http://example.org/none").get("Memento-Datetime") == ""
    ),
    "4.5.6 MUST: a memento keeps its datetime whatever the method": lambda c: (
        [memento(c, method=method).get("Memento-Datetime") for method in ("GET", "HEAD", "OPTIONS", "DELETE")]
        == [DATES[SECOND]] * 4
    ),
    "4.5.6 MUST: a memento keeps its datetime where only a part of it is sent, or none": lambda c: (
        [memento(c, Range=wanted).get("Memento-Datetime") for wanted in ("bytes=0-1", "bytes=900-")]
        == [DATES[SECOND]] * 2
    ),
    "2.1.1 MUST: what a replay host shows is a memento as well": lambda c: (
        (lambda reply: (reply.get("Memento-Datetime"), reply.link("original").target))(
            c.replay(f"{SECOND}h-example-org", "/page")
        )
        == (DATES[SECOND], URL)
    ),
    # 2.1.2 Vary
    "2.1.2 MUST: a TimeGate's Vary names accept-datetime": lambda c: gate(c).get("Vary") == "accept-datetime",
    "2.1.2 MUST: also where it answers directly": lambda c: "accept-datetime" in direct(c).all("Vary"),
    "2.1.2 MUST NOT: a memento's does not": lambda c: "datetime" not in ",".join(memento(c).all("Vary")).lower(),
    "2.1.2 MUST NOT: a TimeMap's does not": lambda c: "datetime" not in ",".join(timemap(c).all("Vary")).lower(),
    # 2.2 Relation types
    "2.2.1 MUST: a TimeGate links to exactly one original": lambda c: gate(c).link("original").target == URL,
    "2.2.1 MUST: a memento links to exactly one original": lambda c: memento(c).link("original").target == URL,
    "2.2.2 MUST: a memento links to its TimeGate": lambda c: (
        memento(c).link("timegate").target == f"{c.root}/web/{URL}"
    ),
    "2.2.3 MUST: a memento links to a TimeMap": lambda c: (
        memento(c).link("timemap").target == f"{c.root}/timemap/link/{URL}"
    ),
    "2.2.3 MUST: a TimeGate links to a TimeMap": lambda c: bool(gate(c).link("timemap").target),
    "2.2.3 SHOULD: a link to a TimeMap says its type": lambda c: (
        memento(c).link("timemap").get("type") == "application/link-format"
    ),
    "2.2.4 MUST: a link to a memento has its datetime": lambda c: (
        {link.get("datetime") for link in gate(c).links() if "memento" in link.relations} == {*DATES.values()}
    ),
    "2.2.4 MUST: that datetime is the memento's own": lambda c: all(
        c.ask(link.target).get("Memento-Datetime") == link.get("datetime")
        for link in memento(c).links()
        if "memento" in link.relations
    ),
    "2.2.4 first, last, prev and next are mementos as well": lambda c: (
        [memento(c).link(name).get("datetime") for name in ("first", "prev", "next", "last")]
        == [DATES[FIRST], DATES[FIRST], DATES[THIRD], DATES[THIRD]]
    ),
    # 4.2.1 A TimeGate that redirects
    "4.2.1 MUST: the TimeGate answers 302": lambda c: gate(c).status == 302,
    "4.2.1 MUST: its Location is the memento chosen": lambda c: (
        gate(c, Accept_Datetime="Fri, 02 Jun 2023 00:00:00 GMT").get("Location") == f"{c.root}/web/{SECOND}/{URL}"
    ),
    "4.2.1 MUST NOT: it has no Memento-Datetime": lambda c: gate(c).get("Memento-Datetime") == "",
    "4.2.1 MUST: the memento answers 200 with its datetime": lambda c: (
        (lambda reply: (reply.status, reply.get("Memento-Datetime")))(c.ask(gate(c).get("Location")))
        == (200, DATES[THIRD])
    ),
    "4.2.1 HEAD tells what GET tells": lambda c: (
        (lambda head, get: head.body == b"" and _told(head) == _told(get))(memento(c, method="HEAD"), memento(c))
    ),
    "4.2.1 HEAD works on a TimeGate": lambda c: gate(c, method="HEAD").get("Location") == gate(c).get("Location"),
    # 4.2.2 A TimeGate that answers directly
    "4.2.2 MUST: it answers 200 with the memento": lambda c: (
        (direct(c).status, direct(c).body) == (200, memento(c, THIRD).body)
    ),
    "4.2.2 MUST: its Content-Location is the memento's address": lambda c: (
        direct(c, Accept_Datetime=DATES[FIRST]).get("Content-Location") == f"{c.root}/web/{FIRST}/{URL}"
    ),
    "4.2.2 MUST: it has the memento's datetime": lambda c: (
        direct(c, Accept_Datetime=DATES[FIRST]).get("Memento-Datetime") == DATES[FIRST]
    ),
    # 4.5.3 Issues with Accept-Datetime
    "4.5.3 MUST: what cannot be read is answered 400": lambda c: gate(c, Accept_Datetime="yesterday").status == 400,
    "4.5.3 MUST: also by a TimeGate that answers directly": lambda c: direct(c, Accept_Datetime="2023").status == 400,
    "4.5.3 MUST: before all mementos the first is chosen": lambda c: (
        gate(c, Accept_Datetime="Sat, 01 Jan 1994 00:00:00 GMT").get("Location") == f"{c.root}/web/{FIRST}/{URL}"
    ),
    "4.5.3 MUST: after all mementos the last is chosen": lambda c: (
        gate(c, Accept_Datetime="Sat, 01 Jan 2094 00:00:00 GMT").get("Location") == f"{c.root}/web/{THIRD}/{URL}"
    ),
    "4.5.3 SHOULD: without a wish the most recent is chosen": lambda c: (
        gate(c).get("Location") == f"{c.root}/web/{THIRD}/{URL}"
    ),
    "4.5.3 MUST: what cannot be read gets a TimeGate's headers all the same": lambda c: (
        [
            (reply.get("Vary"), reply.link("original").target, reply.get("Memento-Datetime"))
            for reply in (gate(c, Accept_Datetime="yesterday"), direct(c, Accept_Datetime="2023"))
        ]
        == [("accept-datetime", URL, "")] * 2
    ),
    # 4.5.4, 4.5.5 Mementos of redirections and errors
    "4.5.4 MUST: a memento of a redirection has its status and datetime": lambda c: (
        (lambda reply: (reply.status, reply.get("Memento-Datetime")))(
            memento(c, FIRST, "http://example.org/moved")
        )
        == (301, DATES[FIRST])
    ),
    "4.5.4 its Location stays in the archive": lambda c: (
        memento(c, FIRST, "http://example.org/moved").get("Location") == f"{c.root}/web/{FIRST}/{URL}"
    ),
    "4.5.5 MUST: a memento of an error has its status and datetime": lambda c: (
        [
            (reply.status, reply.get("Memento-Datetime"), reply.link("original").target)
            for name in ("gone", "broken")
            for reply in [memento(c, FIRST, f"http://example.org/{name}")]
        ]
        == [(404, DATES[FIRST], "http://example.org/gone"), (503, DATES[FIRST], "http://example.org/broken")]
    ),
    "4.5 SHOULD: what is not held is answered 404, with links": lambda c: (
        (lambda reply: (reply.status, reply.link("original").target))(c.ask("/web/http://example.org/none"))
        == (404, "http://example.org/none")
    ),
    # 4.5.7 Intermediate resources: what leads to a memento and is none
    "4.5.7 MUST NOT: an address between mementos has neither Memento-Datetime nor a Vary of TimeGates": lambda c: (
        (lambda reply: (reply.get("Memento-Datetime"), reply.get("Vary")))(memento(c, "20230602")) == ("", "")
    ),
    "4.5.7 MUST: it links to the original, and to the memento it leads to": lambda c: (
        (lambda reply: (reply.link("original").target, reply.get("Location") in _mementos(reply)))(
            memento(c, "20230602")
        )
        == (URL, True)
    ),
    "4.5.7 MUST: what sends a browser on links to the original as well": lambda c: (
        (lambda reply: (reply.status, reply.link("original").target, reply.get("Memento-Datetime")))(
            memento(c, Sec_Fetch_Dest="document")
        )
        == (302, URL, "")
    ),
    # 4.5.8 Resources excluded from datetime negotiation
    "4.5.8 SHOULD: what the archive adds is marked as excluded from negotiation": lambda c: all(
        "http://mementoweb.org/terms/donotnegotiate" in [link.target for link in reply.links()]
        for reply in (c.ask("/"), c.ask("/assets/style.css"), c.replay(f"{FIRST}h-example-org", "/.webkeep/shim.js"))
    ),
    # 5 TimeMaps
    "5 MUST: a TimeMap is had as application/link-format": lambda c: (
        timemap(c).get("Content-Type") == "application/link-format"
    ),
    "5 MUST: it lists the original": lambda c: _listed(c, "original") == [URL],
    "5 MUST: it lists every memento with its datetime": lambda c: (
        [link.get("datetime") for link in parse_links(timemap(c).body.decode()) if "memento" in link.relations]
        == [*DATES.values()]
    ),
    "5 SHOULD: it lists the TimeGate": lambda c: _listed(c, "timegate") == [f"{c.root}/web/{URL}"],
    "5 SHOULD: it lists itself with its type and span": lambda c: (
        [
            (link.target, link.get("type"), link.get("from"), link.get("until"))
            for link in parse_links(timemap(c).body.decode())
            if "self" in link.relations
        ]
        == [(f"{c.root}/timemap/link/{URL}", "application/link-format", DATES[FIRST], DATES[THIRD])]
    ),
    "5 MUST: all that it lists is typed": lambda c: all(
        {"original", "timegate", "memento", "timemap", "self"} & {*link.relations}
        for link in parse_links(timemap(c).body.decode())
    ),
    "5.1.2 a TimeMap says of what it is one, and has no original of its own": lambda c: (
        [(link.relations, link.get("anchor")) for link in timemap(c).links()] == [(("timemap",), URL)]
    ),
    "5 what it lists are mementos": lambda c: all(
        c.ask(target).get("Memento-Datetime") for target in _listed(c, "memento")
    ),
}  # fmt: skip


def _told(reply: Reply) -> list[tuple[str, str]]:
    return [field for field in reply.headers if field[0] != "Date"]


def _mementos(reply: Reply) -> list[str]:
    return [link.target for link in reply.links() if "memento" in link.relations]


def _listed(client: Client, relation: str) -> list[str]:
    return [link.target for link in parse_links(timemap(client).body.decode()) if relation in link.relations]


@pytest.mark.parametrize("name", list(CHECKS))
def test_what_the_standard_says(client: Client, name: str) -> None:
    assert CHECKS[name](client), name


def test_an_address_between_mementos_leads_to_the_nearest_of_them(client: Client) -> None:
    reply = client.ask(f"/web/20230602/{URL}")
    assert (reply.status, reply.get("Location")) == (302, f"{client.root}/web/{SECOND}/{URL}")
    assert reply.get("Memento-Datetime") == ""
    raw = client.ask(f"/web/20230602id_/{URL}")
    assert raw.get("Location") == f"{client.root}/web/{SECOND}id_/{URL}"


def test_a_browser_that_goes_to_a_memento_is_sent_to_its_replay_host(client: Client) -> None:
    reply = memento(client, Sec_Fetch_Dest="document")
    assert reply.status == 302
    assert reply.get("Location") == f"http://{SECOND}h-example-org.localhost:{client.port}/page"
    assert "sec-fetch-dest" in reply.get("Vary").lower()


def test_what_differs_by_less_than_a_second_is_one_memento(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "a", page(URL, "2023-01-01T12:00:00.900Z", "x"), page(URL, "2023-01-01T11:59:59.950Z"))
    with served(path) as client:
        reply = client.ask(f"/web/20230101120000/{URL}")
        assert (reply.status, reply.body) == (200, b"x")
        assert reply.link("prev").get("datetime") == "Sun, 01 Jan 2023 11:59:59 GMT"


def test_only_reading_is_allowed(client: Client) -> None:
    reply = client.ask(f"/web/{SECOND}/{URL}", method="DELETE")
    assert (reply.status, reply.get("Allow")) == (405, "GET, HEAD")


def test_answers_to_other_methods_are_no_mementos(tmp_path: Path) -> None:
    other = {method: f"{method} /page HTTP/1.1\r\nHost: example.org\r\n\r\n".encode() for method in ("HEAD", "OPTIONS")}
    path = archive_of(
        tmp_path / "a",
        page(URL, "20220101", "", request=other["HEAD"], head="X-Size: 5\r\n"),
        page(URL, FIRST, "<p>first"),
        page(URL, "20230301", "", request=other["OPTIONS"]),
        page(URL, SECOND, "<p>second"),
        page(URL, "20250101", "", request=other["HEAD"]),
    )
    with served(path) as client:
        listed = [link.get("datetime") for link in parse_links(timemap(client).body.decode())]
        assert [each for each in listed if each] == [DATES[FIRST], DATES[SECOND]]
        reply = memento(client, FIRST)
        assert [reply.link(name).get("datetime") for name in ("first", "next", "last")] == [
            DATES[FIRST], DATES[SECOND], DATES[SECOND],
        ]  # fmt: skip
        assert gate(client).get("Location").endswith(f"/{SECOND}/{URL}")
        assert client.ask(f"/history/{URL}").body.count(b"/view/") == 2
        assert client.ask(f"/cdx?url={URL}&output=text").body.count(b"\n") == 2
        head = client.replay("20220101000000h-example-org", "/page", method="HEAD")
        assert (head.status, head.get("X-Archive-Orig-X-Size")) == (200, "5")
