import pytest

from webkeep.memento import WebLink, format_link_field, parse_links


def test_a_field_is_read_as_it_was_written() -> None:
    links = [
        WebLink("http://a.example/", ("original",)),
        WebLink("http://arc.example/web/http://a.example/?x=1,2;3", ("first", "memento"), (("datetime", "Thu, 31"),)),
        WebLink("http://arc.example/t", ("self",), (("type", "application/link-format"), ("from", 'a "b" \\c'))),
    ]
    assert list(parse_links(format_link_field(links))) == links


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("http://a/\r\nSet-Cookie: x=1", "<http://a/%0D%0ASet-Cookie:%20x=1>"),
        ("http://a/>; rel=evil", "<http://a/%3E;%20rel=evil>"),
        ("http://a/\0", "<http://a/%00>"),
        ("http://a/ü", "<http://a/%C3%BC>"),
        ("http://a/\udcff", "<http://a/%3F>"),
    ],
)
def test_no_target_ends_its_brackets_or_its_line(target: str, written: str) -> None:
    assert str(WebLink(target, ("original",))).startswith(written)


def test_no_attribute_ends_its_quotes_or_its_line() -> None:
    link = WebLink("http://a/", ("memento",), (("datetime", 'x"; rel="evil\r\nX: y'),))
    assert "\r" not in str(link)
    (read,) = parse_links(str(link))
    assert read.relations == ("memento",)


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "<", "<http://a/", "<a>;;;;", "<a>; rel", '<a>; rel="', "<a> <b>", ", , <a>; rel=x, <b"],
)
def test_broken_fields_are_read_as_far_as_they_go(text: str) -> None:
    assert all(isinstance(link, WebLink) for link in parse_links(text))


def test_spellings_of_others_are_understood() -> None:
    text = '<http://a/>;rel=original , <http://b/> ; REL = "Memento First";datetime="x";rel="second"'
    first, second = parse_links(text)
    assert (first.target, first.relations) == ("http://a/", ("original",))
    assert (second.relations, second.get("datetime")) == (("memento", "first"), "x")
