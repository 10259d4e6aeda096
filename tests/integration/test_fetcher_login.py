"""Who we are to a server: headers, credentials and cookies; and how they are kept out of what others may read."""

import asyncio
import hashlib
import re
import stat
from pathlib import Path

import pytest
from fetcher_calls import fetch, wire
from raw_server import Cut, RawServer

from fetch_settings import settings as usual_settings
from webkeep.errors import StorageError, UsageError
from webkeep.fetch import Credentials, FetchRequest
from webkeep.fetch.client import Fetcher
from webkeep.model import BytesBody
from webkeep.redaction import Redactor

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
BASIC = b'HTTP/1.1 401 Who?\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 4\r\n\r\nwho?'
DIGEST = (
    b"HTTP/1.1 401 Who?\r\n"
    b'WWW-Authenticate: Digest realm="r", nonce="n0", qop="auth", algorithm=MD5\r\n'
    b"Content-Length: 4\r\n\r\nwho?"
)
SECRET = Credentials("reader", "open sesame")


def test_headers_for_all_hosts_for_one_and_for_one_request(tmp_path: Path) -> None:
    settings = usual_settings(
        headers={
            "": (("Accept-Language", "nl"), ("X-All", "1")),
            "127.0.0.1": (("X-Host", "1"), ("accept-language", "fr")),
            "other.example": (("X-Other", "1"),),
        }
    )
    with RawServer(OK, OK) as server:
        mine = FetchRequest(server.url, headers=(("X-Host", "mine"), ("Accept", "")), private=True)
        fetch(tmp_path, FetchRequest(server.url, private=True), mine, settings=settings)
    first, second = server.received
    assert b"X-All: 1\r\nX-Host: 1\r\naccept-language: fr\r\n" in first
    assert b"Accept-Language: nl" not in first
    assert b"X-Other" not in first
    assert b"X-Host: mine\r\n" in second
    assert b"X-Host: 1" not in second
    assert b"Accept: " not in second
    assert "X-Host" not in repr(settings)


def test_a_header_of_two_lines_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="header"):
        fetch(tmp_path, FetchRequest("http://127.0.0.1:9/", headers=(("X", "a\r\nHost: b"),), private=True))


@pytest.mark.parametrize("asked", [BASIC, DIGEST], ids=["basic", "digest"])
def test_a_server_that_asks_is_told_and_its_answer_is_kept(tmp_path: Path, asked: bytes) -> None:
    settings = usual_settings(credentials={"127.0.0.1": SECRET})
    with RawServer(asked, OK, OK) as server:
        first, second = fetch(tmp_path, *[FetchRequest(server.url, private=True)] * 2, settings=settings)
    assert first.is_whole
    assert wire(first.exchange) == OK
    assert first.request_count == 2
    assert first.challenge in asked.decode()
    assert first.challenge.startswith(("Basic", "Digest"))
    assert b"Authorization" not in server.received[0]
    assert first.exchange is not None
    assert first.exchange.request == server.received[1]
    # It was remembered, so that nobody had to ask again.
    assert second.request_count == 1
    assert second.challenge == ""
    assert b"Authorization" in server.received[2]


def test_a_digest_answer_is_right(tmp_path: Path) -> None:
    with RawServer(DIGEST, OK) as server:
        fetch(
            tmp_path, FetchRequest(server.url, private=True), settings=usual_settings(credentials={"127.0.0.1": SECRET})
        )
    fields = dict(re.findall(r'(\w+)="?([^",\r]*)"?', server.received[1].decode().partition("Digest ")[2]))

    def md5(text: str) -> str:
        return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()

    known, asked = md5("reader:r:open sesame"), md5("GET:/")
    assert fields["response"] == md5(f"{known}:n0:{fields['nc']}:{fields['cnonce']}:auth:{asked}")


def test_wrong_credentials_leave_the_refusal(tmp_path: Path) -> None:
    with RawServer(BASIC, BASIC) as server:
        (fetched,) = fetch(
            tmp_path, FetchRequest(server.url, private=True), settings=usual_settings(credentials={"127.0.0.1": SECRET})
        )
    assert fetched.is_whole
    assert wire(fetched.exchange) == BASIC
    assert fetched.request_count == 2


def test_a_body_is_sent_again_after_the_question(tmp_path: Path) -> None:
    with RawServer(BASIC, OK) as server:
        form = FetchRequest(server.url, "POST", (("Expect", ""),), BytesBody(b"k=v&" * 20_000), private=True)
        (fetched,) = fetch(tmp_path, form, settings=usual_settings(credentials={"127.0.0.1": SECRET}))
    assert fetched.is_whole
    assert server.received[-1].endswith(b"k=v&" * 20_000)


def test_credentials_in_a_url_are_used_and_taken_out(tmp_path: Path) -> None:
    with RawServer(BASIC, OK, OK) as server:
        secret = server.url.replace("//", "//reader:open%20sesame@")
        known, unknown = fetch(
            tmp_path, FetchRequest(secret, via=secret, private=True), FetchRequest(server.url, private=True)
        )
    assert b"Authorization: Basic cmVhZGVyOm9wZW4gc2VzYW1l\r\n" in server.received[1]
    assert known.request.url == server.url
    assert known.exchange is not None
    assert known.exchange.url == server.url
    assert known.exchange.via == server.url
    assert b"Authorization" not in server.received[2]
    assert unknown.is_whole


def test_no_credentials_are_recorded_if_so_wished(tmp_path: Path) -> None:
    cookie = b"HTTP/1.1 401 Who?\r\nSet-Cookie: s=private\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"
    settings = usual_settings(credentials={"127.0.0.1": SECRET})
    with RawServer(cookie, OK) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True), settings=settings)
    assert b"Cookie: s=private\r\n" in server.received[1]
    assert fetched.exchange is not None
    recorded = Redactor().redact(fetched.exchange).exchange.request
    assert b"Authorization: [redacted]\r\n" in recorded
    assert b"Cookie: [redacted]\r\n" in recorded
    assert b"private" not in recorded
    assert "open sesame" not in repr(fetched)


def test_a_refused_answer_is_recorded_without_credentials_too(tmp_path: Path) -> None:
    odd = Cut(b"HTTP/1.1 200 OK\r\nNo colon here\r\n\r\nhello")
    settings = usual_settings(credentials={"127.0.0.1": SECRET})
    with RawServer(BASIC, odd, odd) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True), settings=settings)
    assert fetched.is_lenient
    assert fetched.request_count == 3
    assert b"Authorization: Basic " in server.received[2]
    assert fetched.exchange is not None
    assert b"Authorization: [redacted]\r\n" in Redactor().redact(fetched.exchange).exchange.request


def test_a_listener_hears_nothing_of_the_question(tmp_path: Path) -> None:
    heard: list[bytes] = []

    class Ear:
        def on_head(self, head: bytes) -> None:
            heard.append(head)

        def on_data(self, chunk: bytes) -> None:
            heard.append(chunk)

    async def run(url: str) -> None:
        async with Fetcher(usual_settings(credentials={"127.0.0.1": SECRET}), tmp_path) as door:
            await door.fetch(FetchRequest(url, private=True), Ear())
            await door.fetch(FetchRequest(url, private=True), Ear())

    empty = b"HTTP/1.1 204 Nothing\r\n\r\n"
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    with RawServer(BASIC, early + OK, empty) as server:
        asyncio.run(run(server.url))
    assert b"".join(heard) == OK + empty


JAR = """# Netscape HTTP Cookie File
# a comment

127.0.0.1\tFALSE\t/\tFALSE\t0\tloaded\tyes
#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\thidden\tyes
other.example\tFALSE\t/\tFALSE\t0\tother\tyes
"""


def test_cookies_are_loaded_once_and_saved_for_their_owner(tmp_path: Path) -> None:
    jar, saved = tmp_path / "jar.txt", tmp_path / "saved.txt"
    jar.write_text(JAR)
    changed = b"HTTP/1.1 200 OK\r\nSet-Cookie: loaded=changed; Path=/\r\nContent-Length: 0\r\n\r\n"
    settings = usual_settings(cookies=str(jar), save_cookies=str(saved))

    async def run(url: str) -> None:
        async with Fetcher(settings, tmp_path) as door:
            await door.fetch(FetchRequest(url, private=True))
            # Two at a time need a second handle, which must not bring the file's cookies back.
            await asyncio.gather(*(door.fetch(FetchRequest(url, private=True)) for _ in range(2)))

    with RawServer(changed, Cut(OK), Cut(OK)) as server:
        asyncio.run(run(server.url))
    sent = [re.search(rb"\r\nCookie: ([^\r]*)", each) for each in server.received]
    assert [sorted(match[1].split(b"; ")) if match else [] for match in sent] == [
        [b"hidden=yes", b"loaded=yes"],
        [b"hidden=yes", b"loaded=changed"],
        [b"hidden=yes", b"loaded=changed"],
    ]
    lines = saved.read_text().splitlines()
    assert lines[0] == "# Netscape HTTP Cookie File"
    assert sorted(line.split("\t", 5)[5] for line in lines[1:]) == ["hidden\tyes", "loaded\tchanged", "other\tyes"]
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600


def test_cookie_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cookie file"):
        fetch(tmp_path, settings=usual_settings(cookies=str(tmp_path / "none")))
    with pytest.raises(StorageError, match="cookie file"):
        fetch(tmp_path, settings=usual_settings(save_cookies=str(tmp_path / "none" / "jar")))


def test_a_cookie_for_every_page_does_not_pile_up(tmp_path: Path) -> None:
    def answer(page: int) -> bytes:
        cookies = b"".join(b"Set-Cookie: page%d-%d=1\r\n" % (page, number) for number in range(40))
        return b"HTTP/1.1 200 OK\r\n%sContent-Length: 0\r\n\r\n" % cookies

    saved = tmp_path / "saved.txt"
    with RawServer(*map(answer, range(30))) as server:
        requests = [FetchRequest(server.url, private=True)] * 30
        fetch(tmp_path, *requests, settings=usual_settings(save_cookies=str(saved)))
    names = [line.split("\t")[5] for line in saved.read_text().splitlines()[1:]]
    assert len(names) < 500
    assert "page29-39" in names
    assert "page0-0" not in names
