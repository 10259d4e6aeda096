"""Nothing private is recorded unless it is asked for, and secrets never are."""

from pathlib import Path

import pytest
from recorded_app import HOST, HTML, Page, Site

from webkeep.errors import UsageError
from webkeep.recorder.limits import RecorderLimits
from webkeep.recorder.recording_rules import RecorderRules
from webkeep.store.archive import Archive

SECRET = b"s3cr3t"


@pytest.mark.parametrize(
    "name", [b"cookie", b"authorization", b"proxy-authorization", b"x-api-key", b"x-csrf-token", b"x-shop-access-token"]
)
def test_answers_to_known_visitors_are_not_recorded(tmp_path: Path, name: bytes) -> None:
    site = Site(tmp_path / "a")
    site.ask("/", [HOST, (name, SECRET)])
    site.middleware.close()
    assert site.counts() == {"private": 1}
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    "field",
    [
        (b"set-cookie", b"a=" + SECRET),
        (b"Set-Cookie", b"a=" + SECRET),
        (b"cache-control", b"max-age=1, Private"),
        (b"Cache-Control", b"no-store"),
    ],
)
def test_private_answers_are_not_recorded(tmp_path: Path, field: tuple[bytes, bytes]) -> None:
    site = Site(tmp_path / "a", page=Page(headers=[HTML, field]))
    site.ask()
    site.middleware.close()
    assert site.counts() == {"private": 1}
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    "query",
    [
        "token=1", "a=b&access_token=1", "x=1&Password=2", "api_key=3", "sig=4f6a9b", "user[password]=1",
        "new_password1=2", "password_confirmation=3", "pass=hunter", "passphrase=5", "pin=4711", "api-key=7",
        "pass%77ord=8", "user%5Bpassword%5D=9",
    ],
)  # fmt: skip
def test_urls_with_secrets_are_not_recorded(tmp_path: Path, query: str) -> None:
    site = Site(tmp_path / "a")
    site.ask(f"/?{query}")
    assert site.counts() == {"private": 1}


@pytest.mark.parametrize("query", ["design=1", "tokens=1", "monkey=2", "q=token", "pass=2", "pin=3", "sig=short"])
def test_urls_that_only_look_like_it_are(tmp_path: Path, query: str) -> None:
    site = Site(tmp_path / "a")
    site.ask(f"/?{query}")
    assert len(site.kept()) == 1


def test_secrets_are_redacted_where_the_rest_is_asked_for(tmp_path: Path) -> None:
    page = Page(headers=[HTML, (b"set-cookie", b"a=" + SECRET), (b"vary", b"Cookie, Accept-Language")])
    site = Site(tmp_path / "a", RecorderRules(credentials=True, private=True), page=page)
    headers = [HOST, (b"cookie", SECRET), (b"accept-language", b"de"), (b"x-forwarded-for", b"192.0.2.1")]
    site.ask("/", [*headers, (b"user-agent", b"visitor"), (b"authorization", SECRET)])
    assert len(site.kept()) == 1
    request, response = _messages(tmp_path / "a")
    assert request == (b"GET / HTTP/1.1\r\nhost: example.org\r\ncookie: [redacted]\r\naccept-language: de\r\n\r\n")
    assert response.startswith(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nset-cookie: [redacted]\r\n")


def test_urls_and_redirects_are_recorded_without_their_secrets(tmp_path: Path) -> None:
    page = Page(status=302, headers=[HTML, (b"location", b"/welcome?token=" + SECRET + b"&lang=de")])
    site = Site(tmp_path / "a", RecorderRules(private=True), page=page)
    site.ask(f"/reset?user[password]={SECRET.decode()}&a=b")
    assert [observation.url for observation, _ in site.kept()] == [
        "http://example.org/reset?user[password]=redacted&a=b"
    ]
    request, response = _messages(tmp_path / "a")
    assert request.startswith(b"GET /reset?user[password]=redacted&a=b HTTP/1.1\r\n")
    assert b"location: /welcome?token=redacted&lang=de\r\n" in response


def test_a_redirect_with_a_secret_is_recorded_without_it(tmp_path: Path) -> None:
    page = Page(status=302, headers=[HTML, (b"location", b"/welcome?token=" + SECRET)])
    site = Site(tmp_path / "a", page=page)
    site.ask("/login")
    assert len(site.kept()) == 1
    assert SECRET not in b"".join(_messages(tmp_path / "a"))


def test_request_fields_that_were_asked_for_are_kept(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", RecorderRules(request_fields=frozenset({"User-Agent"})))
    site.ask("/", [HOST, (b"user-agent", b"visitor"), (b"referer", b"http://example.org/x")])
    site.middleware.close()
    request, _ = _messages(tmp_path / "a")
    assert request == b"GET / HTTP/1.1\r\nhost: example.org\r\nuser-agent: visitor\r\n\r\n"


def test_what_belongs_to_the_connection_is_not_kept(tmp_path: Path) -> None:
    headers = [HTML, (b"transfer-encoding", b"chunked"), (b"connection", b"close"), (b"x-evil", b"a\r\nb: c")]
    site = Site(tmp_path / "a", page=Page(headers=headers))
    site.ask()
    assert site.bodies() == [b"page"]
    _, response = _messages(tmp_path / "a")
    assert response == b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nx-evil: a b: c\r\n\r\npage"


def test_an_origin_goes_before_what_requests_say(tmp_path: Path) -> None:
    site = Site(tmp_path / "a", RecorderRules(origin="https://WWW.Example.org:443/"))
    for host in (b"example.org", b"victim.example", b"no host"):
        site.ask("/page", [(b"host", host)])
    assert [observation.url for observation, _ in site.kept()] == ["https://www.example.org/page"]


@pytest.mark.parametrize(
    "wrong",
    [{"share": 1.5}, {"share": -1}, {"gap": -1.0}, {"max_size": -1}, {"origin": "example.org"},
     {"origin": "https://example.org/a"}, {"origin": "ftp://example.org"}],
    ids=str,
)  # fmt: skip
def test_rules_that_cannot_be_followed_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        RecorderRules(**wrong)  # type: ignore[arg-type]


def test_limits_that_leave_nothing_are_refused() -> None:
    with pytest.raises(UsageError):
        RecorderLimits(waiting=0)


def _messages(path: Path) -> tuple[bytes, bytes]:
    with Archive(path) as archive:
        found = {record.type: b"".join(record.chunks()) for record in archive.records()}
    return found["request"], found["response"]
