"""What is kept out of records, and that nothing else is touched."""

import gzip

import pytest

from webkeep.errors import UsageError
from webkeep.fetch.recording.privacy import DEFAULT_RULES, Privacy, changed
from webkeep.model import BytesBody, Exchange, Moment


def exchange(request: bytes, body: bytes = b"", response: bytes = b"", url: str = "http://a.test/b") -> Exchange:
    return Exchange(url, Moment(0), response or b"HTTP/1.1 200 OK\r\n\r\n", BytesBody(b"x"), request, BytesBody(body))


def posted(kind: str, body: bytes) -> tuple[bytes, bytes, int]:
    head = f"POST /b HTTP/1.1\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    cleaned, count = Privacy().cleaned(exchange(head, body))
    return cleaned.request, b"".join(cleaned.request_body.chunks()), count


def test_credentials_and_cookies_are_left_out_of_heads() -> None:
    given = exchange(
        b"GET /b HTTP/1.1\r\nauthorization: Basic eA==\r\nCookie: a=b\r\nX: y\r\n\r\n",
        response=b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nSET-COOKIE: c=d\r\nX: Cookie: z\r\n\r\n",
    )
    cleaned, count = Privacy().cleaned(given)
    assert count == 4
    assert cleaned.request == b"GET /b HTTP/1.1\r\nauthorization: [redacted]\r\nCookie: [redacted]\r\nX: y\r\n\r\n"
    assert cleaned.response == (
        b"HTTP/1.1 200 OK\r\nSet-Cookie: [redacted]\r\nSET-COOKIE: [redacted]\r\nX: Cookie: z\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("kind", "body", "kept"),
    [
        (
            "application/x-www-form-urlencoded",
            b"user=me&Password=geheim&login%5Bpwd%5D=x&q=password",
            b"user=me&Password=[redacted]&login%5Bpwd%5D=[redacted]&q=password",
        ),
        (
            "application/json",
            b'{"user": "me", "password": "ge\\"heim", "pin": 1234, "note": "password"}',
            b'{"user": "me", "password": "[redacted]", "pin": "[redacted]", "note": "password"}',
        ),
        (
            'multipart/form-data; boundary="XX"',
            b'--XX\r\nContent-Disposition: form-data; name="user"\r\n\r\nme\r\n'
            b'--XX\r\nContent-Disposition: form-data; name="passwd"\r\n\r\ngeheim\r\n--XX--\r\n',
            b'--XX\r\nContent-Disposition: form-data; name="user"\r\n\r\nme\r\n'
            b'--XX\r\nContent-Disposition: form-data; name="passwd"\r\n\r\n[redacted]\r\n--XX--\r\n',
        ),
    ],
)
def test_passwords_are_left_out_of_forms(kind: str, body: bytes, kept: bytes) -> None:
    head, recorded, count = posted(kind, body)
    assert recorded == kept
    assert b"Content-Length: %d\r\n" % len(kept) in head
    assert count


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream", "", "multipart/form-data"])
def test_what_is_no_form_is_left_alone(kind: str) -> None:
    assert posted(kind, b"password=geheim")[1:] == (b"password=geheim", 0)


def test_a_chunked_form_is_redacted_too() -> None:
    head = b"POST /b HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
    cleaned, _ = Privacy().cleaned(exchange(head, b"6\r\npasswo\r\n9\r\nrd=geheim\r\n0\r\n\r\n"))
    assert b"".join(cleaned.request_body.chunks()) == b"password=[redacted]"
    assert cleaned.request.endswith(b"\r\nContent-Length: 19\r\n\r\n")


def test_passwords_are_left_out_of_urls() -> None:
    given = exchange(b"GET /b?pass=geheim&a=b HTTP/1.1\r\n\r\n", url="http://a.test/b?pass=geheim&a=b")
    cleaned, count = Privacy().cleaned(given)
    assert (cleaned.url, count) == ("http://a.test/b?pass=redacted&a=b", 1)
    assert cleaned.request == b"GET /b?pass=redacted&a=b HTTP/1.1\r\n\r\n"


def test_nothing_private_means_the_very_same_exchange() -> None:
    given = exchange(b"GET /b HTTP/1.1\r\nAccept: */*\r\n\r\n")
    assert Privacy().cleaned(given) == (given, 0)
    assert Privacy(()).cleaned(exchange(b"GET / HTTP/1.1\r\nCookie: a=b\r\n\r\n"))[1] == 0


def test_people_change_the_rules() -> None:
    rules = changed(["header:X-Api-Key", "field:iban"], ["header:Set-Cookie"]).rules
    assert set(rules) == {*DEFAULT_RULES, "header:x-api-key", "field:iban"} - {"header:set-cookie"}
    with pytest.raises(UsageError, match="header:x-api-key"):
        changed(["cookie"], [])


def answered(kind: bytes, body: bytes, *lines: bytes, rules: tuple[str, ...] = ("answer:token",)) -> Exchange:
    head = b"\r\n".join([b"HTTP/1.1 200 OK", b"Content-Type: " + kind, *lines, b"", b""])
    given = Exchange("http://a.test/", Moment(0), head, BytesBody(body), b"GET / HTTP/1.1\r\n\r\n")
    return Privacy(rules).cleaned(given)[0]


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
    assert b"".join(answered(kind, body, rules=("field:token",)).body.chunks()) == body


def test_a_packed_answer_is_recorded_unpacked_where_something_is_left_out() -> None:
    packed = gzip.compress(b'{"token": "y"}')
    cleaned = answered(b"application/json", packed, b"Content-Encoding: gzip", b"Content-Length: %d" % len(packed))
    assert b"".join(cleaned.body.chunks()) == b'{"token": "[redacted]"}'
    assert cleaned.response == b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n"


def test_frames_are_searched_where_a_rule_says_so() -> None:
    privacy = Privacy(("frame:token",))
    assert privacy.cleaned_frame(b'{"token": "y"}', is_packed=False) == (b'{"token": "[redacted]"}', 1)
    assert privacy.cleaned_frame(b"a=b&token=y", is_packed=False) == (b"a=b&token=[redacted]", 1)
    assert privacy.cleaned_frame(b"\xaaV*", is_packed=True) == (b"[redacted]", 1)
    assert Privacy().cleaned_frame(b'{"password": "y"}', is_packed=False) == (b'{"password": "y"}', 0)
