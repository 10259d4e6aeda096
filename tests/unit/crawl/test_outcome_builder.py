"""From what came to what the frontier is told: outcomes, the response filter, analyses, requests, words."""

from dataclasses import replace
from pathlib import Path

import pytest

from webkeep.crawl.links.exchange_analysis import analyse_exchange
from webkeep.crawl.links.extracted_links import NOTHING_EXTRACTED, ExtractedLinks, ExtractionContext, links_from_found
from webkeep.crawl.links.reassembly import extract_apart, is_extracted_apart, links_from_listing
from webkeep.crawl.plan import CapturePlan
from webkeep.crawl.plan.capture_plan import HostPlan
from webkeep.crawl.plan.policies import policy_from_plan
from webkeep.crawl.requests.outcome_builder import add_remarks, outcome_from_result, response_head_of
from webkeep.crawl.requests.request_builder import RequestBuilder
from webkeep.crawl.requests.response_filter import ResponseFilter
from webkeep.crawl.run import ControlChannel, ControlCommand, ControlMessage
from webkeep.fetch import FetchFailure, FetchRequest, FetchResult, FileResource
from webkeep.formats.http import parse_response
from webkeep.frontier.urls import Candidate, Settled, UrlRole
from webkeep.model import BytesBody, Exchange, Moment, UrlOutcome

NOW = Moment.parse("2024-03-01T12:00:00Z")
URL = "http://site.test/a/page"


def exchange(status: int = 200, body: bytes = b"", *fields: str, url: str = URL, via: str = "") -> Exchange:
    head = "\r\n".join([f"HTTP/1.1 {status} X", *fields, "", ""]).encode()
    return Exchange(url, NOW, head, BytesBody(body), address="127.0.0.1", via=via)


def fetched(came: Exchange | None = None, failure: FetchFailure | None = None, **more: object) -> FetchResult:
    parts = (came,) if came is not None else ()
    found = FetchResult(FetchRequest(came.url if came else URL), NOW, NOW.plus(2), came, failure, parts=parts)
    return replace(found, **more)


# ---- answers ----


def test_a_whole_answer() -> None:
    came = exchange(200, b"12345", "Content-Type: Text/HTML; charset=x")
    answer, head = outcome_from_result(fetched(came)), response_head_of(fetched(came))
    assert (answer.status, answer.failure, answer.is_storable) == (200, "", True)
    assert (answer.address, answer.loopback) == ("127.0.0.1", True)
    assert answer.size == len(came.response) + 5
    assert head.status == 200


def test_a_redirect_that_sets_a_cookie() -> None:
    answer = outcome_from_result(fetched(exchange(302, b"", "Location: /b", "Set-Cookie: a=b")))
    assert (answer.status, answer.redirect, answer.set_cookie) == (302, "http://site.test/b", True)


@pytest.mark.parametrize(
    ("failure", "temporary", "connected"),
    [
        (FetchFailure.NAME, True, False),
        (FetchFailure.CONNECT, True, False),
        (FetchFailure.STALLED, True, True),
        (FetchFailure.DISCONNECTED, True, True),
        (FetchFailure.CERTIFICATE, False, True),
        (FetchFailure.TOO_LARGE, False, True),
        (FetchFailure.FORBIDDEN_ADDRESS, False, False),
    ],
)
def test_failures(failure: FetchFailure, temporary: bool, connected: bool) -> None:
    answer = outcome_from_result(fetched(None, failure, detail="in words"))
    assert (answer.temporary, answer.connected, answer.is_storable) == (temporary, connected, False)
    assert answer.failure == f"{failure}: in words"


def test_what_was_withheld_took_no_request() -> None:
    answer = outcome_from_result(fetched(None, FetchFailure.WITHHELD, detail="in words"))
    assert (answer.temporary, answer.is_unsent, answer.request_spans) == (True, True, ())
    # The server had seen it before, by the way without libcurl.
    seen = ((NOW, NOW.plus(1)),)
    answer = outcome_from_result(fetched(None, FetchFailure.WITHHELD, spans=seen))
    assert not answer.is_unsent
    assert outcome_from_result(fetched(None, FetchFailure.STALLED)).request_spans == ((NOW, NOW.plus(2)),)


def test_what_was_turned_away_is_no_failure_and_not_kept() -> None:
    answer = outcome_from_result(fetched(exchange(200, b"some"), FetchFailure.UNWANTED, detail="the rule says so"))
    assert (answer.failure, answer.excluded, answer.is_storable) == ("", "the rule says so", False)


@pytest.mark.parametrize(
    ("status", "location", "target"),
    [
        (302, "../b?x#part", "http://site.test/b?x"),
        (301, "//other.test/", "http://other.test/"),
        (200, "/b", ""),
        (302, "", ""),
        (302, "http://[", ""),
    ],
)
def test_redirects(status: int, location: str, target: str) -> None:
    answer = outcome_from_result(fetched(exchange(status, b"", f"Location: {location}")))
    assert answer.redirect == target


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        ("Fri, 01 Mar 2024 12:01:02 GMT", 60.0),
        ("Fri, 01 Mar 2019 12:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("9" * 400, 10 * 365 * 86400.0),
    ],
)
def test_retry_after(text: str, seconds: float | None) -> None:
    answer = outcome_from_result(fetched(exchange(503, b"", f"Retry-After: {text}")))
    assert answer.retry_after == seconds


def test_files_have_no_status_and_are_kept() -> None:
    resource = FileResource("file:///srv/a.html", NOW, "text/html", BytesBody(b"12345"))
    answer = outcome_from_result(fetched(request=FetchRequest("file:///srv/a.html"), resource=resource))
    assert (answer.status, answer.size) == (0, 5)
    assert answer.is_storable
    assert answer.loopback


def test_robots_directives_are_written_behind_the_reason() -> None:
    stored = Settled(UrlOutcome.STORED)
    assert add_remarks(stored, NOTHING_EXTRACTED) is stored
    assert add_remarks(stored, ExtractedLinks([], "noindex")).reason == "asks of robots: noindex"
    missing = Settled(UrlOutcome.STORED, "status 404")
    assert add_remarks(missing, ExtractedLinks([], "noindex")).reason == "status 404; asks of robots: noindex"
    assert add_remarks(missing, ExtractedLinks([], error="too deep")).reason == "status 404; too deep"


# ---- the response filter ----

CANDIDATE = Candidate(1, URL, "site.test:80")
FILM = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 5000\r\n\r\n"


def sieve(*rules: str) -> ResponseFilter:
    policy = policy_from_plan(CapturePlan(("http://site.test/",), rules=rules))
    return ResponseFilter(lambda: policy)


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (["-type:video/*"], "the rule 'type:video/*' excludes it"),
        (["-size:>4kB"], "the rule 'size:>4kB' excludes it"),
        (["-size:>6kB"], ""),
        (["-*", "+type:video/*"], ""),
        (["-*", "+type:text/html"], "the rule '*' excludes it"),
    ],
)
def test_heads_are_turned_away_by_rules(rules: list[str], reason: str) -> None:
    turn = sieve(*rules).head_filter_for(CANDIDATE)
    assert turn is not None
    assert turn(FILM) == reason


def test_no_rule_no_response_filter() -> None:
    assert sieve().head_filter_for(CANDIDATE) is None
    assert sieve("-*.iso").head_filter_for(CANDIDATE) is None
    assert sieve("-type:video/*").head_filter_for(CANDIDATE._replace(role=UrlRole.ROBOTS)) is None


@pytest.mark.parametrize("status", [301, 302, 304, 401])
def test_what_only_leads_on_is_not_sifted(status: int) -> None:
    head = parse_response(FILM.replace(b"200", b"%d" % status))
    assert sieve("-type:video/*").exclusion_reason(CANDIDATE, head, 10) == ""


# ---- analyses ----


def test_an_analysis_tells_links_once_and_robots_directives_always() -> None:
    page = exchange(
        200,
        b'<meta name=robots content="nofollow"><a href="/b#x">1</a><a href="/b">2</a><img src="i.png"><a href="tel:1">',
        "Content-Type: text/html",
        "X-Robots-Tag: noarchive",
    )
    first = analyse_exchange(ExtractionContext("one"), page)
    assert first.links == [("http://site.test/b", 0, False), ("http://site.test/a/i.png", 1, False)]
    assert first.robots_directives == "noarchive, nofollow"
    again = analyse_exchange(ExtractionContext("one"), page)
    assert again.links == []
    assert again.robots_directives == first.robots_directives
    assert analyse_exchange(ExtractionContext("one", outside=1), page).links == first.links
    assert analyse_exchange(ExtractionContext("two"), page).links == first.links


def test_where_a_redirect_leads_is_not_told_as_a_link() -> None:
    moved = exchange(301, b'<a href="/new">here</a>', "Location: /moved", "Content-Type: text/html")
    assert analyse_exchange(ExtractionContext("four"), moved).links == [("http://site.test/new", 0, False)]
    page = exchange(200, b'<a href="/moved">there</a>', "Content-Type: text/html")
    assert analyse_exchange(ExtractionContext("four"), page).links == [("http://site.test/moved", 0, False)]


def test_what_a_charset_makes_of_an_address_is_no_repetition() -> None:
    page = '<a href="/s?q=é">'
    latin = exchange(200, page.encode("latin-1"), "Content-Type: text/html; charset=iso-8859-1")
    utf8 = exchange(200, page.encode(), "Content-Type: text/html; charset=utf-8")
    told = [analyse_exchange(ExtractionContext("five"), each).links[0][0] for each in (utf8, latin)]
    assert told == ["http://site.test/s?q=%C3%A9", "http://site.test/s?q=%E9"]


def test_links_pass_as_the_frontier_takes_them() -> None:
    index = b"<sitemapindex><sitemap><loc>http://site.test/s.xml</loc></sitemap></sitemapindex>"
    found = analyse_exchange(ExtractionContext("three"), exchange(200, index, "Content-Type: text/xml")).links
    assert [(link.url, link.source) for link in links_from_found(found)] == [
        ("http://site.test/s.xml", "sitemap index")
    ]


def test_parts_are_studied_together() -> None:
    whole = b'<a href="/one">1</a><a href="/two">2</a>'
    fields = ("Content-Type: text/html", 'ETag: "v"')
    first = exchange(200, whole[:25], *fields, f"Content-Length: {len(whole)}")
    rest = exchange(206, whole[25:], *fields, f"Content-Range: bytes 25-{len(whole) - 1}/{len(whole)}")
    came = fetched(first, parts=(first, rest))
    assert is_extracted_apart(came)
    links = extract_apart(ExtractionContext("parts"), came).links
    assert [url for url, *_ in links] == ["http://site.test/one", "http://site.test/two"]


def test_directories_lead_to_what_they_hold() -> None:
    url = "file:///srv/site/"
    resource = FileResource(
        url, NOW, "text/plain", BytesBody(b"a b.html\nsub/\n"), children=(f"{url}a%20b.html", f"{url}sub/")
    )
    links = extract_apart(ExtractionContext("files"), fetched(request=FetchRequest(url), resource=resource)).links
    assert links == links_from_listing(url, b"a b.html\nsub/\n")
    assert [each for each, *_ in links_from_listing("ftp://x.test/", b"drwxr-xr-x 2 a b 1 Mar 1 2024 sub\r\n")] == [
        "ftp://x.test/sub/"
    ]


# ---- requests ----


def test_private_addresses_are_for_those_who_were_named_and_whom_they_lead_to() -> None:
    requests = RequestBuilder(
        CapturePlan(("http://public.test/", "http://intra.test/"), resolve=("named.test:80:127.0.0.1",))
    )
    inner = Candidate(2, "http://10.0.0.1/x", "10.0.0.1:80")
    assert requests.build(CANDIDATE._replace(host="public.test:80"), "").private
    assert requests.build(CANDIDATE._replace(host="named.test:80"), "").private
    assert not requests.build(inner, "http://public.test/").private
    assert not requests.build(inner, "http://intra.test/").private
    requests.learn_address(CANDIDATE._replace(host="intra.test:80"), "10.0.0.7", private=True)
    requests.learn_address(CANDIDATE._replace(host="public.test:80"), "93.184.216.34", private=True)
    assert requests.build(inner, "http://intra.test/").private
    assert not requests.build(inner, "http://public.test/").private
    requests.learn_address(inner, "10.0.0.1", private=True)
    assert not requests.build(inner, "http://public.test/").private
    assert requests.build(inner._replace(role=UrlRole.ROBOTS), "", None, "http://intra.test/").private
    assert not requests.build(inner._replace(role=UrlRole.ROBOTS), "", None, "http://public.test/").private


def test_limits_and_headers_of_one_host() -> None:
    hosts = {"site.test": HostPlan(max_size=10), "other.test:81": HostPlan(timeout=3, headers=(("X", "1"),))}
    requests = RequestBuilder(CapturePlan(("http://site.test/",), max_size=99, timeout=60, hosts=hosts))
    limits = requests.build(CANDIDATE, "").limits
    assert (limits.size, limits.seconds) == (10, 60)
    other = requests.build(CANDIDATE._replace(host="other.test:81"), "")
    assert (other.limits.size, other.limits.seconds) == (99, 3)
    assert ("X", "1") in other.headers
    assert requests.build(CANDIDATE._replace(host="third.test:80"), "").limits.size == 99


# ---- words ----


def test_words_are_heard_in_order_and_once(tmp_path: Path) -> None:
    desk = ControlChannel(tmp_path)
    said = [
        ControlMessage(ControlCommand.PAUSE),
        ControlMessage(ControlCommand.SET, {"delay": 2}),
        ControlMessage(ControlCommand.RESUME),
    ]
    for word in said:
        desk.send(word)
    assert desk.receive() == said
    assert desk.receive() == []


@pytest.mark.parametrize("text", ["", "[1", "7", "null", '{"order": "explode"}', '{"order": "set", "values": 7}'])
def test_words_that_cannot_be_read_are_taken_away(tmp_path: Path, text: str) -> None:
    (tmp_path / "word-1.json").write_text(text)
    desk = ControlChannel(tmp_path)
    assert desk.receive() == []
    assert list(tmp_path.iterdir()) == []


def test_nobody_listens_where_no_process_is(tmp_path: Path) -> None:
    desk = ControlChannel(tmp_path)
    assert not desk.is_listening
    for process, heard in ((0, False), ("x", False), (1, True), (2**30, False)):
        desk.write_state({"process": process})
        assert desk.is_listening is heard
    (tmp_path / "state.json").write_text("[")
    assert desk.read_state() == {}


@pytest.mark.parametrize(
    ("head", "is_cut"), [(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n", True), (b"HTTP/1.1 200 OK\r\nA: b\r\n", False)]
)
def test_a_body_cut_at_our_limit_is_no_failure_and_an_endless_head_is(head: bytes, is_cut: bool) -> None:
    came = Exchange(URL, NOW, head, BytesBody(b"some"), address="127.0.0.1")
    answer = outcome_from_result(fetched(came, FetchFailure.TOO_LARGE, detail="more"))
    assert bool(answer.cut) is is_cut
    assert bool(answer.failure) is not is_cut


def test_rules_are_not_cut_short_by_a_limit_for_pages() -> None:
    requests = RequestBuilder(CapturePlan(("http://site.test/",), max_size=100))
    rules = Candidate(1, "http://site.test/robots.txt", "site.test:80", UrlRole.ROBOTS)
    page = Candidate(2, "http://site.test/a", "site.test:80", UrlRole.NAVIGATE)
    assert requests.build(rules, "").limits.size > 500_000
    assert requests.build(page, "").limits.size == 100
