"""Histories that are replayed: how they are read, and what crawls meet in them."""

from pathlib import Path

import pytest

import webkeep
from webkeep import BytesBody, Exchange, Moment
from webkeep.errors import FormatError, UsageError
from webkeep.lab.coherence import STUDIED_SITES, generate_history, read_history, replay_histories
from webkeep.lab.coherence.history_tables import children_by_url, predict_rates
from webkeep.lab.coherence.site_history import LabSighting, SiteHistory, history_from_looks, read_looks
from webkeep.lab.results import ResultTable

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def moment(day: int) -> Moment:
    return Moment.parse(f"2024-03-{day:02}T00:00:00Z")


def days(history: SiteHistory) -> dict[str, list[float]]:
    changes = (list(changes) for changes in history.changes)
    return {url: [change / 86_400 for change in each] for url, each in zip(history.urls, changes, strict=True)}


def test_a_page_changed_when_another_digest_was_first_seen() -> None:
    looks = [
        LabSighting("a", moment(day), digest) for day, digest in ((1, "x"), (2, "x"), (4, "y"), (5, "y"), (6, "x"))
    ]
    history = history_from_looks("list", [*reversed(looks), LabSighting("b", moment(3), "z")])
    assert days(history) == {"a": [3, 5], "b": []}
    assert history.span == 5 * 86_400
    assert history.rates() == pytest.approx([2 / history.span, 0])


def test_moments_without_digests_are_changes_themselves() -> None:
    history = history_from_looks(
        "list", [LabSighting("a", moment(1)), LabSighting("a", moment(3)), LabSighting("still", None)]
    )
    assert days(history) == {"a": [0, 2], "still": []}


def test_lists_are_read_with_or_without_their_heading(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text(
        '\ufeffurl,moment,digest\n"http://e/,1",2024-03-01,x\nhttp://e/2,20240304000000,x\n\nhttp://e/3,\n'
    )
    history = read_history(listed)
    assert history.urls == ("http://e/,1", "http://e/2", "http://e/3")
    assert history.span == 3 * 86_400


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("http://e/,soon\n", "line 1 has no moment"), (",2024\n", "line 1 names no page"), ("a,2024\nb,\0\n", "line 2")],
)
def test_lists_that_cannot_be_read_say_where(text: str, wrong: str) -> None:
    with pytest.raises(FormatError, match=wrong):
        list(read_looks(text.splitlines(keepends=True), "list.csv"))


@pytest.mark.parametrize("looks", [[], [LabSighting("a", moment(1), "x")], [LabSighting("a", None)]])
def test_what_was_seen_at_one_moment_has_no_history(looks: list[LabSighting]) -> None:
    with pytest.raises(UsageError, match="two moments or more"):
        history_from_looks("list", looks)


def test_the_history_of_an_archive_is_that_of_its_contents(tmp_path: Path) -> None:
    with webkeep.open(tmp_path / "archive", create=True) as archive, archive.begin("append") as capture:
        for day, body in ((1, b"low"), (2, b"low"), (3, b"high")):
            capture.append(Exchange("http://e.example/", moment(day), HEAD, BytesBody(body)))
            capture.append(Exchange("http://e.example/still", moment(day), HEAD, BytesBody(b"still")))
        missing = HEAD.replace(b"200 OK", b"404 Not Found")
        capture.append(Exchange("http://e.example/gone", moment(2), missing, BytesBody(b"none")))
    history = read_history(tmp_path / "archive")
    assert days(history) == {"http://e.example/": [2], "http://e.example/still": []}


def test_pages_lie_below_each_other_by_their_addresses() -> None:
    urls = ["http://e/", "http://e/a/", "http://e/a/1", "http://e/b/2", "http://e/a/1/x?y", "http://other/"]
    assert children_by_url(urls) == {0: [1, 3, 5], 1: [2], 2: [4]}


def test_no_page_lies_below_itself_however_the_list_is_sorted() -> None:
    urls = ["http://e/a/1", "http://e/a", "http://e/a/", "http://e"]
    children = children_by_url(urls)
    assert sorted(child for below in children.values() for child in below) == [1, 2, 3]
    assert all(parent < child for parent, below in children.items() for child in below)


def value(blocks: list[ResultTable], table: str, column: str) -> float:
    block = next(block for block in blocks if block.name == table)
    found = block.cell(block.rows[0], column).value
    assert found is not None
    return found


def test_a_replayed_crawl_meets_the_changes_that_happened() -> None:
    # Three pages over four days: a visit a day and a half apart would be single; visit and revisit a day apart.
    history = SiteHistory("tiny", ("r", "r/a", "r/b"), ((), (1.5,), ()), 4.0)
    blocks = replay_histories([history])
    # Breadth first: r at 0, r/a at 1, r/b at 2; then r/a at 3 and r at 4, so that r/a was seen to change.
    assert value(blocks, "5.6", "breadth-first-lifo") == 1
    # The page that changes is visited last by the strategy that knows it, and once is enough then.
    assert value(blocks, "5.6", "selective-offline") == 0
    # Visits at 0, 2, 4: between day 0 and 1.5 the page shown is the later one, for 1.5 of 4 days.
    assert value(blocks, "4.3", "breadth-first") == pytest.approx(1.5 / 4 / 3)


def test_a_quicker_crawl_meets_fewer_changes() -> None:
    history = generate_history(STUDIED_SITES[0])
    slow, quick = (replay_histories([history], slow_down) for slow_down in (1.0, 0.1))
    for column in ("selective-offline", "sharc-selective", "breadth-first-fifo"):
        assert value(quick, "5.6", column) < value(slow, "5.6", column)
    with pytest.raises(UsageError, match="above zero"):
        replay_histories([history], 0.0)


def test_on_a_generated_site_strategies_come_in_the_published_order() -> None:
    history = generate_history(STUDIED_SITES[0])
    assert (len(history.urls), sum(map(bool, history.changes))) == (2186, 1131)
    blocks = replay_histories([history])
    others = ("sharc-online", "hottest-first", "hottest-last", "breadth-first", "depth-first", "olston-pandey")
    assert all(value(blocks, "4.3", "sharc-offline") < value(blocks, "4.3", other) for other in others)
    assert value(blocks, "4.3", "sharc-online") < value(blocks, "4.3", "sharc-online-predicted")
    for other in ("sharc-selective", "sharc-revisits", "hottest-last-lifo", "breadth-first-lifo", "depth-first-fifo"):
        assert value(blocks, "5.6", "selective-offline") < value(blocks, "5.6", other)
    assert value(blocks, "5.6", "selective-offline") < value(blocks, "5.7", "selective-offline")


def test_a_site_of_one_page_that_changes_is_replayed_as_well() -> None:
    blocks = replay_histories([SiteHistory("one", ("r",), ((1.0,),), 2.0)])
    assert value(blocks, "5.6", "scouting") == 0
    assert predict_rates(SiteHistory("one", ("r",), ((1.0,),), 2.0)) == pytest.approx([0.5])


def test_blur_of_a_history_needs_no_changes() -> None:
    assert value(replay_histories([SiteHistory("still", ("r", "r/a"), ((), ()), 2.0)]), "4.3", "sharc-online") == 0
