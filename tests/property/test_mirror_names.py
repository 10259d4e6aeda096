"""Laws of the names in a navigable copy: apart, valid, never outside, and the same in the next version."""

import re
from collections.abc import Iterable
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings, strategies as st

from webkeep.mirror.names import PROFILES
from webkeep.mirror.names.file_names import plain_name
from webkeep.mirror.names.file_system_profile import FileSystemProfile
from webkeep.mirror.names.name_register import NameRegister, PriorNames, pair_number
from webkeep.url import normalize_url
from webkeep.url.canonical import FETCH_IDENTITY

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
urls = st.builds("{}/{}{}".format, hosts, paths, queries).map(lambda text: normalize_url(text) or "").filter(bool)
urls = urls.map(lambda url: FETCH_IDENTITY(url))
profiles = pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))


class Named(NamedTuple):
    url: str
    media_type: str
    is_redirect: bool = False


def names(
    profile: FileSystemProfile, pages: Iterable[tuple[str, str]], prior: PriorNames | None = None
) -> dict[str, str]:
    """The names of all of them in one copy; of a URL that is there twice the last counts."""
    return dict(NameRegister(profile, prior).name_all([Named(*page) for page in dict(pages).items()]))


def remembered(profile: FileSystemProfile, pages: Iterable[tuple[str, str]]) -> PriorNames:
    register = NameRegister(profile)
    named = dict(register.name_all([Named(*page) for page in dict(pages).items()]))
    unusual = {url: name for url, name in named.items() if url in register.renamed}
    return PriorNames({pair_number(url, name) for url, name in named.items()}, unusual)


some_pages = st.lists(st.tuples(urls, st.sampled_from(TYPES)), max_size=12)


def assert_apart(profile: FileSystemProfile, named: dict[str, str]) -> None:
    folded = [profile.fold(name) for name in named.values()]
    assert len(set(folded)) == len(folded)
    steps = [name.split("/") for name in folded]
    folders = {"/".join(parts[:end]) for parts in steps for end in range(1, len(parts))}
    assert not folders & set(folded)


@profiles
@given(some_pages)
@example([("https://a.example/index_1.html", "text/html"), ("https://a.example/INDEX_1.HTML", "text/html"),
          ("https://a.example/index:1.html", "text/html"), ("https://a.example/index_1.cgi", "text/html")])  # fmt: skip
@example([("https://a.example/bar/", "text/html"), ("https://a.example/bar", "text/html"),
          ("https://a.example/bar/index.html", "text/html"), ("https://a.example/bar/x", "")])  # fmt: skip
@example([("https://a.example/a.js", "text/javascript"), ("https://a.example/a.js/b", "text/html")])
@settings(max_examples=60)
def test_no_two_urls_have_one_name_and_no_file_is_a_folder(
    profile: FileSystemProfile, pages: list[tuple[str, str]]
) -> None:
    assert_apart(profile, names(profile, pages))


@profiles
@given(some_pages, some_pages)
@example([("https://a.example/a.js", "text/javascript")], [("https://a.example/a.js/b", "text/html")])
@example([("http://a.example/index.html", "text/html")], [("https://a.example/", "text/html")])
@settings(max_examples=60)
def test_names_stay_what_they_were_whatever_comes_along(
    profile: FileSystemProfile, before: list[tuple[str, str]], more: list[tuple[str, str]]
) -> None:
    first = names(profile, before)
    second = names(profile, {**dict(more), **dict(before)}.items(), remembered(profile, before))
    assert {url: second[url] for url in first} == first
    assert_apart(profile, second)


@profiles
@given(some_pages)
@settings(max_examples=30)
def test_who_has_which_name_does_not_depend_on_the_order(
    profile: FileSystemProfile, pages: list[tuple[str, str]]
) -> None:
    pages = list(dict(pages).items())
    plain = {
        url for url, name in names(profile, pages).items() if name == plain_name(url, dict(pages)[url], profile).path
    }
    turned = names(profile, pages[::-1])
    assert plain == {url for url, name in turned.items() if name == plain_name(url, dict(pages)[url], profile).path}


RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE | re.DOTALL).fullmatch


@profiles
@given(urls, st.sampled_from(TYPES))
@settings(max_examples=150)
def test_every_name_is_valid_where_it_is_to_be(profile: FileSystemProfile, url: str, media_type: str) -> None:
    name = names(profile, [(url, media_type)])[url]
    assert profile.size(name) <= profile.max_path_size + 2 * profile.max_name_size
    *folders, _file = parts = name.split("/")
    assert 1 <= len(folders) <= profile.max_depth
    for part in parts:
        assert part not in ("", ".", "..")
        assert profile.size(part) <= profile.max_name_size
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
        ("https://example.org/news", "text/html", "example.org/news.html"),
        ("https://example.org/news/a.html", "text/html", "example.org/news/a.html"),
        ("http://www.example.org/", "text/html", "www.example.org/index.html"),
        ("https://example.org/js/localScript.js", "text/javascript", "example.org/js/localScript.js"),
        ("https://example.org/HDO/README", "text/plain", "example.org/HDO/README"),
        ("https://example.org/src/main.c", "text/plain", "example.org/src/main.c"),
        ("https://example.org/.well-known/x.json", "application/json", "example.org/.well-known/x.json"),
        ("https://example.org/a,b;c=(1).html", "text/html", "example.org/a,b;c=(1).html"),
        ("https://example.org/caf%C3%A9/a%20b.html", "text/html", "example.org/café/a b.html"),
        ("https://example.org/index.html", "text/html", "example.org/index.html"),
        ("https://example.org/style.css?ver=6.1", "text/css", "example.org/style.css"),
        ("https://example.org/list.php?p=2&q=x/y", "text/html", "example.org/list.php_p=2&q=x_y.html"),
        ("https://example.org/?p=2", "text/html", "example.org/index_p=2.html"),
        ("https://example.org/a.jpeg", "image/jpeg", "example.org/a.jpeg"),
        ("https://example.org/a.jpg", "image/webp", "example.org/a.jpg"),
        ("https://example.org/a.js.map", "application/json", "example.org/a.js.map"),
        ("https://example.org/a.cgi", "text/html", "example.org/a.cgi.html"),
        ("https://example.org/a.html", "image/png", "example.org/a.html.png"),
        ("https://example.org/a.html", "application/octet-stream", "example.org/a.html.bin"),
        ("https://example.org/setup.exe", "application/octet-stream", "example.org/setup.exe"),
        ("http://example.org:8080/v1.2/x", "text/html", "example.org_8080/v1.2/x.html"),
        ("https://example.org/feed/", "application/rss+xml", "example.org/feed/index.rss"),
        ("https://example.org/%E9", "text/html", "example.org/%E9.html"),
        ("https://example.org/con", "text/html", "example.org/_con.html"),
        ("https://example.org/.htaccess", "text/plain", "example.org/_.htaccess"),
    ],
)
def test_names_are_those_of_the_urls(url: str, media_type: str, name: str) -> None:
    assert names(PROFILES["portable"], [(url, media_type)]) == {url: name}


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["/", "/index.html"], ["index.html", "index-2.html"]),
        (["/a.html", "/A.html"], ["a-2.html", "A.html"]),
        (["/a.css?v=2", "/a.css"], ["a_v=2.css", "a.css"]),
        (["/a.css?v=1", "/a.css?v=2"], ["a.css", "a_v=2.css"]),
        (["/news", "/news.html", "/news/"], ["news.html", "news-2.html", "news/index.html"]),
        (["/a%3Fb.html", "/a%3Cb.html"], ["a_b-2.html", "a_b.html"]),
    ],
)
def test_of_two_with_one_name_the_other_is_changed(paths: list[str], expected: list[str]) -> None:
    types = {"css": "text/css"}
    pages = [(f"https://a.example{path}", types.get(path.split(".")[-1].split("?")[0], "text/html")) for path in paths]
    assert list(map(names(PROFILES["portable"], pages).get, dict(pages))) == [f"a.example/{name}" for name in expected]


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://example.org/" + "x" * 500, r"example\.org/x{75,85}-[a-z2-7]{10}\.html"),
        ("https://example.org/" + "d/" * 60 + "x", r"example\.org/deep-[a-z2-7]{10}/x\.html"),
    ],
)
def test_what_is_too_long_is_cut_and_can_be_told_apart(url: str, pattern: str) -> None:
    assert re.fullmatch(pattern, names(PROFILES["portable"], [(url, "text/html")])[url])
