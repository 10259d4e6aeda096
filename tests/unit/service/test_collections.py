"""Collections: seeds out of tables and outlines with nothing lost, and the figure by which they are measured."""

import pytest

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.collections import (
    CollectionFacts,
    CollectionPurpose,
    RefusedLine,
    SeedEntry,
    measure_completeness,
    read_outline,
    read_seed_table,
    site_of,
)
from webkeep.service.jobs import Job, JobOrder, JobState

NOW = Moment.parse("2026-05-01")


def test_ten_thousand_lines_with_broken_ones_lose_none() -> None:
    broken = {17: '"http://a.example/,1', 400: "http://[/,1", 5000: ",1", 7777: "http://a.example/,x", 9000: "a,b,c,d"}
    lines = ["url,depth,notes\n"]
    lines += [
        broken.get(number, f"https://site{number}.example/,{number % 5},kept") + "\r\n" for number in range(2, 10_001)
    ]
    found = list(read_seed_table(lines))
    refused = [each for each in found if isinstance(each, RefusedLine)]
    assert [each.number for each in refused] == list(broken)
    assert all(each.reason for each in refused)
    seeds = [each for each in found if isinstance(each, SeedEntry)]
    assert len(seeds) == 9_999 - len(broken)
    assert seeds[0] == SeedEntry("https://site2.example/", {"depth": "2"}, "kept")


def test_tables_are_read_as_programs_write_them() -> None:
    semicolons = ["\ufeffNotes;URL;Schedule\n", '"a; b";example.org;every 6h\n', "# remark\n", "\n", ";example.net\n"]
    assert list(read_seed_table(semicolons)) == [
        SeedEntry("http://example.org/", {}, "a; b", "every 6h"),
        SeedEntry("http://example.net/"),
    ]
    assert list(read_seed_table(["https://a.example/\n", "https://b.example/\n"])) == [
        SeedEntry("https://a.example/"),
        SeedEntry("https://b.example/"),
    ]


def test_a_password_in_a_url_is_told_and_never_dropped() -> None:
    refused, taken = read_seed_table(["https://ada:secret@a.example/\n", "https://a.example/@ada\n"])
    assert isinstance(refused, RefusedLine) and "secret" not in refused.reason and "password" in refused.reason
    assert isinstance(taken, SeedEntry)


@pytest.mark.parametrize("line", ["https://a.example/," * 200, "x" * 200_000, "\0\0\0", "https://a.example/\0,1"])
def test_a_line_without_end_or_sense_is_refused(line: str) -> None:
    (found,) = read_seed_table([line])
    assert isinstance(found, RefusedLine)
    assert len(found.reason) < 400


def test_times_that_are_none_are_told_with_their_line() -> None:
    first, second = read_seed_table(["url,schedule\n", "a.example,61 * * * *\n", "b.example,@daily\n"])
    assert isinstance(first, RefusedLine)
    assert (first.number, "not cron" in first.reason) == (2, True)
    assert second == SeedEntry("http://b.example/", schedule="@daily")


def test_outlines_give_the_sites_of_feeds() -> None:
    text = """<opml><body><outline text="news"><outline text="A" htmlUrl="https://a.example/" xmlUrl="https://a.example/f"/>
    <outline title="B" xmlUrl="https://b.example/feed"/><outline text="bad" htmlUrl="http://["/></outline></body></opml>"""
    first, second, third = read_outline(text)
    assert first == SeedEntry("https://a.example/", notes="A")
    assert second == SeedEntry("https://b.example/feed", notes="B")
    assert isinstance(third, RefusedLine)
    assert third.number == 4


def test_a_site_is_the_domain_that_somebody_registered() -> None:
    assert site_of("https://news.bbc.co.uk/x") == site_of("http://bbc.co.uk:8080/") == "bbc.co.uk"
    assert site_of("http://127.0.0.1:8080/") == "127.0.0.1"


@pytest.mark.parametrize("name", ["", "Town", "../x", "a/b", "-a", "a" * 64, "a b", ".", "a\n"])
def test_names_that_would_be_no_folder_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="not a name for a collection"):
        CollectionFacts(name, "Title")


def test_collections_have_some_archives_and_texts_of_some_length() -> None:
    with pytest.raises(UsageError, match="from 1 to 64 archives"):
        CollectionFacts("a", "A", archives=0)
    with pytest.raises(UsageError, match="at most 20,000 characters"):
        CollectionFacts("a", "A", description="x" * 20_001)


def job(state: JobState, **summary: object) -> Job:
    return Job("1", JobOrder("a", "archive-1", {}), state, NOW, NOW, summary=summary)


def test_extensive_collections_count_entry_points_and_intensive_ones_what_was_had_of_each() -> None:
    latest = [
        job(JobState.DONE, seeds_missed=0, fates={"stored": 80, "duplicate": 10, "failed": 10, "out-of-scope": 500}),
        job(JobState.DONE, seeds_missed=1, fates={"failed": 1, "cut": 99}),
        job(JobState.FAILED, error="no"),
    ]
    extensive = measure_completeness(CollectionPurpose.EXTENSIVE, 4, latest)
    assert (extensive.held, extensive.wanted, extensive.share) == (1, 4, 0.25)
    intensive = measure_completeness(CollectionPurpose.INTENSIVE, 4, latest)
    assert (intensive.held, intensive.wanted, intensive.seeds_missed) == (90, 202, 3), (
        "two have no capture, one missed it"
    )
    assert (intensive.together, intensive.looked_at_twice) == (0, 0)
    once = {"is_revisited": False, "all": {"agreeing": 1, "resources": 90}}
    twice = {"is_revisited": True, "all": {"agreeing": 70, "resources": 90}}
    latest += [job(JobState.DONE, coherence=once), job(JobState.DONE, coherence=twice)]
    intensive = measure_completeness(CollectionPurpose.INTENSIVE, 6, latest)
    assert (intensive.together, intensive.looked_at_twice) == (70, 90)
    assert measure_completeness(CollectionPurpose.INTENSIVE, 0, []).share is None


def test_nothing_is_complete_of_which_seeds_are_missing() -> None:
    led_elsewhere = job(JobState.DONE, seeds_missed=1, fates={"stored": 2})
    figure = measure_completeness(CollectionPurpose.INTENSIVE, 200, [led_elsewhere])
    assert (figure.held, figure.wanted, figure.seeds_missed) == (2, 202, 200)
    whole = measure_completeness(
        CollectionPurpose.INTENSIVE, 1, [job(JobState.DONE, seeds_missed=0, fates={"stored": 2})]
    )
    assert (whole.share, whole.seeds_missed) == (1.0, 0)
