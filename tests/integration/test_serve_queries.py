"""TimeMaps that are long, the CDX server, several archives, loose files, rules and passwords."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from serve_calls import Client, archive_of, page, served

from webkeep.memento import MementoAddresses, TimeMapAddress, TimeMapFormat, parse_links
from webkeep.model import Moment
from webkeep.replay.endpoints import ServePlan, open_server
from webkeep.replay.endpoints.timemap_endpoint import timemap_response
from webkeep.web.page_router import ArchivePages

URL = "http://example.org/"
START = Moment.parse("20240101")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("serve") / "archive"
    daily = [page(URL, START.plus(86400 * day), f"<p>{day // 3}") for day in range(60)]
    others = [
        page("http://example.org/a", "20240105", "a"),
        page("http://example.org/a/b", "20240106", "b", status="404 Not Found"),
        page("http://www.example.org/a/c.png", "20240107", b"c", "image/png"),
        page("http://sub.example.org/", "20240108", "d"),
        page("http://example.com/", "20240109", "e"),
    ]
    return archive_of(path, *daily, *others)


@pytest.fixture(scope="module")
def client(archive: Path) -> Iterator[Client]:
    with served(archive) as client:
        yield client


def rows(client: Client, query: str) -> list[dict[str, str]]:
    reply = client.ask(f"/cdx?output=json&{query}")
    assert reply.status == 200, reply.body
    return [json.loads(line) for line in reply.body.decode().splitlines() if line.strip().startswith("{")]


def test_pages_of_a_timemap_list_every_memento_once(archive: Path) -> None:
    plan = ServePlan((str(archive),), ("a",), "http://arc")
    listed: list[str] = []
    with open_server(plan, ArchivePages) as context:
        since: Moment | None = None
        announced: tuple[str, str] | None = None
        pages = 0
        while True:
            asked = TimeMapAddress(URL, TimeMapFormat.LINK, since)
            answer = timemap_response(context, MementoAddresses("http://arc"), asked, page_size=17)
            body = answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)
            links = list(parse_links(body.decode()))
            listed += [link.target for link in links if "memento" in link.relations]
            pages += 1
            following = [link for link in links if "next" in link.relations]
            (own,) = [link for link in links if "self" in link.relations]
            dates = [link.get("datetime") for link in links if "memento" in link.relations]
            assert (own.get("from"), own.get("until")) == (dates[0], dates[-1]) == (announced or (dates[0], dates[-1]))
            announced = [(link.get("from"), link.get("until")) for link in following][-1] if following else None
            assert bool(since) == any("prev" in link.relations for link in links)
            if not following:
                break
            since = Moment.parse(following[0].target.split("/")[5])
    assert pages == 4
    assert len(listed) == len(set(listed)) == 60


def test_a_long_timemap_is_streamed(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "a", *[page(URL, START.plus(second), "same") for second in range(3000)])
    with served(path) as client:
        reply = client.ask(f"/timemap/link/{URL}")
        assert reply.get("Transfer-Encoding") == "chunked"
        assert sum("memento" in link.relations for link in parse_links(reply.body.decode())) == 3000
        told = json.loads(client.ask(f"/timemap/json/{URL}").body)
        assert len(told["mementos"]["list"]) == 3000
        assert client.ask(f"/timemap/cdxj/{URL}").body.count(b'memento"') == 3000


@pytest.mark.parametrize(
    ("query", "urls"),
    [
        ("url=example.org/a", {"http://example.org/a"}),
        ("url=example.org/a/*", {"http://example.org/a", "http://example.org/a/b", "http://www.example.org/a/c.png"}),
        ("url=example.org/a&matchType=prefix", {"http://example.org/a", "http://example.org/a/b",
                                                "http://www.example.org/a/c.png"}),
        ("url=*.example.org&collapse=urlkey", {"http://example.org/", "http://example.org/a", "http://example.org/a/b",
                                               "http://www.example.org/a/c.png", "http://sub.example.org/"}),
        ("url=sub.example.org&matchType=host", {"http://sub.example.org/"}),
        ("url=example.org&matchType=domain&filter=!=status:200", {"http://example.org/a/b"}),
        ("url=example.org&matchType=domain&filter=mimetype:image/.*", {"http://www.example.org/a/c.png"}),
        ("url=nothing.example", set()),
    ],
)  # fmt: skip
def test_the_index_is_asked_as_the_established_servers_are(client: Client, query: str, urls: set[str]) -> None:
    assert {row["url"] for row in rows(client, query)} == urls


def test_times_limits_and_orders(client: Client) -> None:
    stamps = [row["timestamp"] for row in rows(client, "url=example.org&from=20240110&to=20240112")]
    assert stamps == ["20240110000000", "20240111000000", "20240112000000"]
    assert len(rows(client, "url=example.org&limit=7")) == 7
    assert rows(client, "url=example.org&limit=1&sort=reverse")[0]["timestamp"] == "20240229000000"
    assert [row["timestamp"] for row in rows(client, "url=example.org&limit=-2")] == [
        "20240228000000",
        "20240229000000",
    ]
    near = [row["timestamp"] for row in rows(client, "url=example.org&closest=20240120130000&limit=2")]
    assert near == ["20240121000000", "20240120000000"]
    bounded = rows(client, "url=example.org&closest=20240120130000&from=20240122&to=20240124")
    assert [row["timestamp"] for row in bounded] == ["20240122000000", "20240123000000", "20240124000000"]
    assert rows(client, "url=example.org&matchType=host&closest=20240105&limit=1")[0]["timestamp"] == "20240105000000"
    assert len(rows(client, "url=example.org&collapse=digest")) == 20
    assert len(rows(client, "url=example.org&collapse=timestamp:6")) == 2
    assert len(rows(client, "url=example.org&offset=50")) == 10


def test_pages_and_resume_keys_lead_through_everything_once(client: Client) -> None:
    assert client.ask("/cdx?url=example.org&showNumPages=true&pageSize=25").body == b"3\n"
    told = json.loads(client.ask("/cdx?url=example.org&showNumPages=true&pageSize=25&output=json").body)
    assert told["pages"] == 3
    paged = [
        row["timestamp"] for number in range(4) for row in rows(client, f"url=example.org&pageSize=25&page={number}")
    ]
    assert len(paged) == len(set(paged)) == 60
    resumed: list[str] = []
    key = ""
    while True:
        reply = client.ask(f"/cdx?url=*.example.org&fl=url,timestamp&limit=13&showResumeKey=true{key}")
        lines, _, rest = reply.body.decode().partition("\n\n")
        resumed += lines.split("\n")
        if not rest:
            break
        key = f"&resumeKey={rest.strip()}"
    assert len(set(filter(None, resumed))) == len(list(filter(None, resumed))) == 64


@pytest.mark.parametrize(
    "query", ["page=99999999999999&pageSize=99999", "page=999999999999999", "offset=999999999999999"]
)
def test_a_page_far_beyond_the_end_is_empty(client: Client, query: str) -> None:
    reply = client.ask(f"/cdx?url=example.org&{query}")
    assert (reply.status, reply.body) == (200, b"")


def test_nothing_is_an_empty_list_to_those_who_want_json(client: Client) -> None:
    for query in ("url=none.example", "url=none.example&page=0", "url=example.org&filter=status:999"):
        assert json.loads(client.ask(f"/cdx?output=json&{query}").body) == []
    assert client.ask("/cdx?url=none.example").body == b""
    assert client.ask("/cdx?output=json&url=example.org&page=7").body == b"", "there are no more pages"


def test_pages_of_what_is_closed_are_not_counted(archive: Path) -> None:
    with served(archive, access=("block:example.org/a*",)) as client:
        assert client.ask("/cdx?url=example.org/a*&showNumPages=true&pageSize=1").body == b"0\n"
        seen = sum(1 for _ in rows(client, "url=example.org/*"))
        assert client.ask("/cdx?url=example.org/*&showNumPages=true&pageSize=1").body == f"{seen}\n".encode()


def test_forms_of_answers(client: Client) -> None:
    assert client.ask("/cdx?url=example.org/a").body.startswith(b"org,example)/a 20240105000000 {")
    assert client.ask("/cdx?url=example.org/a&fl=timestamp,statuscode").body == b"20240105000000 200\n"
    text = client.ask("/cdx?url=example.org/a&output=text").body.decode().split()
    assert text[:5] == ["org,example)/a", "20240105000000", "http://example.org/a", "text/html", "200"]


def test_several_archives_are_one(tmp_path: Path, archive: Path) -> None:
    other = archive_of(tmp_path / "other", page(URL, "20240115120000", "other"), page(URL, "20200101", "oldest"))
    with served(archive, other) as client:
        reply = client.ask(f"/web/20240115120000id_/{URL}")
        assert reply.body == b"other"
        assert reply.link("first").get("datetime").endswith("2020 00:00:00 GMT")
        assert reply.link("prev").get("datetime") == "Mon, 15 Jan 2024 00:00:00 GMT"
        assert reply.link("next").get("datetime") == "Tue, 16 Jan 2024 00:00:00 GMT"
        stamps = [row["timestamp"] for row in rows(client, "url=example.org")]
        assert stamps == sorted(stamps)
        assert len(stamps) == 62


def test_what_is_captured_while_it_is_served_is_shown_at_once(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "a", page(URL, "20240101", "old"))
    with served(path) as client:
        assert client.ask("/web/2025id_/http://example.org/new").status == 404
        archive_of(path, page("http://example.org/new", "20250101", "new"))
        assert client.ask("/web/20250101id_/http://example.org/new").body == b"new"


def test_rules_keep_things_closed(archive: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\naccess = "block"\nurl = "http://example.org/"\nfrom = "2024-02-01"\n')
    with served(archive, access=("block:example.org/a*",), access_file=str(rules)) as client:
        closed = client.ask("/web/2024/http://example.org/a/b")
        assert closed.status == 451
        assert b"404" not in closed.body
        assert client.ask(f"/timemap/link/{URL}a").status == 451
        assert client.ask(f"/timemap/link/{URL}none").status == 404
        for place in ("/view/2024/", "/history/", "/parts/2024/"):
            assert client.ask(f"{place}{URL}a").status == 451, place
        assert rows(client, "url=example.org/a") == []
        assert client.ask(f"/web/{URL}").get("Location").startswith(f"{client.root}/web/20240131000000/")
        assert len(rows(client, "url=example.org")) == 31
        seen = client.ask(f"/web/20240131000000id_/{URL}")
        assert seen.link("last").get("datetime") == seen.get("Memento-Datetime")
        assert b"29 Feb" not in client.ask(f"/timemap/link/{URL}").body
        assert b"/a/b" not in client.ask("/search?q=example.org").body
        assert client.replay("20240106000000h-example-org", "/a/b").status == 451


def test_what_is_closed_is_not_on_the_home_page_either(tmp_path: Path) -> None:
    path = archive_of(
        tmp_path / "a",
        page("http://closed.example/", "20240101", "x"),
        page("http://half.example/open", "20240101", "x"),
        page("http://half.example/closed", "20240102", "x"),
        page(URL, "20240101", "x"),
    )
    with served(path, access=("block:closed.example/*", "block:half.example/closed")) as client:
        home = client.ask("/").body
        assert b"example.org" in home
        assert b"closed.example" not in home
        assert b"<li>2 URLs</li><li>2 observations</li>" in home
        assert b'data-label="URLs">2<' in home, "of the capture"
        assert b"2024-01-02" not in home
        assert re.search(
            rb'half\.example</a>.{0,120}search</a></td><td class="number" data-label="Observations">1<', home
        )
    with served(path, access=("block:example.org/*",)) as client:
        assert b"example.org" not in client.ask("/").body, "the capture's seed is told"


def test_an_embargo_keeps_what_is_new_closed(tmp_path: Path) -> None:
    now = Moment.from_datetime(__import__("datetime").datetime.now(__import__("datetime").UTC))
    path = archive_of(tmp_path / "a", page(URL, now.plus(-86400), "new"), page(URL, now.plus(-86400 * 40), "old"))
    with served(path, access=("embargo:30:example.org/*",)) as client:
        assert client.ask(client.ask(f"/web/id_/{URL}").get("Location")).body == b"old"


def test_a_password_is_asked_for_and_replay_hosts_cannot_be_guessed(archive: Path) -> None:
    with served(archive, password="open sesame", secret="ksecret") as client:
        reply = client.ask("/")
        assert (reply.status, reply.get("WWW-Authenticate")[:5]) == (401, "Basic")
        assert client.replay("20240105000000h-example-org", "/a").status == 421
        client.extra["Authorization"] = "Basic " + base64.b64encode(b"me:open sesame").decode()
        place = client.ask("/web/20240105000000/http://example.org/a", Sec_Fetch_Dest="document").get("Location")
        assert place == f"http://20240105000000h-example-org.ksecret.localhost:{client.port}/a"
        client.extra["Authorization"] = "Basic " + base64.b64encode(b"me:wrong").decode()
        assert client.ask("/").status == 401
        client.extra.clear()
        host = f"20240105000000h-example-org.ksecret.localhost:{client.port}"
        assert client.ask("/a", host=host).status == 200
