import json

import pytest

from webkeep.errors import UsageError
from webkeep.formats.cdx import CdxLine
from webkeep.memento.cdx import CdxOutput, CdxQuery, CdxResumeKey, CdxRow, SortOrder, filter_rows, render_row
from webkeep.memento.cdx.cdx_filter import CdxCollapse, CdxFilter
from webkeep.model import Moment
from webkeep.url import UrlMatch


def row(stamp: str = "20240301120000", status: str = "200", mime: str = "text/html", digest: str = "A") -> CdxRow:
    return CdxRow(CdxLine("org,example)/", stamp, "http://example.org/", mime, status, digest, 10, 20, "f.warc.gz"))


def query(**parameters: str) -> CdxQuery:
    return CdxQuery.parse({name.rstrip("_"): [value] for name, value in {"url": "example.org", **parameters}.items()})


@pytest.mark.parametrize(
    ("written", "passes"),
    [
        ("status:200", True), ("status:20", True), ("=status:20", False), ("=status:200", True),
        ("!=status:200", False), ("!status:404", True), ("~status:[23]..", True), ("~mime:text/", True),
        ("~mime:ext", False),
        ("statuscode:200", True), ("statuscode:20", False), ("!statuscode:2..", False), ("mimetype:text/.*", True),
        ("original:.*example.*", True), ("example", True), ("!example", False), ("=nothing:-", True), ("~:x", False),
    ],
)  # fmt: skip
def test_filters_mean_what_they_mean_to_the_established_servers(written: str, passes: bool) -> None:
    assert CdxFilter.parse(written).matches(row()) is passes


def test_collapsing_keeps_the_first_of_neighbours() -> None:
    rows = [row("20240301120000"), row("20240301130000"), row("20240302120000"), row("20240301140000")]
    kept = filter_rows(rows, (), [CdxCollapse.parse("timestamp:8")])
    assert [each.get("timestamp") for each in kept] == ["20240301120000", "20240302120000", "20240301140000"]
    assert len(list(filter_rows(rows, (), [CdxCollapse.parse("digest")]))) == 1


def test_a_query_is_read() -> None:
    asked = query(
        matchType="host", from_="2023", to="2024", filter="=status:200", collapse="digest", fl="url,timestamp",
        limit="5", output="json", page="2", pageSize="7", showResumeKey="true",
    )  # fmt: skip
    assert (asked.match, asked.since, asked.limit, asked.page, asked.page_size) == (
        UrlMatch.HOST, Moment.parse("2023"), 5, 2, 7,
    )  # fmt: skip
    assert asked.until == Moment(Moment.parse("2025").micros - 1)
    assert (asked.output, asked.fields, asked.wants_resume_key) == (CdxOutput.JSON, ("url", "timestamp"), True)


@pytest.mark.parametrize(
    ("digits", "end"),
    [("2024", "2025"), ("202412", "2025"), ("202402", "202403"), ("20240229", "20240301"), ("2024030112", "2024030113"),
     ("20240301120000", "20240301120001")],
)  # fmt: skip
def test_an_end_takes_in_all_that_it_names(digits: str, end: str) -> None:
    assert query(to=digits).until == Moment(Moment.parse(end).micros - 1)


@pytest.mark.parametrize(
    ("url", "match"),
    [("example.org/*", UrlMatch.PREFIX), ("*.example.org", UrlMatch.DOMAIN), ("example.org/a", UrlMatch.EXACT)],
)
def test_stars_in_the_url_say_how_much_is_wanted(url: str, match: UrlMatch) -> None:
    assert query(url=url).match is match


def test_orders() -> None:
    assert query(closest="20240301").order is SortOrder.CLOSEST
    assert query(sort="reverse").order is SortOrder.REVERSE
    assert query(limit="-3").from_end


@pytest.mark.parametrize(
    "parameters",
    [{"url": ""}, {"matchType": "all"}, {"limit": "x"}, {"limit": "1e9"}, {"page": "-1"}, {"from_": "yesterday"},
     {"to": "20241399"}, {"output": "xml"}, {"filter": "~url:("}, {"collapse": "timestamp:x"}, {"resumeKey": "x"},
     {"closest": "٢٠٢٤"}, {"limit": "9" * 30}],
)  # fmt: skip
def test_what_cannot_be_understood_is_an_error_of_the_client(parameters: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        query(**parameters)


def test_a_resume_key_is_read_as_it_was_written() -> None:
    key = CdxResumeKey("org,example)/ü?a=%20", 17, "file with spaces.warc.gz", 4)
    assert CdxResumeKey.parse(str(key)) == key
    assert " " not in str(key)


def test_rows_are_written_in_every_form() -> None:
    assert render_row(row(), CdxOutput.CDXJ, ()).startswith(
        'org,example)/ 20240301120000 {"url": "http://example.org/"'
    )
    told = json.loads(render_row(row(), CdxOutput.JSON, ()))
    assert (told["urlkey"], told["timestamp"], told["status"]) == ("org,example)/", "20240301120000", "200")
    assert render_row(row(), CdxOutput.TEXT, ()).split() == [
        "org,example)/", "20240301120000", "http://example.org/", "text/html", "200", "A", "10", "20", "f.warc.gz",
    ]  # fmt: skip
    assert render_row(row(), CdxOutput.CDXJ, ("statuscode", "none")) == "200 -\n"
    assert json.loads(render_row(row(), CdxOutput.JSON, ("original",))) == {"original": "http://example.org/"}
