"""Recoveries of visitors as values: what may be asked for, states, limits, terms, guesses, mails, statistics."""

import csv
import io
import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.recoveries import (
    VISITOR_TRANSITIONS,
    AddressUse,
    LostExtent,
    RecoveryYield,
    TermStep,
    TooManyRequestsError,
    VisitorLimits,
    VisitorOrder,
    VisitorRecovery,
    VisitorRecoveryEvent,
    VisitorRecoveryState,
    VisitorTerms,
    build_visitor_order,
    check_limits,
    compute_usage,
    draft_confirmation,
    draft_result,
    due_step,
    guess_names,
    next_recovery_state,
    read_visitor_settings,
    write_history,
    yield_from_summary,
)

NOW = Moment.parse("2026-05-01T12:00:00Z")
DAY = 86400.0
OFFERED = ("Internet Archive", "Our own")
PENDING, QUEUED, PROCESSING, COMPLETED, FAILED, DELETED = VisitorRecoveryState
ASKED = VisitorRecovery("1", VisitorOrder("http://lost.example/"), PENDING, NOW, "ada@home.example", "LINK", "CODE")
DONE = replace(ASKED, state=COMPLETED, ended=NOW, outcome=RecoveryYield(3, 1))


def order(
    url: str = "http://lost.example/", extent: str = "site", since: str = "", until: str = "", *chosen: str
) -> VisitorOrder:
    return build_visitor_order(url, extent, chosen or OFFERED, (since, until), OFFERED)


def test_what_a_visitor_asks_for_is_made_normal() -> None:
    assert order("lost.example").url == "http://lost.example/"
    assert order(
        "HTTP://Lost.Example/a/../b", "page", "2004-02-01", "2005-08-31", "Our own", "Nobody's"
    ) == VisitorOrder("http://lost.example/b", LostExtent.PAGE, ("Our own",), "2004-02-01", "2005-08-31")


@pytest.mark.parametrize(
    ("url", "extent", "since", "until", "chosen"),
    [
        ("", "site", "", "", ()),
        ("file:///etc/passwd", "site", "", "", ()),
        ("http://127.0.0.1/", "site", "", "", ()),
        ("http://[::1]/", "site", "", "", ()),
        ("http://router/", "site", "", "", ()),
        ("http://ada:secret@lost.example/", "site", "", "", ()),
        ("--into=/etc", "site", "", "", ()),
        ("http://lost.example/" + "a" * 3000, "site", "", "", ()),
        ("http://lost.example/", "everything", "", "", ()),
        ("http://lost.example/", "site", "yesterday", "", ()),
        ("http://lost.example/", "site", "2005-01-01", "2004-01-01", ()),
        ("http://lost.example/", "site", "", "", ("warc=/etc/passwd",)),
    ],
)
def test_what_a_visitor_may_not_ask_for_is_refused(
    url: str, extent: str, since: str, until: str, chosen: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError):
        order(url, extent, since, until, *chosen)


def test_states_only_go_forward() -> None:
    places = list(VisitorRecoveryState)
    assert all(places.index(end) > places.index(start) for (start, _), end in VISITOR_TRANSITIONS.items())
    for state, event in itertools.product(VisitorRecoveryState, VisitorRecoveryEvent):
        if (state, event) not in VISITOR_TRANSITIONS:
            with pytest.raises(UsageError):
                next_recovery_state(state, event)
    assert not [event for state, event in VISITOR_TRANSITIONS if state is DELETED]


def test_limits_hold_for_each_address_and_for_all_together() -> None:
    limits = VisitorLimits(requests_a_day=3, open_requests=2, waiting=10)
    check_limits((AddressUse(2, 1), AddressUse(0, 0)), 9, limits)
    for uses, waiting in (((AddressUse(3, 0),), 0), ((AddressUse(), AddressUse(1, 2)), 0), ((AddressUse(),), 10)):
        with pytest.raises(TooManyRequestsError):
            check_limits(uses, waiting, limits)


def test_what_is_due_in_its_term() -> None:
    terms = VisitorTerms()

    def step(recovery: VisitorRecovery, days: float) -> TermStep:
        return due_step(recovery, terms, NOW.plus(days * DAY))

    assert [step(ASKED, days) for days in (0, 4.9, 5, 9.99, 10)] == [
        TermStep.NOTHING,
        TermStep.NOTHING,
        TermStep.REMIND_TO_CONFIRM,
        TermStep.REMIND_TO_CONFIRM,
        TermStep.DELETE,
    ]
    assert step(replace(ASKED, reminders=1), 9) is TermStep.NOTHING
    assert step(replace(ASKED, state=QUEUED), 999) is TermStep.NOTHING
    assert step(replace(ASKED, state=PROCESSING), 999) is TermStep.NOTHING
    assert [step(DONE, days) for days in (6, 7, 28)] == [TermStep.NOTHING, TermStep.REMIND_TO_PICK_UP, TermStep.DELETE]
    reminded = replace(DONE, reminders=1, last_reminder=NOW.plus(7 * DAY))
    assert [step(reminded, days) for days in (13, 14)] == [TermStep.NOTHING, TermStep.REMIND_TO_PICK_UP]
    assert step(replace(DONE, picked_up=NOW), 27) is TermStep.NOTHING
    assert step(replace(DONE, outcome=RecoveryYield(0, 9)), 27) is TermStep.NOTHING
    assert step(replace(DONE, state=FAILED, outcome=None), 28) is TermStep.DELETE
    assert step(ASKED, -400) is TermStep.NOTHING  # a clock that was set back


@pytest.mark.parametrize(
    ("url", "guess"),
    [
        ("http://lost.con/", "http://lost.com/"),
        ("http://wwwlost.example/", "http://www.lost.example/"),
        ("http://wwww.lost.org/", "http://www.lost.org/"),
        ("http://lost.org/old/page.html", "http://lost.org/"),
        ("http://lost.org/", "http://www.lost.org/"),
        ("http://www.lost.org/", "http://lost.org/"),
        ("http://lo-st.org/", "http://lost.org/"),
        ("http://lost.org/", "http://lost.com/"),
    ],
)
def test_what_a_name_might_have_been(url: str, guess: str) -> None:
    assert guess in guess_names(url) and url not in guess_names(url) and len(guess_names(url)) <= 4


def test_an_address_has_no_other_name() -> None:
    assert guess_names("http://[2001:db8::1]/") == []


def test_mails_say_what_to_do_and_until_when() -> None:
    root = "https://keep.example"
    asking = draft_confirmation(ASKED, root, NOW.plus(10 * DAY))
    assert f"{root}/recover/LINK/confirm/CODE" in asking.text and "2026-05-11" in asking.text
    ready = draft_result(DONE, root, NOW.plus(28 * DAY))
    assert f"{root}/recover/LINK\n" in ready.text and "3 resources of 4" in ready.text and "CODE" not in ready.text
    assert "nothing could be recovered" in draft_result(replace(DONE, outcome=RecoveryYield()), root, None).text
    failed = replace(DONE, state=FAILED, outcome=None, message="the disk is full")
    assert "the disk is full" in draft_result(failed, root, None).text
    assert all("lost.example" not in each.subject for each in (asking, ready))


def test_usage_is_told_as_it_was_in_the_dissertation() -> None:
    def done(url: str, month: int, recovered: int, missing: int, days: float, **more: object) -> VisitorRecovery:
        ended = Moment.parse(f"2007-{month:02}-20")
        given, asked = more.pop("given", {"ia": recovered}), more.pop("asked", {"ia": 10})
        outcome = RecoveryYield(recovered, missing, 0, given, asked)  # type: ignore[arg-type]
        made = replace(ASKED, state=DELETED, order=VisitorOrder(url), confirmed=ended.plus(-days * DAY), ended=ended)
        return replace(made, outcome=outcome, **more)  # type: ignore[arg-type]

    page = VisitorOrder("http://b.org/x", LostExtent.PAGE)
    both = {"given": {"ia": 5, "own": 4}, "asked": {"ia": 30, "own": 20}}
    all_done = [
        done("http://a.com/", 7, 9, 1, 0.5, picked_up=NOW, **both),
        done("http://b.org/", 7, 0, 10, 1.5, order=page),
        done("http://c.com/", 8, 5, 95, 4),
        ASKED,
        replace(ASKED, state=DELETED),
    ]
    usage = compute_usage(all_done)
    assert (usage.completed, usage.recovered) == (3, 14)
    assert [(each.month, each.completed, each.recovered) for each in usage.months] == [
        ("2007-07", 2, 9),
        ("2007-08", 1, 5),
    ]
    assert (usage.discovered_each.mean, usage.discovered_each.least, usage.discovered_each.most) == (40, 10, 100)
    assert (usage.days_each.mean, usage.days_each.most) == (2, 4)
    assert usage.mean_share == pytest.approx((0.9 + 0 + 0.05) / 3)
    assert usage.mean_share_of_some == pytest.approx((0.9 + 0.05) / 2)
    assert usage.ratio_of_means == pytest.approx(14 / 120)
    thirds = (usage.single_page_share, usage.nothing_share, usage.most_share, usage.sole_contributor_share)
    assert thirds == pytest.approx((1 / 3,) * 4) and usage.little_share == pytest.approx(2 / 3)
    assert usage.unfetched_share == 0.5
    ia, own = usage.repositories
    assert (ia.name, ia.used_share, ia.contributed_share) == ("ia", 1, pytest.approx(10 / 14))
    assert ia.mean_requests == pytest.approx(50 / 3)
    assert (own.used_share, own.mean_requests) == (pytest.approx(1 / 3), 20)
    assert [(each.end, each.recoveries) for each in usage.domains] == [("com", 2), ("org", 1)]
    assert compute_usage([]).completed == 0


def test_the_history_is_a_table_without_formulas() -> None:
    hostile = replace(
        DONE, order=VisitorOrder("http://lost.example/?a,b"), message='=HYPERLINK("x")', mail="+a@b.example"
    )
    lines = list(csv.DictReader(io.StringIO(write_history([hostile, ASKED]))))
    assert [line["state"] for line in lines] == ["completed", "pending"]
    assert lines[0]["url"] == "http://lost.example/?a,b" and lines[0]["discovered"] == "4"
    assert lines[0]["message"] == '\'=HYPERLINK("x")' and lines[0]["mail"] == "'+a@b.example"
    assert "LINK,CODE" not in write_history([ASKED]) and "CODE" not in write_history([ASKED])


def test_what_the_command_says_becomes_figures() -> None:
    said = {"recovered": 3, "missing": 2, "bytes": 9, "repositories": {"ia": 3}, "requests": {"ia": 7}, "capture": "c"}
    assert yield_from_summary(said) == RecoveryYield(3, 2, 9, {"ia": 3}, {"ia": 7})
    assert yield_from_summary({"recovered": "many", "requests": []}) == RecoveryYield()


def test_settings_are_read_and_nonsense_is_told(tmp_path: Path) -> None:
    path = tmp_path / "visitors.toml"
    path.write_text('keep-days = 3\nrunning = 1\n[repositories]\n"Internet Archive" = "wayback"\n')
    settings = read_visitor_settings(path)
    assert settings.repositories == {"Internet Archive": "wayback"}
    assert (settings.terms.keep_days, settings.terms.confirm_days, settings.limits.running) == (3, 10, 1)
    wrongs = [
        "",
        "not toml",
        "[repositories]",
        "[repositories]\na = 3",
        '[repositories]\na = "live"',
        'keep-days = 0\n[repositories]\na = "wayback"',
        'keep-days = true\n[repositories]\na = "wayback"',
        'other = 1\n[repositories]\na = "wayback"',
    ]
    for text in wrongs:
        path.write_text(text)
        with pytest.raises(UsageError):
            read_visitor_settings(path)
    with pytest.raises(UsageError):
        read_visitor_settings(tmp_path / "nowhere")
