"""The ways to the web: TLS, HTTP/2, IPv6, proxies, FTP and files."""

import os
import ssl
from pathlib import Path

import pytest
from fetcher_calls import TLS, fetch, fetch_at_once, wire
from ftp_server import FtpServer
from http2_server import Http2Server
from proxy_server import HttpProxy, SocksProxy
from raw_server import Cut, RawServer

from fetch_settings import settings as usual_settings
from webkeep.errors import UsageError
from webkeep.fetch import FetchFailure, FetchLimits, FetchRequest

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
TRUSTING = usual_settings(certificate_authorities=str(TLS / "ca.pem"))


def serving(name: str, asks: bool = False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / f"{name}.pem")
    if asks:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(TLS / "ca.pem")
    return context


def test_tls_is_recorded_on_every_request_of_a_connection(tmp_path: Path) -> None:
    with RawServer(OK, OK, tls=serving("site")) as server:
        first, second = fetch(tmp_path, *[FetchRequest(server.url, private=True)] * 2, settings=TRUSTING)
    assert (first.is_reused_connection, second.is_reused_connection) == (False, True)
    for fetched in (first, second):
        assert fetched.exchange is not None
        assert fetched.exchange.protocols == ("http/1.1", "tls/1.3")
        assert fetched.tls.startswith("TLSv1.3 TLS_")


@pytest.mark.parametrize(
    ("certificate", "authorities", "words"),
    [
        ("site", "", "certificate"),
        ("expired", "ca.pem", "expired"),
        ("other", "ca.pem", "no alternative certificate subject name"),
    ],
)
def test_an_invalid_certificate_is_refused_unless_allowed_and_always_told(
    tmp_path: Path, certificate: str, authorities: str, words: str
) -> None:
    trust = str(TLS / authorities) if authorities else ""
    with RawServer(OK, OK, tls=serving(certificate)) as server:
        request = FetchRequest(server.url, private=True)
        (refused,) = fetch(tmp_path, request, settings=usual_settings(certificate_authorities=trust))
        assert server.received == []
        lenient = usual_settings(certificate_authorities=trust, insecure=True)
        accepted, again = fetch(tmp_path, request, request, settings=lenient)
    assert refused.failure is FetchFailure.CERTIFICATE
    assert refused.request_count == 0
    assert words in refused.detail
    for fetched in (accepted, again):
        assert fetched.is_whole
        assert fetched.detail.startswith("invalid certificate accepted: ")
        assert words in fetched.detail
    assert again.is_reused_connection


def test_a_client_certificate_is_shown(tmp_path: Path) -> None:
    known = usual_settings(certificate_authorities=str(TLS / "ca.pem"), client_certificate=str(TLS / "client.pem"))
    with RawServer(OK, tls=serving("site", asks=True)) as server:
        (unknown,) = fetch(tmp_path, FetchRequest(server.url, private=True), settings=TRUSTING)
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True), settings=known)
    assert not unknown.is_whole
    assert fetched.is_whole


def test_http2_is_kept_as_libcurl_renders_it(tmp_path: Path) -> None:
    with Http2Server(TLS / "site.pem", b"hello") as server:
        requests = [FetchRequest(f"{server.url}{number}", private=True) for number in range(5)]
        first = fetch(tmp_path, requests[0], *requests, settings=TRUSTING)
    for fetched in first:
        assert fetched.is_whole
        assert wire(fetched.exchange) == b"HTTP/2 200 \r\ncontent-type: text/plain\r\nx-odd: yes\r\n\r\nhello"
        assert fetched.exchange is not None
        assert fetched.exchange.protocols == ("h2", "tls/1.3")
    assert first[-1].exchange is not None
    assert first[-1].exchange.request.startswith(b"GET /4 HTTP/2\r\nHost: 127.0.0.1")
    assert server.connections == 1


def test_a_reset_stream_leaves_what_came(tmp_path: Path) -> None:
    with Http2Server(TLS / "site.pem", b"hello world!", resets=True) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True), settings=TRUSTING)
    assert fetched.failure is FetchFailure.DISCONNECTED
    assert fetched.exchange is not None
    assert b"".join(fetched.exchange.body.chunks()) == b"hello "
    assert fetched.exchange.truncated == "disconnect"


def test_ipv6_addresses_are_reached_and_guarded(tmp_path: Path) -> None:
    with RawServer(OK, host="::1") as server:
        reached, refused = fetch(tmp_path, FetchRequest(server.url, private=True), FetchRequest(server.url))
    assert reached.is_whole
    assert reached.exchange is not None
    assert reached.exchange.address == "::1"
    assert refused.failure is FetchFailure.FORBIDDEN_ADDRESS


@pytest.mark.parametrize("login", ["", "me:p%40ss@"])
def test_an_http_proxy_passes_requests_on(tmp_path: Path, login: str) -> None:
    with HttpProxy("me:p@ss" if login else "") as proxy, RawServer(OK) as server:
        settings = usual_settings(proxy=f"http://{login}127.0.0.1:{proxy.port}")
        (fetched,) = fetch(tmp_path, FetchRequest(f"http://site.example:{server.port}/x"), settings=settings)
    assert fetched.is_whole
    assert wire(fetched.exchange) == OK
    assert proxy.asked[-1] == f"GET http://site.example:{server.port}/x HTTP/1.1"
    assert "p@ss" not in repr(settings) + repr(fetched)


@pytest.mark.parametrize("login", ["", "me:p%40ss@"])
def test_an_http_proxy_gives_a_way_through_for_tls(tmp_path: Path, login: str) -> None:
    with HttpProxy("me:p@ss" if login else "") as proxy, RawServer(OK, tls=serving("site")) as server:
        settings = usual_settings(
            proxy=f"http://{login}127.0.0.1:{proxy.port}", certificate_authorities=str(TLS / "ca.pem")
        )
        (fetched,) = fetch(tmp_path, FetchRequest(f"https://site.example:{server.port}/x"), settings=settings)
    assert fetched.is_whole
    assert wire(fetched.exchange) == OK
    assert fetched.request_count == 1
    assert fetched.exchange is not None
    assert fetched.exchange.request.startswith(b"GET /x HTTP/1.1\r\n")
    assert b"Proxy-Auth" not in fetched.exchange.request


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_plain_request_goes_through_the_proxy_too(tmp_path: Path, scheme: str) -> None:
    answer = Cut(b"HTTP/1.1 200 OK\r\nNo colon here\r\n\r\nhello")
    tls = serving("site") if scheme == "https" else None
    with HttpProxy("me:secret") as proxy, RawServer(answer, answer, tls=tls) as server:
        settings = usual_settings(
            proxy=f"http://me:secret@127.0.0.1:{proxy.port}", certificate_authorities=str(TLS / "ca.pem")
        )
        (fetched,) = fetch(tmp_path, FetchRequest(f"{scheme}://site.example:{server.port}/"), settings=settings)
    assert fetched.is_whole
    assert fetched.is_lenient
    assert wire(fetched.exchange) == answer


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(("password", "refuses"), [("me:secret", False), ("", True)])
def test_what_a_proxy_says_is_not_taken_for_the_server(
    tmp_path: Path, scheme: str, password: str, refuses: bool
) -> None:
    with HttpProxy(password, refuses) as proxy:
        settings = usual_settings(proxy=f"http://127.0.0.1:{proxy.port}")
        (fetched,) = fetch(tmp_path, FetchRequest(f"{scheme}://site.example:9/"), settings=settings)
    if scheme == "http" and refuses:
        assert fetched.exchange is not None  # nothing tells it from the server's own words
    else:
        assert fetched.failure is FetchFailure.PROXY
        assert fetched.exchange is None


def test_a_proxy_that_is_not_there_is_the_one_to_blame(tmp_path: Path) -> None:
    with HttpProxy() as proxy:
        pass
    settings = usual_settings(proxy=f"http://127.0.0.1:{proxy.port}")
    (fetched,) = fetch(tmp_path, FetchRequest("http://site.example/"), settings=settings)
    assert fetched.failure is FetchFailure.PROXY


@pytest.mark.parametrize("host", ["127.0.0.1", "10.0.0.1", "[::1]", "localhost", "x.localhost", "169.254.169.254"])
def test_a_proxy_is_not_sent_to_private_addresses(tmp_path: Path, host: str) -> None:
    with HttpProxy() as proxy:
        settings = usual_settings(proxy=f"http://127.0.0.1:{proxy.port}")
        (fetched,) = fetch(tmp_path, FetchRequest(f"http://{host}:9/"), settings=settings)
    assert fetched.failure is FetchFailure.FORBIDDEN_ADDRESS
    assert proxy.asked == []


@pytest.mark.parametrize("login", ["", "me:secret@"])
def test_a_socks_proxy_resolves_names(tmp_path: Path, login: str) -> None:
    with SocksProxy("me:secret" if login else "") as proxy, RawServer(OK) as server:
        settings = usual_settings(proxy=f"socks5h://{login}127.0.0.1:{proxy.port}")
        (fetched,) = fetch(tmp_path, FetchRequest(f"http://site.example:{server.port}/"), settings=settings)
    assert fetched.is_whole
    assert proxy.asked == [f"site.example:{server.port}"]


def test_a_socks_proxy_that_knows_another_password(tmp_path: Path) -> None:
    with SocksProxy("me:secret") as proxy:
        settings = usual_settings(proxy=f"socks5h://me:wrong@127.0.0.1:{proxy.port}")
        (fetched,) = fetch(tmp_path, FetchRequest("http://site.example/"), settings=settings)
    assert fetched.failure is FetchFailure.PROXY


FILES = {
    "/pub/read me.txt": b"hello by ftp",
    "/pub/": b"total 2\r\n"
    b"drwxr-xr-x   2 ftp ftp  4096 Mar  1  2024 more stuff\r\n"
    b"-rw-r--r--   1 ftp ftp    12 Mar  1 12:00 read me.txt\r\n",
}


def test_a_file_by_ftp(tmp_path: Path) -> None:
    with FtpServer(FILES) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(f"{server.url}/pub/read%20me.txt", private=True))
    assert fetched.is_whole
    assert fetched.exchange is None
    assert fetched.request_count == 1
    resource = fetched.resource
    assert resource is not None
    assert b"".join(resource.body.chunks()) == b"hello by ftp"
    assert resource.media_type == "text/plain"
    assert resource.last_modified == "Fri, 01 Mar 2024 12:00:00 GMT"
    assert resource.address == "127.0.0.1"


def test_a_directory_by_ftp(tmp_path: Path) -> None:
    with FtpServer(FILES) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(f"{server.url}/pub/", private=True))
    resource = fetched.resource
    assert resource is not None
    assert b"".join(resource.body.chunks()) == FILES["/pub/"].replace(b"\r\n", b"\n")
    assert resource.children == (f"{server.url}/pub/more%20stuff/", f"{server.url}/pub/read%20me.txt")


def test_ftp_that_goes_wrong(tmp_path: Path) -> None:
    with FtpServer(FILES, password="secret") as server:
        locked, opened, missing = fetch(
            tmp_path,
            FetchRequest(f"{server.url}/pub/read%20me.txt", private=True),
            FetchRequest(f"{server.url}/pub/read%20me.txt".replace("//", "//me:secret@"), private=True),
            FetchRequest(f"{server.url}/pub/none.txt".replace("//", "//me:secret@"), private=True),
        )
    assert locked.failure is FetchFailure.AUTHENTICATION
    assert opened.is_whole
    assert opened.resource is not None
    assert "secret" not in opened.resource.url + repr(opened)
    assert missing.failure is FetchFailure.MISSING
    with FtpServer({"/film.mp4": b"x" * 1000}, breaks_off=True) as server:
        cut, refused = fetch(
            tmp_path, FetchRequest(f"{server.url}/film.mp4", private=True), FetchRequest(f"{server.url}/film.mp4")
        )
    assert cut.failure is FetchFailure.DISCONNECTED
    assert cut.resource is not None
    assert (cut.resource.body.size, cut.resource.truncated) == (500, "disconnect")
    assert refused.failure is FetchFailure.FORBIDDEN_ADDRESS


def test_files_of_this_machine(tmp_path: Path) -> None:
    folder = tmp_path / "a site"
    (folder / "inner").mkdir(parents=True)
    (folder / "page.html").write_text("<p>hello")
    os.utime(folder / "page.html", (1709294400, 1709294400))
    (folder / "data.tar.gz").write_bytes(b"\x1f\x8b")
    os.mkfifo(folder / "pipe")
    url = folder.as_uri()
    page, listed, missing, pipe, elsewhere, cut, packed = fetch_at_once(
        tmp_path,
        FetchRequest(f"{url}/page.html", private=True),
        FetchRequest(url, private=True),
        FetchRequest(f"{url}/none.html", private=True),
        FetchRequest(f"{url}/pipe", private=True),
        FetchRequest("file://other.example/etc/hosts", private=True),
        FetchRequest(f"{url}/page.html", private=True, limits=FetchLimits(size=3)),
        FetchRequest(f"{url}/data.tar.gz", private=True),
    )
    assert page.resource is not None
    assert b"".join(page.resource.body.chunks()) == b"<p>hello"
    assert page.resource.media_type == "text/html"
    assert page.resource.last_modified == "Fri, 01 Mar 2024 12:00:00 GMT"
    assert listed.resource is not None
    assert listed.resource.url == f"{url}/"
    assert listed.resource.children == tuple(f"{url}/{name}" for name in ("data.tar.gz", "inner/", "page.html", "pipe"))
    assert missing.failure is FetchFailure.MISSING
    assert pipe.failure is FetchFailure.DENIED
    assert elsewhere.failure is FetchFailure.SCHEME
    assert cut.failure is FetchFailure.TOO_LARGE
    assert cut.resource is not None
    assert (cut.resource.body.size, cut.resource.truncated) == (3, "length")
    assert packed.resource is not None
    assert packed.resource.media_type == "application/gzip"


def test_no_page_leads_to_a_file_of_this_machine(tmp_path: Path) -> None:
    (fetched,) = fetch(tmp_path, FetchRequest("file:///etc/hostname"))
    assert fetched.failure is FetchFailure.FORBIDDEN_ADDRESS
    assert fetched.resource is None


def test_a_proxy_that_cannot_be_read_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="proxy") as caught:
        fetch(tmp_path, settings=usual_settings(proxy="gopher://me:secret@host"))
    assert "secret" not in str(caught.value)
