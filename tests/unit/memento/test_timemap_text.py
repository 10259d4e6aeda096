import json

import pytest

from webkeep.memento import (
    MementoAddresses,
    MementoVersion,
    TimeMapFormat,
    TimeMapPage,
    TimeMapRange,
    parse_links,
    render_timemap,
)
from webkeep.model import Moment

URL = "http://example.org/"
ADDRESSES = MementoAddresses("http://arc")
VERSIONS = [MementoVersion(URL, Moment.parse(f"2024030{day}120000")) for day in (1, 2, 3)]


def text(form: TimeMapFormat, versions: list[MementoVersion] = VERSIONS, **around: TimeMapRange) -> str:
    page = TimeMapPage(URL, form, versions[0], versions[-1], **around)
    return "".join(render_timemap(ADDRESSES, page, versions))


def test_link_format_lists_the_original_the_timegate_itself_and_every_memento() -> None:
    links = list(parse_links(text(TimeMapFormat.LINK)))
    by_relation = {" ".join(link.relations): link for link in links}
    assert by_relation["original"].target == URL
    assert by_relation["timegate"].target == "http://arc/web/http://example.org/"
    own = by_relation["self"]
    assert own.target == "http://arc/timemap/link/http://example.org/"
    assert own.get("type") == "application/link-format"
    assert (own.get("from"), own.get("until")) == ("Fri, 01 Mar 2024 12:00:00 GMT", "Sun, 03 Mar 2024 12:00:00 GMT")
    mementos = [link for link in links if "memento" in link.relations]
    assert [link.relations for link in mementos] == [("first", "memento"), ("memento",), ("last", "memento")]
    assert mementos[0].get("datetime") == "Fri, 01 Mar 2024 12:00:00 GMT"
    assert mementos[1].target == "http://arc/web/20240302120000/http://example.org/"


def test_a_lone_memento_is_first_and_last() -> None:
    links = [link for link in parse_links(text(TimeMapFormat.LINK, VERSIONS[:1])) if "memento" in link.relations]
    assert [link.relations for link in links] == [("first", "last", "memento")]


def test_two_within_a_second_have_one_address_and_are_listed_once() -> None:
    twice = [VERSIONS[0], MementoVersion(URL, VERSIONS[0].moment.plus(0.5)), VERSIONS[1]]
    assert sum("memento" in link.relations for link in parse_links(text(TimeMapFormat.LINK, twice))) == 2


def test_a_page_links_to_its_neighbours_and_claims_no_ends_it_does_not_have() -> None:
    before, after = (
        TimeMapRange(MementoVersion(URL, Moment.parse(first)), MementoVersion(URL, Moment.parse(last)))
        for first, last in (("2023", "202312"), ("2025", "202512"))
    )
    links = list(parse_links(text(TimeMapFormat.LINK, previous=before, next=after)))
    pages = {link.relations: link for link in links if "timemap" in link.relations}
    assert pages["prev", "timemap"].target == "http://arc/timemap/link/20230101000000/http://example.org/"
    following = pages["next", "timemap"]
    assert (following.get("from"), following.get("until")) == (
        "Wed, 01 Jan 2025 00:00:00 GMT", "Mon, 01 Dec 2025 00:00:00 GMT",
    )  # fmt: skip
    assert all(link.relations == ("memento",) for link in links if "memento" in link.relations)


def test_json_has_the_shape_that_aggregators_give() -> None:
    told = json.loads(text(TimeMapFormat.JSON))
    assert told["original_uri"] == URL
    assert told["timegate_uri"] == "http://arc/web/http://example.org/"
    assert told["timemap_uri"]["cdxj_format"] == "http://arc/timemap/cdxj/http://example.org/"
    assert [item["datetime"] for item in told["mementos"]["list"]][-1] == "2024-03-03T12:00:00Z"
    assert told["mementos"]["first"]["uri"] == "http://arc/web/20240301120000/http://example.org/"


def test_cdxj_has_a_line_for_every_memento() -> None:
    lines = text(TimeMapFormat.CDXJ).splitlines()
    assert all(line.startswith("!") for line in lines[:-3])
    stamp, _, told = lines[-1].partition(" ")
    assert stamp == "20240303120000"
    assert json.loads(told)["rel"] == "last memento"


@pytest.mark.parametrize("form", list(TimeMapFormat))
def test_it_is_written_as_it_is_read(form: TimeMapFormat) -> None:
    taken: list[MementoVersion] = []

    def endless():  # type: ignore[no-untyped-def]
        moment = Moment.parse("2000")
        while True:
            moment = moment.plus(1)
            taken.append(MementoVersion(URL, moment))
            yield taken[-1]

    pieces = render_timemap(ADDRESSES, TimeMapPage(URL, form, VERSIONS[0], VERSIONS[-1]), endless())
    for _ in range(200):
        next(pieces)
    assert len(taken) < 400
