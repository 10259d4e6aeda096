import pytest

from webkeep.errors import UsageError
from webkeep.memento import MementoAddresses, MementoForm, TimeMapFormat, parse_memento_path, parse_timemap_path
from webkeep.model import Moment

AT = Moment.parse("20240301120000")
ADDRESSES = MementoAddresses("http://localhost:8080")


@pytest.mark.parametrize("view", list(MementoForm))
@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://example.org/a?b=c&d=http://x.org/",
        "http://example.org:8080/20240301120000/x",
        "http://example.org/%2Fa%00",
        "http://xn--bcher-kva.example/",
    ],
)
def test_an_address_is_read_as_it_was_written(url: str, view: MementoForm) -> None:
    path = ADDRESSES.memento_uri(url, AT, view).removeprefix("http://localhost:8080/web/")
    asked = parse_memento_path(path)
    assert (asked.url, asked.moment, asked.form) == (url, AT, view)


@pytest.mark.parametrize(
    ("path", "url", "moment"),
    [
        ("http://example.org/", "http://example.org/", None),
        ("example.org", "http://example.org/", None),
        ("http:/example.org/a", "http://example.org/a", None),
        ("2024/http://example.org/", "http://example.org/", "2024"),
        ("20240301im_/http://example.org/i.png", "http://example.org/i.png", "20240301"),
        ("20240301120000/http:/example.org//a", "http://example.org//a", "20240301120000"),
        ("20240301120000/http%3A%2F%2Fexample.org%2Fa%3Fb", "http://example.org/a?b", "20240301120000"),
        ("id_/http://example.org/", "http://example.org/", None),
        ("http://EXAMPLE.org/../a", "http://example.org/a", None),
        ("http://example.org/a#frag", "http://example.org/a", None),
    ],
)
def test_what_people_and_proxies_make_of_addresses_is_understood(path: str, url: str, moment: str | None) -> None:
    asked = parse_memento_path(path)
    assert (asked.url, asked.moment) == (url, Moment.parse(moment) if moment else None)


@pytest.mark.parametrize(
    "path",
    ["", "/", "20240301120000/", "20241301120000/http://a.org/", "javascript:alert(1)", "file:///etc/passwd",
     "http://", "http://a b.org/", "20240301120000/data:text/html,x", "x" * 20000, "2024/\x00"],
)  # fmt: skip
def test_what_names_no_url_or_no_moment_is_an_error_of_the_client(path: str) -> None:
    with pytest.raises(UsageError):
        parse_memento_path(path)


def test_timemaps_have_forms_and_pages() -> None:
    asked = parse_timemap_path("json/20240301120000/http://example.org/?x=1")
    assert (asked.url, asked.format, asked.since) == ("http://example.org/?x=1", TimeMapFormat.JSON, AT)
    assert parse_timemap_path("http://example.org/").format is TimeMapFormat.LINK
    assert parse_timemap_path("link/http://example.org/").since is None
    for form in TimeMapFormat:
        written = ADDRESSES.timemap_uri("http://example.org/a", form, AT).removeprefix("http://localhost:8080/timemap/")
        assert parse_timemap_path(written) == type(asked)("http://example.org/a", form, AT)
