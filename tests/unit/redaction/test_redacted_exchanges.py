"""What is left out of an exchange, wherever it stands and however it is spelled; and that nothing else is touched."""

import base64
import gzip
import json
import zlib

import brotli
import pytest
import zstandard

from webkeep.errors import UsageError
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.redaction import NO_REDACTION, RedactionRules, Redactor
from webkeep.redaction.redactor import RedactedExchange
from webkeep.redaction.values import KnownValues

SECRET = "geheim-7Q"
PLAIN = b"HTTP/1.1 200 OK\r\n\r\n"


def exchange(request: bytes, body: bytes = b"", response: bytes = PLAIN, url: str = "http://a.test/b") -> Exchange:
    return Exchange(url, Moment(0), response, BytesBody(b"x"), request, BytesBody(body))


def posted(kind: str, body: bytes, *lines: str, path: str = "/b") -> RedactedExchange:
    fields = [f"Content-Type: {kind}", f"Content-Length: {len(body)}", *lines]
    head = "".join(f"{line}\r\n" for line in [f"POST {path} HTTP/1.1", *fields, ""]).encode()
    return Redactor().redact(exchange(head, body, url=f"http://a.test{path}"))


def sent(redacted: RedactedExchange) -> bytes:
    return b"".join(redacted.exchange.request_body.chunks())


def everything(redacted: RedactedExchange) -> bytes:
    held = redacted.exchange
    return held.url.encode() + held.via.encode() + held.request + held.response + sent(redacted)


def test_credentials_and_cookies_are_left_out_of_heads() -> None:
    given = exchange(
        b"GET /b HTTP/1.1\r\nauthorization: Basic eA==\r\nCookie: a=b\r\nX: y\r\n\r\n",
        response=b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nSET-COOKIE : c=d\r\nX: Cookie: z\r\n\r\n",
    )
    redacted = Redactor().redact(given)
    assert redacted.count == 4
    assert redacted.exchange.request == (
        b"GET /b HTTP/1.1\r\nauthorization: [redacted]\r\nCookie: [redacted]\r\nX: y\r\n\r\n"
    )
    assert redacted.exchange.response == (
        b"HTTP/1.1 200 OK\r\nSet-Cookie: [redacted]\r\nSET-COOKIE : [redacted]\r\nX: Cookie: z\r\n\r\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        "Cookie: a={}", "Cookie:\r\n a={}", "X-CSRF-Token: {}", "X-Goog-Api-Key: {}", "Private-Token: {}",
        "Referer: http://a.test/reset?token={}", "Referer: http://a.test/x?next=%2Freset%3Ftoken%3D{}",
        "Referer: http://a.test/x?next=%252Freset%253Ftoken%253D{}", "Referer: http://me:{}@a.test/",
        "Origin: http://me:{}@a.test", "Sec-WebSocket-Protocol: graphql-ws, {}", "X-Vault-Token: {}",
        'X-Info: {{"password": "{}"}}', "Referer: http://a.test/#access_token={}&x=1",
        "Referer: http://a.test/;jsessionid={}?x=1", "Destination: /a?api_key={}",
    ],
)  # fmt: skip
def test_no_field_of_a_request_tells_it(line: str) -> None:
    head = f"GET /b HTTP/1.1\r\n{line.format(SECRET)}\r\nAccept: */*\r\n\r\n".encode()
    redacted = Redactor().redact(exchange(head))
    assert redacted.count == 1
    assert SECRET.encode() not in everything(redacted)
    assert redacted.exchange.request.endswith(b"\r\nAccept: */*\r\n\r\n")


@pytest.mark.parametrize(
    "line",
    [
        "Set-Cookie: a={}", "Location: /reset?token={}", "Location: http://a.test/#id_token={}",
        "Content-Location: /reset?token={}", "Refresh: 0; url=/reset?token={}", 'Refresh: 0; url="/reset?token={}"',
        "Link: </reset?token={}>; rel=preload", "Location: /cb?code={}&state=x", "X-Access-Token: {}",
        "Content-Security-Policy: report-uri /r?token={}; default-src 'self'", "SourceMap: /a.map?sig={}",
        "Location: /a?user%5Bpass%77ord%5D={}", "Location: /a?pass%u0077ord={}",
    ],
)  # fmt: skip
def test_no_field_of_a_response_tells_it(line: str) -> None:
    head = f"HTTP/1.1 302 Found\r\n{line.format(SECRET)}\r\nServer: x\r\n\r\n".encode()
    redacted = Redactor().redact(exchange(b"GET /b HTTP/1.1\r\n\r\n", response=head))
    assert redacted.count == 1
    assert SECRET.encode() not in everything(redacted)
    assert redacted.exchange.response.endswith(b"\r\nServer: x\r\n\r\n")


@pytest.mark.parametrize(
    "query",
    ["pass={}&a=b", "user[password]={}", "new_password1={}", "pass%77ord={}", "%70ass={}", "a=b;token={}", "api-key={}",
     "q=%7B%22password%22%3A%22{}%22%7D", "passphrase={}#x", "Pa%53s={}", "u=http%3A%2F%2Fme%3A{}%40b.test%2F"],
)  # fmt: skip
def test_secrets_are_left_out_of_urls_and_targets(query: str) -> None:
    target = "/b?" + query.format(SECRET)
    redacted = Redactor().redact(exchange(f"GET {target} HTTP/1.1\r\n\r\n".encode(), url=f"http://a.test{target}"))
    assert redacted.count == 1
    assert SECRET.encode() not in everything(redacted)
    assert "redacted" in redacted.exchange.url


@pytest.mark.parametrize("raw", ["ü".encode(), "ü".encode("latin-1"), "日本".encode()], ids=repr)
def test_targets_of_raw_letters_tell_nothing_either(raw: bytes) -> None:
    head = b"GET /b?name=%b&password=%b&x=%b HTTP/1.1\r\nHost: a.test\r\n\r\n" % (raw, SECRET.encode(), raw)
    redacted = Redactor().redact(exchange(head, url=f"http://a.test/b?name=%FC&password={SECRET}&x=%FC"))
    assert redacted.exchange.request == head.replace(SECRET.encode(), b"redacted")
    assert redacted.exchange.url == "http://a.test/b?name=%FC&password=redacted&x=%FC"


FORMS = [
    (
        "application/x-www-form-urlencoded",
        "user=me&Password=geheim-7Q&login%5Bpwd%5D=geheim-7Q&q=password",
        "user=me&Password=[redacted]&login%5Bpwd%5D=[redacted]&q=password",
    ),
    (
        "application/json",
        '{"user": "me", "password": "geheim-7Q\\"", "pin": 1234, "note": "password", "token": true}',
        '{"user": "me", "password": "[redacted]", "pin": "[redacted]", "note": "password", "token": true}',
    ),
    ("application/json", '{"pass\\u0077ord": "geheim-7Q"}', '{"pass\\u0077ord": "[redacted]"}'),
    ("application/json", '{"token": ["geheim-7Q", 1], "a": 1}', '{"token": ["[redacted]", "[redacted]"], "a": 1}'),
    ("application/json", '{"secret": {"k": "geheim-7Q"}, "b": 2}', '{"secret": {"k": "[redacted]"}, "b": 2}'),
    (
        "application/json",
        '[{"name": "password", "value": "geheim-7Q"}]',
        '[{"name": "password", "value": "[redacted]"}]',
    ),
    ("application/json", '{"url": "/x?token=geheim-7Q"}', '{"url": "/x?token=redacted"}'),
    ("application/vnd.api+json", '{"a":1}\n{"password":"geheim-7Q"}', '{"a":1}\n{"password":"[redacted]"}'),
    ("application/x-www-form-urlencoded", '{"password":"geheim-7Q"}', '{"password":"[redacted]"}'),
    ("text/plain;charset=UTF-8", '{"password":"geheim-7Q"}', '{"password":"[redacted]"}'),
    ("text/plain", "user=me\r\npassword=geheim-7Q\r\n", "user=me\r\npassword=[redacted]\r\n"),
    ("", "password=geheim-7Q", "password=[redacted]"),
    ("application/octet-stream", "password=geheim-7Q", "password=[redacted]"),
    ("application/json", ')]}\'\n{"password": "geheim-7Q"}', ')]}\'\n{"password": "[redacted]"}'),
    ("application/json", "{'password': 'geheim-7Q'}", "{'password': \"[redacted]\"}"),
    ("application/json", '{/* " */ "password": "geheim-7Q"}', '{/* " */ "password": "[redacted]"}'),
    ("application/json", '{"password": "geheim-7Q', '{"password": "[redacted]"'),
    (
        "application/json",
        '{"query": "mutation($token: String) { login(password: \\"geheim-7Q\\") }"}',
        '{"query": "mutation($token: String) { login(password: \\"[redacted]\\") }"}',
    ),
    ("application/graphql", '{ login(password: "geheim-7Q") }', '{ login(password: "[redacted]") }'),
    ("text/xml", "<a><Password>geheim-7Q</Password><b>1</b></a>", "<a><Password>[redacted]</Password><b>1</b></a>"),
    (
        "text/xml",
        '<u:Secret xmlns:u="x"><v>geheim-7Q</v></u:Secret>',
        '<u:Secret xmlns:u="x"><v>[redacted]</v></u:Secret>',
    ),
    ("text/xml", "<p><![CDATA[a]]></p><pin><![CDATA[geheim-7Q]]></pin>", "<p><![CDATA[a]]></p><pin>[redacted]</pin>"),
    ("text/xml", "<key>token</key><string>geheim-7Q</string>", "<key>token</key><string>[redacted]</string>"),
    ("text/xml", '<i name="password" value="geheim-7Q"/>', '<i name="password" value="[redacted]"/>'),
    (
        'multipart/form-data; boundary="XX"',
        '--XX\r\nContent-Disposition: form-data; name="user"\r\n\r\nme\r\n'
        '--XX\r\nContent-Disposition: form-data; name="passwd"\r\n\r\ngeheim-7Q\r\n--XX--\r\n',
        '--XX\r\nContent-Disposition: form-data; name="user"\r\n\r\nme\r\n'
        '--XX\r\nContent-Disposition: form-data; name="passwd"\r\n\r\n[redacted]\r\n--XX--\r\n',
    ),
    (
        "multipart/form-data; boundary=XX",
        '--XX\nContent-Disposition: form-data; name="passwd"\n\ngeheim-7Q\n--XX--\n',
        '--XX\nContent-Disposition: form-data; name="passwd"\n\n[redacted]\n--XX--\n',
    ),
    (
        "multipart/form-data; boundary=XX",
        '--XX\r\nContent-Disposition: form-data; name="d"\r\nContent-Type: application/json\r\n\r\n'
        '{"token": "geheim-7Q"}\r\n--XX--',
        '--XX\r\nContent-Disposition: form-data; name="d"\r\nContent-Type: application/json\r\n\r\n'
        '{"token": "[redacted]"}\r\n--XX--',
    ),
]


@pytest.mark.parametrize(("kind", "body", "kept"), FORMS)
def test_secrets_are_left_out_of_what_is_sent(kind: str, body: str, kept: str) -> None:
    redacted = posted(kind, body.encode())
    assert sent(redacted).decode() == kept
    assert b"Content-Length: %d\r\n" % len(kept.encode()) in redacted.exchange.request
    assert redacted.count
    assert not redacted.left_out


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "latin-1", "utf-7", "cp037"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_charsets_hide_nothing(encoding: str, mark: str) -> None:
    if mark and not encoding.startswith("utf-"):
        mark = ""
    body = (mark + json.dumps({"name": "me", "password": SECRET})).encode(encoding)
    redacted = posted(f"application/json; charset={encoding}", body)
    assert json.loads(sent(redacted).decode(encoding).lstrip("\ufeff")) == {"name": "me", "password": "[redacted]"}


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("zstd", zstandard.ZstdCompressor().compress),
    ],
)
def test_codings_hide_nothing(coding: str, packed: type[bytes]) -> None:
    redacted = posted("application/json", packed(b'{"password": "geheim-7Q"}'), f"Content-Encoding: {coding}")
    assert sent(redacted) == b'{"password": "[redacted]"}'
    assert b"ncoding" not in redacted.exchange.request
    assert b"\r\nContent-Length: 26\r\n\r\n" in redacted.exchange.request


def test_a_chunked_form_is_redacted_too() -> None:
    head = b"POST /b HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
    redacted = Redactor().redact(exchange(head, b"6\r\npasswo\r\n9\r\nrd=geheim\r\n0\r\n\r\n"))
    assert sent(redacted) == b"password=[redacted]"
    assert redacted.exchange.request.endswith(b"\r\nContent-Length: 19\r\n\r\n")


@pytest.mark.parametrize(
    ("kind", "body", "lines"),
    [
        ("application/json", b"\xde\xad\xbe\xef" * 9, ["Content-Encoding: x-odd"]),
        ("application/json", b"\x1f\x8bbroken", ["Content-Encoding: gzip"]),
        ("multipart/form-data; boundary=XX", b"no parts at all", []),
        ("text/plain; charset=x-odd", b"\xde\xad\xbe\xef", []),
        ("application/x-msgpack", b"\x82\xa4user\xa2me\xa8password\xa9geheim-7Q", []),
        ("application/x-www-form-urlencoded", b"a=" + b"x" * (8 << 20), []),
    ],
)
def test_what_cannot_be_read_and_may_hold_a_secret_is_left_out(kind: str, body: bytes, lines: list[str]) -> None:
    redacted = posted(kind, body, *lines)
    assert sent(redacted) == b"[redacted]"
    assert redacted.finding is not None
    assert redacted.finding.code == "request-left-out"


@pytest.mark.parametrize(
    ("kind", "body", "lines"),
    [
        ("image/png", b"\x89PNG\r\n\x1a\npassword", []),
        ("image/jpeg", b"\xff\xd8\xff" + bytes(range(256)), ["Content-Encoding: x-odd"]),
        ("application/octet-stream", bytes(range(256)), []),
        ("application/x-protobuf", b"\x0a\x04\x08\x96\x01", []),
        ("", bytes(range(256)) + b"\x01pin\x02otp\x03", []),
        ("application/octet-stream", bytes(range(256)) * 2000 + b"\x01token\x02", []),
        ("video/mp4", b"x" * (9 << 20), []),
        ("application/octet-stream", b"x" * (9 << 20), []),
        ("application/json", b'{"max_tokens": 4096, "passage": "x", "comment": "my token = 3"}', []),
        ("application/x-www-form-urlencoded", b"q=password&tokens=1&page_token=CAUQAA&compass=north", []),
        ("text/plain", b"The password is written down; token = none", []),
        ("application/json", b'{"code": "let token=f()"}', []),
    ],
)
def test_what_is_no_secret_is_left_alone(kind: str, body: bytes, lines: list[str]) -> None:
    redacted = posted(kind, body, *lines)
    assert sent(redacted) == body
    assert redacted.count == 0


@pytest.mark.parametrize("name", ["plain", "graphql-transport-ws", "ocpp2.0.1", "v4.channel.k8s.io", "wamp.2.msgpack"])
def test_protocols_within_websockets_keep_their_names(name: str) -> None:
    line = "Sec-WebSocket-Protocol: {}\r\n".format
    head = f"GET /b HTTP/1.1\r\n{line(f'{name}, {SECRET}')}\r\n".encode()
    agreed = f"HTTP/1.1 101 Switching\r\n{line(name)}\r\n".encode()
    redacted = Redactor().redact(exchange(head, response=agreed)).exchange
    assert redacted.request == f"GET /b HTTP/1.1\r\n{line(f'{name}, [redacted]')}\r\n".encode()
    assert redacted.response == agreed


def test_nothing_private_means_the_very_same_exchange() -> None:
    given = exchange(b"GET /b?sid=7&x=%20 HTTP/1.1\r\nAccept: */*\r\nReferer: http://a.test/?q=token\r\n\r\n")
    assert Redactor().redact(given).exchange is given
    assert Redactor(NO_REDACTION).redact(exchange(b"GET / HTTP/1.1\r\nCookie: a=b\r\n\r\n")).count == 0


def test_what_was_redacted_stays_as_it_is() -> None:
    head = f"POST /b?token={SECRET} HTTP/1.1\r\nCookie: a={SECRET}\r\nContent-Type: application/json\r\n\r\n".encode()
    once = Redactor().redact(exchange(head, b'{"password": "geheim-7Q"}', url=f"http://a.test/b?token={SECRET}"))
    again = Redactor().redact(once.exchange)
    assert again.exchange is once.exchange
    assert again.count == 0


def test_people_change_the_rules() -> None:
    rules = RedactionRules(added=("header:X-Mine", "field:iban"), kept=("header:Set-Cookie", "field:*token*"))
    assert rules.rule_texts == ["credentials", "header:x-mine", "field:iban", "-header:set-cookie", "-field:*token*"]
    given = exchange(
        b"GET /b?iban=1&token=2 HTTP/1.1\r\nX-Mine: 1\r\nCookie: a=b\r\n\r\n",
        response=b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n\r\n",
        url="http://a.test/b?iban=1&token=2",
    )
    redacted = Redactor(rules).redact(given).exchange
    assert redacted.url == "http://a.test/b?iban=redacted&token=2"
    assert redacted.request.endswith(b"X-Mine: [redacted]\r\nCookie: [redacted]\r\n\r\n")
    assert redacted.response == given.response
    with pytest.raises(UsageError, match="header:x-api-key"):
        RedactionRules(added=("cookie",))


def test_known_values_are_hidden_however_they_are_spelled() -> None:
    value = 'a/b+"c 9'
    redactor = Redactor(known=KnownValues([value, "plain-7Q"]))
    body = json.dumps({"a": value}).encode()
    head = b"POST /x/plain-7Q HTTP/1.1\r\nX: a%2Fb%2B%22c%209\r\nContent-Type: application/json\r\n\r\n"
    redacted = redactor.redact(exchange(head, body, url="http://a.test/x/plain-7Q"))
    assert redacted.exchange.url == "http://a.test/x/redacted"
    assert redacted.exchange.request.startswith(b"POST /x/redacted HTTP/1.1\r\nX: redacted\r\n")
    assert json.loads(sent(redacted)) == {"a": "[redacted]"}
    assert redactor.redact_text("<p>a/b+&quot;c 9</p>") == ("<p>[redacted]</p>", 1)


def test_web_tokens_are_known_by_their_shape() -> None:
    parts = [base64.urlsafe_b64encode(each).decode().rstrip("=") for each in (b'{"alg":"HS256"}', b'{"sub":"me"}')]
    token = ".".join([*parts, "c2lnbmF0dXJl"])
    head = f"GET /verify/{token} HTTP/1.1\r\n\r\n".encode()
    redacted = Redactor().redact(exchange(head, url=f"http://a.test/verify/{token}"))
    assert redacted.exchange.url == "http://a.test/verify/redacted"


def answered(kind: bytes, body: bytes, *lines: bytes, rule: str = "response:token") -> Exchange:
    head = b"\r\n".join([b"HTTP/1.1 200 OK", b"Content-Type: " + kind, *lines, b"", b""])
    given = Exchange("http://a.test/", Moment(0), head, BytesBody(body), b"GET / HTTP/1.1\r\n\r\n")
    return Redactor(RedactionRules(added=(rule,))).redact(given).exchange


@pytest.mark.parametrize(
    ("kind", "body", "kept"),
    [
        (b"application/json", b'{"token": 7, "a": "b"}', b'{"token": "[redacted]", "a": "b"}'),
        (b"text/html", b'<script>x={"token":"y"}</script>', b'<script>x={"token":"[redacted]"}</script>'),
        (b"text/html", b"<INPUT value='y' name=token>", b'<INPUT value="[redacted]" name=token>'),
        (b"text/html", b"<input name=other value=y>", b"<input name=other value=y>"),
        (b"application/x-www-form-urlencoded", b"a=b&token=y", b"a=b&token=[redacted]"),
        (b"image/png", b'{"token": "y"}', b'{"token": "y"}'),
    ],
)
def test_answers_are_searched_where_a_rule_says_so(kind: bytes, body: bytes, kept: bytes) -> None:
    assert b"".join(answered(kind, body).body.chunks()) == kept
    assert b"".join(answered(kind, body, rule="field:other").body.chunks()) == body


def test_rules_written_when_responses_were_called_answers_still_hold() -> None:
    assert RedactionRules(added=("answer:token",)) == RedactionRules(added=("response:token",))


def test_a_packed_answer_is_recorded_unpacked_where_something_is_left_out() -> None:
    packed = gzip.compress(b'{"token": "y"}')
    redacted = answered(b"application/json", packed, b"Content-Encoding: gzip", b"Content-Length: %d" % len(packed))
    assert b"".join(redacted.body.chunks()) == b'{"token": "[redacted]"}'
    assert redacted.response == b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n"


def test_messages_of_clients_are_like_forms_and_those_of_servers_like_answers() -> None:
    redactor = Redactor()
    assert redactor.redact_message(b'{"token": "y"}', from_client=True) == (b'{"token": "[redacted]"}', 1)
    assert redactor.redact_message(b'{"token": "y"}', from_client=False) == (b'{"token": "y"}', 0)
    own = Redactor(RedactionRules(added=("frame:name",)))
    assert own.redact_message(b"a=b&name=y", from_client=False) == (b"a=b&name=[redacted]", 1)
    assert Redactor(NO_REDACTION).redact_message(b'{"password": "y"}', from_client=True)[1] == 0


@pytest.mark.parametrize(
    ("rules", "head"),
    [
        (("field:a*",), b"POST /?a=b?a=b?a=b HTTP/1.1\r\nX-A: a=b?a=b&amp;token=z<\r\n\r\n"),
        ((), b'POST /while(1);[ HTTP/1.1\r\nX-A: ["pass: ord","x"],{"name":"pin","value":[{"a":"y"}]}]\r\n\r\n'),
        ((), b"POST /user=me&next=%2Fa%3Ftoken%3Dy HTTP/1.1\r\nX-A: sessionid=1?code=2&sp;token=z<\r\n\r\n"),
        (("field:a*",), b"POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ],
)
@pytest.mark.parametrize("body", [b"=1>", b"a[token<=z;jsessionid=1?code=2&st"])
@pytest.mark.parametrize(
    "url", ["http://a.test/", "http://a.test/x\r\nCookie: a=b\r\nReferer: http://b/?token=x#token="]
)
def test_what_was_redacted_has_nothing_more_to_hide(rules: tuple[str, ...], head: bytes, body: bytes, url: str) -> None:
    """What is left out may have held the rest together; that is read again until it stays as it is."""
    redactor = Redactor(RedactionRules(added=rules))
    once = redactor.redact(Exchange(url, Moment(0), b"", BytesBody(b""), head, BytesBody(body))).exchange
    twice = redactor.redact(once).exchange
    assert (twice.url, twice.request) == (once.url, once.request)
    assert b"".join(twice.request_body.chunks()) == b"".join(once.request_body.chunks())
