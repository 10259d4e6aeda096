"""What requests of a browser are given on their way out."""

from __future__ import annotations

from webkeep.crawl.browsing.outfit import outfit_of
from webkeep.crawl.plan_values import plan_of
from webkeep.fetch.recording.client_head import ClientHead, parse_head
from webkeep.fetch.recording.passage import Send
from webkeep.fetch.request import Limits


async def _at_once() -> None:
    """No time passes."""


def asked(*fields: str) -> ClientHead:
    head = parse_head("\r\n".join(["GET http://example.org/ HTTP/1.1", "Host: example.org", *fields, "", ""]).encode())
    assert isinstance(head, ClientHead)
    return head


def sent(url: str, head: ClientHead | None = None, **said: object) -> Send:
    outfit = outfit_of(plan_of({"seeds": ["http://example.org/"], **said}))
    return outfit.sent(url, head or asked("User-Agent: Browser/1"), False, Limits(seconds=5, size=7), _at_once)


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
    assert known.limits == Limits(seconds=5, size=7, slowest_rate=0)


def test_letters_beyond_ascii_are_sent_as_bytes() -> None:
    headers = dict(sent("http://example.org/", headers=["X-Town: Zürich 東京"]).headers)
    assert headers["X-Town"].encode("latin-1").decode() == "Zürich 東京"
