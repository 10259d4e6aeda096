"""Laws of redaction: it never fails, it is done once, and what it leaves out is nowhere any more."""

from __future__ import annotations

import json
from urllib.parse import quote, urlencode

from hypothesis import given, strategies as st

from webkeep.model import BytesBody, Exchange, Moment
from webkeep.redaction import Redactor

SECRET = "s3cret-7Q"
NAMES = st.sampled_from(["password", "user[password]", "api_key", "X-Access-Token", "new_password1", "clientSecret"])
PLAIN = b"HTTP/1.1 200 OK\r\n\r\n"
JUNK = st.binary(max_size=200)


def redacted(
    request: bytes, body: bytes = b"", response: bytes = b"HTTP/1.1 200 OK\r\n\r\n", url: str = "http://a.test/"
) -> Exchange:
    return Redactor().redact(Exchange(url, Moment(0), response, BytesBody(), request, BytesBody(body))).exchange


@given(JUNK, JUNK, JUNK)
def test_it_never_fails_and_is_done_once(head: bytes, body: bytes, kind: bytes) -> None:
    start = b"POST / HTTP/1.1\r\nCookie: s3cret-7Q\r\nContent-Type: " + kind + b"\r\n"
    once = redacted(start + head, body, b"HTTP/1.1 200 OK\r\n" + head)
    again = redacted(once.request, b"".join(once.request_body.chunks()), once.response, once.url)
    assert (again.request, again.response) == (once.request, once.response)
    assert b"".join(again.request_body.chunks()) == b"".join(once.request_body.chunks())


@given(NAMES, st.text(max_size=20), st.integers(0, 3))
def test_no_query_hides_it_however_often_it_is_escaped(name: str, other: str, times: int) -> None:
    query = urlencode({"a": other, name: SECRET, "z": other})
    for _ in range(times):
        query = urlencode({"next": f"/x?{query}"})
    held = redacted(f"GET /?{query} HTTP/1.1\r\n\r\n".encode(), url=f"http://a.test/?{query}")
    assert SECRET not in held.url
    assert SECRET.encode() not in held.request


@given(NAMES, st.recursive(st.none() | st.text(max_size=9), lambda inner: st.lists(inner, max_size=3), max_leaves=5))
def test_no_json_hides_it(name: str, other: object) -> None:
    value = {"a": other, "b": [{name: [SECRET, {"k": SECRET}]}, other], "c": json.dumps({name: SECRET})}
    head = b"POST / HTTP/1.1\r\nContent-Type: application/json\r\n\r\n"
    body = b"".join(redacted(head, json.dumps(value).encode()).request_body.chunks())
    assert SECRET.encode() not in body
    assert json.loads(body)["a"] == other


@given(st.dictionaries(st.sampled_from(["q", "page", "id", "lang", "x"]), st.text(max_size=20), max_size=4))
def test_other_parameters_stay_as_they_are(parameters: dict[str, str]) -> None:
    query = urlencode(parameters)
    url = f"http://a.test/{quote('ü x')}?{query}"
    given_head = f"GET /{quote('ü x')}?{query} HTTP/1.1\r\nAccept: */*\r\n\r\n".encode()
    if any(each in "".join(parameters.values()) for each in "=@{[%"):
        return
    held = redacted(given_head, url=url)
    assert (held.url, held.request) == (url, given_head)
