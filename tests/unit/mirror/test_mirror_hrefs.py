"""Links between the files of a copy."""

from urllib.parse import unquote, urljoin

import pytest
from hypothesis import given, strategies as st

from webkeep.mirror.names.relative_links import FolderPaths, relative_href

segments = st.text(st.characters(exclude_characters="/", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
names = st.lists(segments.filter(lambda text: text not in (".", "..")), min_size=1, max_size=5).map("/".join)


@pytest.mark.parametrize(
    ("source", "target", "href"),
    [
        ("a/b.html", "a/c.html", "c.html"),
        ("a/b.html", "a/b.html", "b.html"),
        ("a/b.html", "index.html", "../index.html"),
        ("index.html", "a/b.html", "a/b.html"),
        ("a/b/c/d.html", "a/x/c/d.html", "../../x/c/d.html"),
        ("a/b.html", "a/c:d.html", "c%3Ad.html"),
        ("a/b.html", "a/50%,é.html", "50%25,%C3%A9.html"),
        ("a/b.html", "a/what?#.html", "what%3F%23.html"),
    ],
)
def test_the_shortest_way_is_taken(source: str, target: str, href: str) -> None:
    assert relative_href(source, target) == href


@given(names, names)
def test_a_browser_gets_from_any_file_to_any_other(source: str, target: str) -> None:
    root = "file:///disk/copy/"
    joined = urljoin(
        root + source.replace("%", "%25").replace("?", "%3F").replace("#", "%23"), relative_href(source, target)
    )
    assert unquote(joined) == unquote(root) + target


@given(st.lists(st.tuples(names, names), max_size=8))
def test_what_is_remembered_changes_nothing(pairs: list[tuple[str, str]]) -> None:
    ways = FolderPaths()
    for source, target in pairs:
        assert ways.href(source.rpartition("/")[0], target) == relative_href(source, target)
