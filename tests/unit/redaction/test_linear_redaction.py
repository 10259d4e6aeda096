# ruff: noqa: E501 - tables are read more easily in long lines
"""Nothing that a client can send takes more than a look at each letter: at these sizes a square would never end."""

from __future__ import annotations

import pytest

from webkeep.model import BytesBody, Exchange, Moment
from webkeep.redaction import RedactionRules, Redactor
from webkeep.redaction.values import KnownValues

SIZE = 250_000
FORM, JSON, XML, TEXT = "application/x-www-form-urlencoded", "application/json", "text/xml", "text/plain"
PARTS, GRAPHQL = "multipart/form-data; boundary=XX", "application/graphql"
PART = '--XX\r\nContent-Disposition: form-data; name="a"'
SHAPES = [
    (JSON, "", "{/*"), (JSON, "*/", "{/*"), (JSON, "", "[] "), (JSON, "{", "//"), (JSON, "", "/*/"), (JSON, "", "[1,"),
    (JSON, '{"a":"', "eyJaaaaaaaaa-"), (JSON, '{"a":"', "eyJaaaaaaaa."), (JSON, '{"a":"', "glpat-"), (JSON, "", "{'"),
    (JSON, "", "["), (JSON, "", '{"a":'), (JSON, '{"a":"', "\\"), (JSON, '{"name":"x",', '"value":"y",'),
    (JSON, '{"password":', "["), (JSON, '{"query":"', "a:"), (JSON, '{"query":"', "a("), (JSON, '{"a":"', "=?"),
    (JSON, "", ")]}'"), (JSON, "", "while(1);"), (JSON, "", '["password",'), (JSON, '{"path":"', "/a"),
    (FORM, "", "a="), (FORM, "", ";a="), (FORM, "", "a=%3D"), (FORM, "", "a={"), (FORM, "a=", "%25"), (FORM, "", "//a:"),
    (FORM, "a=", "%7B%22a%22%3A"), (FORM, "", "a"), (FORM, "", "&="), (FORM, "", "%u0061="), (FORM, "a=", "%"),
    (FORM, "query=", "a:("), (FORM, "a=", "+"), (FORM, "", "eyJaaaaaaaaa-"), (FORM, "a=", "%3Ca%3E"), (FORM, "", "@//:"),
    (XML, "", "<"), (XML, "<", " "), (XML, "< /", " "), (XML, "", "<a "), (XML, "<a ", "b='c' "), (XML, "<a ", "b="),
    (XML, "", "<a>"), (XML, "<a>" * 50_000, "</b>"), (XML, "", "<![CDATA["), (XML, "", "<!--"), (XML, "<a b", " "),
    (XML, "<a ", "b "), (XML, "<a>", "&amp;"), (XML, "<a ", "'"), (XML, "<a>", "]]>"), (XML, "<a>&#", "1"), (XML, "<a b='&#", "1"), (FORM, "%26%23", "1"),
    (GRAPHQL, "", 'a: "'), (GRAPHQL, "", "a "), (GRAPHQL, "a", " "), (GRAPHQL, "", '"""'), (GRAPHQL, "", "a:[{"),
    (GRAPHQL, "(", "a: "), (GRAPHQL, "", "$a:"), (GRAPHQL, "", "#"),
    (PARTS, "", "--XX\r\n"), (PARTS, PART, ";name="), (PARTS, PART + ';name="', "\\"), (PARTS, "--XX", "\n"),
    (PARTS, PART, "; "), (PARTS, PART + "\r\n\r\n", "a: "), (PARTS, PART + "\r\nContent-Type: multipart/x\r\n\r\n", "--"),
    (TEXT, "", "eyJ"), (TEXT, "", "a=b\n"), (TEXT, "", "//a:b"), (TEXT, "", "a: "), (TEXT, "", "password: "),
    (TEXT, "", "42["), (TEXT, "", "1:"), (TEXT, "", "\x1e"), (TEXT, "a", " "), (TEXT, "", "Bearer "), (TEXT, "", "9" * 9),
    (TEXT, "", "[]("), (TEXT, "", "a, "), (TEXT, "", "xoxa-"), (TEXT, "", "\u200b"), (TEXT, "", "a-"), (TEXT, "", "{}"),
]  # fmt: skip
REDACTORS = (
    Redactor(),
    Redactor(
        RedactionRules(added=("response:token", "frame:token", "field:*a*b*")),
        KnownValues(["seen-7Q", "a" * 20, "-" * 9]),
    ),
)


def exchange(kind: str, text: str) -> Exchange:
    head = f"POST /b HTTP/1.1\r\nContent-Type: {kind}\r\n\r\n".encode()
    answer = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode()
    return Exchange("http://a.test/b", Moment(0), answer, BytesBody(text.encode()), head, BytesBody(text.encode()))


@pytest.mark.parametrize(("kind", "start", "shape"), SHAPES)
def test_bodies_of_any_shape_come_to_an_end(kind: str, start: str, shape: str) -> None:
    text = start + shape * (SIZE // len(shape))
    assert REDACTORS[0].redact(exchange(kind, text)).exchange.url == "http://a.test/b"
    assert REDACTORS[1].redact(exchange(kind, text[: SIZE // 4])).exchange.url == "http://a.test/b"


@pytest.mark.parametrize(("start", "shape"), sorted({shape[1:] for shape in SHAPES}))
def test_so_do_urls_heads_texts_and_messages(start: str, shape: str) -> None:
    text = start[:100] + shape * (SIZE // 6 // len(shape))
    redactor = REDACTORS[1]
    redactor.redact_url(f"http://a.test/?{text}")
    redactor.redact_text(f"<p>{text}")
    redactor.redact_message(text.encode(), from_client=True)
    redactor.redact_message(text.encode(), from_client=False)
    redactor.redact_request_head(f"GET /{text} HTTP/1.1\r\nX-Token-Url: {text}\r\nX: @{text}\r\n\r\n".encode())
    redactor.redact_response_head(f"HTTP/1.1 200 OK\r\nLink: token={text}\r\n\r\n".encode())


def test_so_do_heads_of_many_folded_lines() -> None:
    head = b"GET / HTTP/1.1\r\nX: y\r\n" + b" z\r\n" * 400_000 + b"\r\n"
    assert Redactor().redact_request_head(head) == (head, 0)


def test_so_do_many_values_of_many_names() -> None:
    text = "{" + '"name":"password","value":"y",' * 20_000 + "}"
    assert REDACTORS[0].redact(exchange(JSON, text)).count == 20_000
