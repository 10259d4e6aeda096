"""Bodies spelled as queries."""

import pytest

from webkeep.formats.cdx import append_query, post_query
from webkeep.formats.cdx.post_key import MAX_SPELLED_BODY_BYTES, spell_body

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=XX"


def multipart(*parts: tuple[str, bytes], boundary: str = "XX") -> bytes:
    framed = b"".join(
        b"--%s\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n" % (boundary.encode(), head.encode(), value)
        for head, value in parts
    )
    return framed + b"--%s--\r\n" % boundary.encode()


@pytest.mark.parametrize(
    ("content_type", "body", "query"),
    [
        (FORM, b"a=b&c=d%20e+f", "a=b&c=d e f"),
        (FORM, "a=ä".encode(), "a=ä"),
        (FORM, b"a=\xff", "__wb_post_data=YT3/"),
        (f"{FORM}; charset=utf-8", b"a=b", "a=b"),
        ("application/json", b'{"a": 1, "b": [true, null], "c": {"a": "x y"}}', "a=1&b=True&b.2_=None&a.2_=x+y"),
        ("application/json; charset=utf-8", b'{"a": 1}\n{"a": 2}', "a=1&a.2_=2"),
        ("application/json", b'{"a": 1}\n', "a=1"),
        ("application/json", b'{"a": 1}\n{', ""),
        ("application/json", b"not json", ""),
        ("application/json", b'"only a value"', ""),
        ("application/json", b'{"": 1, "a": []}', ""),
        ("application/json", b'{"a.2_": 1, "a": [2, 3]}', "a.2_=3&a=2"),
        ("application/json", b'{"a": "\\ud800"}', ""),
        ("text/plain", b'{"a": 1}', "a=1"),
        ("text/plain", b"hello", "__wb_post_data=aGVsbG8="),
        ("text/plain;charset=UTF-8", b"\xff", "__wb_post_data=/w=="),
        ("", b"hello", "__wb_post_data=aGVsbG8="),
        ("application/octet-stream", b"", "__wb_post_data="),
        ("application/x-amf", b"\0\3", "__wb_post_data=AAM="),
        (MULTIPART, multipart(('name="a"', b"1"), ('name="b c"', "ä&".encode())), "a=1&b+c=%C3%A4%26"),
        (MULTIPART, multipart(('name="f"; filename="x.bin"', b"\0\xff")), "f=%00%FF"),
        (MULTIPART, multipart(('name="e"; filename=""', b"text")), "e=text"),
        (MULTIPART, multipart(("name=bare", b"1")), "bare=1"),
        (MULTIPART, b"preamble\r\n" + multipart(('name="a"', b"1")), "a=1"),
        ("multipart/form-data; boundary=\"X X\"; q=1", multipart(('name="a"', b"1"), boundary="X X"), "a=1"),
        ("multipart/form-data", b"abc", "__wb_post_data=YWJj"),
        (MULTIPART, b"abc", "__wb_post_data=YWJj"),
        (MULTIPART, b"--XX\r\nContent-Disposition: form-data; name=a\r\n\r\ncut", None),
        (MULTIPART, b"--XX\r\nNothing: here\r\n\r\n1\r\n--XX--", None),
        (MULTIPART, multipart(('name="a"\r\nContent-Type: text/plain; charset=latin-1', b"\xe9")), "a=%C3%A9"),
        (MULTIPART, multipart(('name="a"\r\nContent-Type: text/plain; charset=punycode', b"a-b")), None),
        (MULTIPART, multipart(('name="a"', b"\xff")), None),
    ],
)  # fmt: skip
def test_bodies(content_type: str, body: bytes, query: str | None) -> None:
    spelled = spell_body(content_type, body)
    assert spelled == query if query is not None else spelled.startswith("__wb_post_data=")


def test_the_method_comes_first() -> None:
    assert post_query("POST", FORM, b"a=b") == "__wb_method=POST&a=b"
    assert post_query("put", FORM, b"") == "__wb_method=PUT"
    assert post_query("GET", FORM, b"a=b") == ""
    assert post_query("HEAD", "", b"") == ""


def test_the_query_joins_the_url() -> None:
    assert append_query("http://example.com/", "__wb_method=POST") == "http://example.com/?__wb_method=POST"
    assert append_query("http://example.com/?a", "__wb_method=POST") == "http://example.com/?a&__wb_method=POST"
    assert append_query("http://example.com/", "") == "http://example.com/"


def test_keys_are_of_a_bounded_length() -> None:
    for content_type in (FORM, "application/json", ""):
        assert len(spell_body(content_type, b'{"a": "' + b"x" * 10_000 + b'"}')) == 4096


def test_a_body_beyond_the_limit_is_binary() -> None:
    body = b'{"a": 1, "b": "' + b" " * MAX_SPELLED_BODY_BYTES + b'"}'
    assert spell_body("application/json", body).startswith("__wb_post_data=")


def test_deep_json_is_no_harm() -> None:
    assert spell_body("application/json", b"[" * 200_000) == ""
