"""The URLs and media types under which the files of a directory are stored."""

import os
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.model import Finding
from webkeep.store.transfer import SiteFile, find_site_files, parse_base_url
from webkeep.url import normalize_url

BASE = "https://example.org/"


def files_of(folder: Path, *names: bytes, index_name: str = "index.html") -> dict[bytes, SiteFile]:
    """The files with these names, which need not be text, as they would be stored."""
    for name in names:
        path = os.path.join(os.fsencode(folder), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"content")
    found: list[Finding] = []
    sited = {
        os.path.relpath(os.fsencode(each.path), os.fsencode(folder)): each
        for each in find_site_files(folder, BASE, index_name, found.append)
    }
    assert found == []
    return sited


@pytest.mark.parametrize(
    ("name", "path"),
    [
        (b"index.html", ""),
        (b"a/index.html", "a/"),
        (b"INDEX.HTML", "INDEX.HTML"),
        (b"Index.html", "Index.html"),
        (b"a b.html", "a%20b.html"),
        (b"100%.html", "100%25.html"),
        (b"%41.html", "%2541.html"),
        (b"what?.html", "what%3F.html"),
        (b"a#b.html", "a%23b.html"),
        (b"a;b&c=d,e+f.html", "a;b&c=d,e+f.html"),
        (b"f(1)[2]~'!*@$:.html", "f(1)[2]~'!*@$:.html"),
        (b"back\\slash", "back%5Cslash"),
        (b'"<>`{}^|', "%22%3C%3E%60%7B%7D%5E|"),
        (b"caf\xc3\xa9.html", "caf%C3%A9.html"),
        (b"caf\xe9.html", "caf%E9.html"),
        (b"\xff\xfe", "%FF%FE"),
        (b"line\nfeed", "line%0Afeed"),
        (b"...", None),
        (b".well-known/security.txt", ".well-known/security.txt"),
        (b".hidden", None),
        (b".git/config", None),
        (b"a/.hidden/index.html", None),
        (b"~user/x", "~user/x"),
        (b"a/b/c/d/e.html", "a/b/c/d/e.html"),
    ],
)
def test_urls(tmp_path: Path, name: bytes, path: str | None) -> None:
    found = files_of(tmp_path, name)
    assert [each.url for each in found.values()] == ([] if path is None else [BASE + path])


def test_every_url_is_spelled_as_a_browser_asks_for_it(tmp_path: Path) -> None:
    names = [bytes([code]) + b"x" for code in range(1, 256) if code not in b"./"]
    found = files_of(tmp_path, *names)
    assert set(found) == set(names)
    spelled = [each.url for each in found.values()]
    assert [normalize_url(url) for url in spelled] == spelled
    assert len(set(spelled)) == len(names)


def test_another_index_name(tmp_path: Path) -> None:
    found = files_of(tmp_path, b"index.html", b"default.htm", b"a/default.htm", index_name="default.htm")
    assert sorted(each.url for each in found.values()) == [BASE, f"{BASE}a/", f"{BASE}index.html"]


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.html", "text/html"),
        ("a.HTML", "text/html"),
        ("a.htm", "text/html"),
        ("a.css", "text/css"),
        ("a.js", "text/javascript"),
        ("a.mjs", "text/javascript"),
        ("a.json", "application/json"),
        ("a.png", "image/png"),
        ("a.JPG", "image/jpeg"),
        ("a.webp", "image/webp"),
        ("a.svg", "image/svg+xml"),
        ("a.woff2", "font/woff2"),
        ("feed.rss", "application/rss+xml"),
        ("sitemap.xml", "application/xml"),
        ("favicon.ico", "image/x-icon"),
        ("a.pdf", "application/pdf"),
        ("a.mp4", "video/mp4"),
        ("a.txt", "text/plain"),
        ("README", "application/octet-stream"),
        ("a.tar.gz", "application/octet-stream"),
        ("a.html.gz", "application/octet-stream"),
        ("a.unknown", "application/octet-stream"),
    ],
)
def test_media_types(tmp_path: Path, name: str, media_type: str) -> None:
    assert [each.media_type for each in files_of(tmp_path, name.encode()).values()] == [media_type]


def test_files_come_in_order(tmp_path: Path) -> None:
    names = [b"b.html", b"a.html", b"z/1.html", b"y/2.html", b"y/1.html"]
    assert list(files_of(tmp_path, *names)) == [b"a.html", b"b.html", b"y/1.html", b"y/2.html", b"z/1.html"]


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("https://example.org", "https://example.org/"),
        ("https://EXAMPLE.org:443/a/../b", "https://example.org/b/"),
        ("http://example.org/b/?query#fragment", "http://example.org/b/"),
        ("http://bücher.example/ä", "http://xn--bcher-kva.example/%C3%A4/"),
    ],
)
def test_bases(given: str, base: str) -> None:
    assert parse_base_url(given) == base


@pytest.mark.parametrize("given", ["", "example.org", "ftp://example.org/", "file:///srv/www", "https://", "//x"])
def test_what_is_no_base(given: str) -> None:
    with pytest.raises(UsageError, match="--base-url"):
        parse_base_url(given)
