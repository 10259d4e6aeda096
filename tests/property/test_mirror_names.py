"""Laws of the names in a navigable copy: injective, valid, never outside, and independent of all other URLs."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webkeep.mirror.naming import name_of
from webkeep.mirror.profile import PROFILES, Profile
from webkeep.url import FETCH_IDENTITY, normal

TYPES = ["text/html", "image/png", "text/plain", "application/octet-stream", "text/css", "x/unheard-of", ""]
PIECES = ["a", "A", "index", "index.html", "INDEX.HTML", ".", "..", "", "con", "aux.txt", "com1", "%00", "%2F", "%5C",
          "%2e%2e", "é", "e\u0301", "%E9", "%C3%A9", "x" * 300, "a,b", "a.", " a ", "~", "a:b", "a*b", "c++", "v1.2",
          "html", "a.html", "a,.html", ";jsessionid=1", "\u202e", "ß", "SS", "ſ", "ı", "\U0001f600"]  # fmt: skip

segments = st.one_of(st.sampled_from(PIECES), st.text(max_size=20))
paths = st.lists(segments, max_size=6).map("/".join)
queries = st.one_of(st.just(""), st.text(max_size=30).map("?{}".format))
hosts = st.sampled_from(["http://a.example", "https://a.example", "https://a.example:8443", "https://index.html",
                         "http://u:p@a.example", "https://[::1]:80", "https://A_b.example", "https://_webkeep",
                         "https://xn--e1afmkfd.example", "http://127.0.0.1:80"])  # fmt: skip
urls = st.builds("{}/{}{}".format, hosts, paths, queries).map(lambda text: normal(text) or "").filter(bool)
urls = urls.map(lambda url: FETCH_IDENTITY(url))
profiles = pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))


@profiles
@given(st.lists(st.tuples(urls, st.sampled_from(TYPES)), max_size=12))
@example([("https://a.example/index_1.html", "text/html"), ("https://a.example/INDEX_1.HTML", "text/html"),
          ("https://a.example/index:1.html", "text/html"), ("https://a.example/index_1.cgi", "text/html")])  # fmt: skip
@example([("https://a.example/bar/", "text/html"), ("https://a.example/bar", "text/html"),
          ("https://a.example/bar/index.html", "text/html"), ("https://a.example/bar/x", "")])  # fmt: skip
@settings(max_examples=150)
def test_no_two_urls_have_one_name_and_no_file_is_a_folder(profile: Profile, pages: list[tuple[str, str]]) -> None:
    names: dict[str, str] = {}
    folders: set[str] = set()
    for url, media_type in pages:
        name = profile.folded(name_of(url, media_type, profile))
        assert names.setdefault(name, url) == url
        parts = name.split("/")
        folders |= {"/".join(parts[:end]) for end in range(1, len(parts))}
    assert not folders & set(names)


RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE | re.DOTALL).fullmatch


@profiles
@given(urls, st.sampled_from(TYPES))
@settings(max_examples=400)
def test_every_name_is_valid_where_it_is_to_be(profile: Profile, url: str, media_type: str) -> None:
    name = name_of(url, media_type, profile)
    assert name == name_of(url, media_type, profile)
    assert profile.size(name) <= profile.longest_path + 2 * profile.longest
    *folders, _file = parts = name.split("/")
    assert 1 <= len(folders) <= profile.deepest
    for part in parts:
        assert part not in ("", ".", "..")
        assert profile.size(part) <= profile.longest
        assert all(char.isprintable() for char in part)
        assert not set(part) & set("/\0")
        if profile.name != "unix":
            assert not set(part) & set('<>:"\\|?*')
            assert not part.endswith((".", " "))
            assert not RESERVED(part)
        if profile.name == "iso9660":
            assert re.fullmatch(r"[A-Z0-9_]+(\.[A-Z0-9]+)?", part) or part == parts[0], part


@pytest.mark.parametrize(
    ("url", "media_type", "name"),
    [
        ("https://example.org/news/", "text/html", "example.org/news/index.html"),
        ("https://example.org/news", "text/html", "example.org/news,.html"),
        ("https://example.org/news/a.html", "text/html", "example.org/news/a.html"),
        ("https://example.org/a.jpeg", "image/jpeg", "example.org/a.jpeg"),
        ("https://example.org/a.cgi", "text/html", "example.org/a.cgi,.html"),
        ("https://example.org/a.html", "image/png", "example.org/a.html,.png"),
        ("https://example.org/a.html", "application/octet-stream", "example.org/a.html,.bin"),
        ("https://example.org/setup.exe", "application/octet-stream", "example.org/setup.exe"),
        ("http://example.org:8080/v1.2/x", "text/html", "example.org,http,8080/v1.2,/x,.html"),
        ("https://example.org/feed/", "application/rss+xml", "example.org/feed/index.rss"),
    ],
)
def test_names_are_plain_where_nothing_is_lost(url: str, media_type: str, name: str) -> None:
    assert name_of(url, media_type, PROFILES["portable"]) == name


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://example.org/A.html", r"example\.org/A,[a-z2-7]{10}\.html"),
        ("https://example.org/list.php?p=2&q=x/y", r"example\.org/list\.php_p=2_q=x_y,[a-z2-7]{10}\.html"),
        ("https://example.org/caf%C3%A9/", r"example\.org/café,[a-z2-7]{10}/index\.html"),
        ("https://example.org/index.html", r"example\.org/index,[a-z2-7]{10}\.html"),
        ("https://example.org/%E9", r"example\.org/E9,[a-z2-7]{10}\.html"),
        ("https://example.org/con", r"example\.org/_con,[a-z2-7]{10}\.html"),
        ("https://example.org/" + "x" * 500, r"example\.org/x{75,85},[a-z2-7]{10}\.html"),
        ("https://example.org/" + "d/" * 60 + "x", r"example\.org/deep,[a-z2-7]{10}/x,\.html"),
    ],
)
def test_marked_names_can_be_read(url: str, pattern: str) -> None:
    assert re.fullmatch(pattern, name_of(url, "text/html", PROFILES["portable"]))
