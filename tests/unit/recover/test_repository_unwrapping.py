"""What archives add to pages and heads, taken out again."""

import pytest

from webkeep.formats.http import ResponseHead
from webkeep.model import BytesBody, Digest, Headers, Moment
from webkeep.recover.repositories.banner_removal import has_banner, original_link, remove_banner
from webkeep.recover.repositories.digest_check import has_digest, matches_digest, parse_digest
from webkeep.recover.repositories.original_head import build_head, original_fields
from webkeep.recover.repositories.spooled_body import open_stream
from webkeep.recover.repositories.uri_m import moment_in, raw_uri, url_in


@pytest.mark.parametrize(
    ("shown", "plain"),
    [
        (b'<a href="/web/20200101120000/http://l.example/a">', b'<a href="http://l.example/a">'),
        (b'<img src="https://web.archive.org/web/2020im_/https://l.example/p">', b'<img src="https://l.example/p">'),
        (b"url(//web.archive.org/web/20200101120000cs_/http://l.example/f)", b"url(http://l.example/f)"),
        (b'"/coll/20200101mp_/http://l.example/"', b'"http://l.example/"'),
        (b'"https:\\/\\/web.archive.org\\/web\\/2020\\/x"', b'"https:\\/\\/web.archive.org\\/web\\/2020\\/x"'),
        (b'<a href="/2020/01/02/news">', b'<a href="/2020/01/02/news">'),
        (b'<a href="/archive/20200101/notes.html">', b'<a href="/archive/20200101/notes.html">'),
        (b"<!-- WB Insert --><script>x</script><!-- End WB Insert -->\n<p>a", b"<p>a"),
        (b"<p>a<!-- WB Insert -->never ended", b"<p>a<!-- WB Insert -->never ended"),
    ],
)
def test_pages_made_for_showing_are_turned_back(shown: bytes, plain: bytes) -> None:
    assert remove_banner(shown) == plain


def test_a_page_full_of_half_marks_is_left_as_it_is() -> None:
    hostile = b"<!-- WB Insert -->" * 20_000 + b"/2020" * 50_000 + b"<script src=" * 20_000
    assert remove_banner(hostile) == hostile


def test_a_banner_is_seen() -> None:
    assert has_banner(b"<html><!-- BEGIN WAYBACK TOOLBAR INSERT -->")
    assert not has_banner(b"<html><p>the Wayback Machine")


def test_links_of_an_archive_are_those_of_the_site() -> None:
    assert original_link("http://a/web/20200101id_/http://l.example/x?y=é") == "http://l.example/x?y=é"
    assert original_link("/somewhere") == "/somewhere"


ALL_PREFIXED = Headers(
    (
        ("Memento-Datetime", "x"),
        ("Content-Type", "text/html"),
        ("Content-Security-Policy", "none"),
        ("X-Archive-Orig-Content-Type", "text/html; charset=latin-1"),
        ("X-Archive-Orig-Location", "/new"),
    )
)
SOME_PREFIXED = Headers(
    (
        ("Content-Type", "text/html"),
        ("Server", "of the archive"),
        ("X-Archive-Orig-Server", "of the site"),
        ("Location", "http://a/web/2020id_/http://l.example/new"),
        ("X-Archive-Src", "crawl.warc.gz"),
    )
)


def test_fields_of_the_site_are_told_from_those_of_the_archive() -> None:
    assert original_fields(ALL_PREFIXED).fields == (
        ("Content-Type", "text/html; charset=latin-1"),
        ("Location", "/new"),
    )
    assert original_fields(SOME_PREFIXED).fields == (
        ("Content-Type", "text/html"),
        ("Location", "http://l.example/new"),
        ("Server", "of the site"),
    )


def test_a_head_is_put_together_for_the_body_there_is() -> None:
    fields = Headers((("Content-Length", "99"), ("Transfer-Encoding", "chunked"), ("X-Odd", "a\r\nb")))
    assert build_head(ResponseHead("", 404), fields, 5) == (
        b"HTTP/1.1 404 Not Found\r\nX-Odd: a b\r\nContent-Length: 5\r\n\r\n"
    )


def test_digests_are_taken_as_indexes_write_them() -> None:
    body = b"<p>old"
    digest = Digest.from_chunks("sha1", [body])
    assert parse_digest(digest.base32) == digest
    assert parse_digest("-") is None
    assert matches_digest(digest, [body])
    assert matches_digest(Digest.from_chunks("sha1", [body + b"\n"]), [body]), "as indexes of the first years have it"
    assert not matches_digest(digest, [b"<p>new"])
    assert not has_digest(digest, Headers(), BytesBody(b"<p>new"))


@pytest.mark.parametrize(
    ("uri", "raw", "moment", "url"),
    [
        (
            "http://a/web/20200101120000/http://l/x",
            "http://a/web/20200101120000id_/http://l/x",
            "20200101120000",
            "http://l/x",
        ),
        (
            "http://a/c/2020mp_/https://l/?u=/2019/http://m",
            "http://a/c/2020id_/https://l/?u=/2019/http://m",
            "2020",
            "https://l/?u=/2019/http://m",
        ),
        ("http://a/AbCd", None, None, ""),
        ("http://a/web/99999999999999/http://l/", "http://a/web/99999999999999id_/http://l/", None, "http://l/"),
    ],
    ids=["plain", "marked", "opaque", "no-such-date"],
)
def test_addresses_of_mementos(uri: str, raw: str | None, moment: str | None, url: str) -> None:
    assert raw_uri(uri) == raw
    assert moment_in(uri) == (Moment.parse(moment) if moment else None)
    assert url_in(uri) == url


def test_a_body_is_read_as_a_stream() -> None:
    with open_stream(BytesBody(b"0123456789")) as stream:
        assert stream.read(3) == b"012"
        assert stream.seek(-2, 2) == 8
        assert stream.read() == b"89"
        assert stream.seek(1) == 1
        assert stream.read(2) == b"12"
