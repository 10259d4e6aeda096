"""What is kept out of records, and that nothing else is touched."""

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
