"""What requests of a browser are given on their way out."""

from __future__ import annotations

from webkeep.crawl.browsing.request_identity import identity_from_plan
from webkeep.crawl.plan import parse_plan
from webkeep.fetch import FetchLimits
from webkeep.fetch.proxy import ClientHead, SendUpstream
from webkeep.fetch.proxy.request_head import parse_head


async def _at_once() -> None:
    """No time passes."""


def asked(*fields: str) -> ClientHead:
    head = parse_head("\r\n".join(["GET http://example.org/ HTTP/1.1", "Host: example.org", *fields, "", ""]).encode())
    assert isinstance(head, ClientHead)
    return head


def sent(url: str, head: ClientHead | None = None, **said: object) -> SendUpstream:
    outfit = identity_from_plan(parse_plan({"seeds": ["http://example.org/"], **said}))
    return outfit.send_decision(
        url, head or asked("User-Agent: Browser/1"), False, FetchLimits(seconds=5, size=7), _at_once
    )


def test_headers_go_by_host_and_port() -> None:
    hosts = {"example.org": {"headers": {"X-Here": "host"}}, "example.org:8080": {"headers": {"X-Here": "port"}}}
    said = {"headers": ["X-All: yes", "X-Here: all"], "hosts": hosts}
    for url, here in (("http://example.org/", "host"), ("http://example.org:8080/", "port"), ("http://a.test/", "all")):
        found = dict(sent(url, **said).headers)
        assert (found["X-All"], found["X-Here"]) == ("yes", here)


def test_names_are_added_or_replaced() -> None:
    (name,) = [value for field, value in sent("http://example.org/").headers if field == "User-Agent"]
    assert name.startswith("Browser/1 webkeep/")
    assert ("User-Agent", "me") in sent("http://example.org/", user_agent="me").headers
    assert sent("http://example.org/", asked(f"User-Agent: {name}")).headers == (("User-Agent", name),)


def test_credentials_and_limits_are_those_of_the_plan() -> None:
    known = sent("http://example.org:80/", auth="example.org=reader:words")
    assert known.login is not None
    assert (known.login[0], known.login[1].user) == ("example.org", "reader")
    assert sent("http://a.test/", auth="example.org=reader:words").login is None
    assert known.limits == FetchLimits(seconds=5, size=7, min_rate=0)


def test_letters_beyond_ascii_are_sent_as_bytes() -> None:
    headers = dict(sent("http://example.org/", headers=["X-Town: Zürich 東京"]).headers)
    assert headers["X-Town"].encode("latin-1").decode() == "Zürich 東京"
