"""Whoever watches work: told now and then and at the end, in the thread that works; pressed switches end it."""

import pytest

from webkeep.api.work_listener import CallbackListener, FindingTally, WorkListener, WorkProgress, WorkWatch
from webkeep.model import Finding
from webkeep.process import StopSwitch, WorkStopped, use_stop_switch


def test_the_end_is_told_in_any_case() -> None:
    told: list[WorkProgress] = []
    with WorkWatch(CallbackListener(told.append), "counting", lambda: {"records": 3}) as watch:
        watch.tick()
    assert [(each.doing, each.counts) for each in told] == [("counting", {"records": 3})]


def test_an_exception_is_the_last_word() -> None:
    told: list[WorkProgress] = []
    with pytest.raises(ValueError, match="broken"), WorkWatch(CallbackListener(told.append), "counting", dict):
        raise ValueError("broken")
    assert told == []


def test_a_pressed_switch_ends_the_work_at_the_next_tick() -> None:
    switch = StopSwitch()
    with use_stop_switch(switch), WorkWatch(WorkListener(), "counting", dict) as watch:
        watch.tick()
        switch.press()
        with pytest.raises(WorkStopped):
            watch.tick()


def test_findings_are_all_told_and_the_first_thousand_listed() -> None:
    told: list[Finding] = []
    tally = FindingTally(CallbackListener(on_finding=told.append))
    for number in range(1200):
        tally.add(Finding("odd", "a.warc.gz", number, "odd") if number % 2 else Finding("even", "a", number, "even"))
    assert (tally.count, len(told), len(tally.listed)) == (1200, 1200, 1000)
    assert tally.codes == {"odd": 600, "even": 600}
