"""What a capture tells of itself while it runs: bounded counts, the newest failures, and pictures for who watches."""

from pathlib import Path

from webkeep.crawl.plan import parse_plan
from webkeep.crawl.run import LivePictures
from webkeep.crawl.run.capture_tally import CaptureTally
from webkeep.crawl.run.control_loop import apply_changes, plan_difference, restore_changes
from webkeep.model import Moment

NOW = Moment.parse("2026-05-20T08:00:00Z")


def test_types_and_statuses_are_counted_and_bounded() -> None:
    tally = CaptureTally()
    for number in range(500):
        tally.note_stored(f"http://a.test/{number}", f"made/up-{number}; charset=x", 200 + number, NOW)
    values = tally.to_values()
    assert len(values["types"]) == len(values["statuses"]) == 61 and sum(values["types"].values()) == 500
    assert len(values["failures"]) == 20 and values["failures"][0]["reason"].startswith("699")


def test_another_process_counts_on() -> None:
    first, second = CaptureTally(), CaptureTally()
    first.note_stored("http://a.test/", "text/html", 200, NOW)
    first.note_failed("http://a.test/x", "cannot-connect: refused", NOW)
    second.restore(first.to_values())
    second.note_stored("http://a.test/y", "Text/HTML", 200, NOW)
    assert second.to_values()["types"] == {"text/html": 2}
    assert [each["url"] for each in second.to_values()["failures"]] == ["http://a.test/x"]
    broken = CaptureTally()
    broken.restore({"types": ["no"], "statuses": {"200": "many"}, "failures": 5})
    assert broken.to_values() == CaptureTally().to_values()


def test_pictures_are_wanted_while_somebody_watches_and_the_newest_stay(tmp_path: Path) -> None:
    pictures, tally = LivePictures(tmp_path), CaptureTally()
    assert not pictures.are_wanted
    pictures.ask_for_pictures()
    assert pictures.are_wanted
    for number in range(30):
        pictures.keep(f"http://a.test/{number}", b"picture", tally)
    assert sorted(path.name for path in tmp_path.glob("*.jpg")) == [f"picture-{n:08d}.jpg" for n in range(7, 31)]
    assert [each["number"] for each in tally.to_values()["pictures"]] == [30, 29, 28, 27, 26, 25]


def test_rules_are_taken_back_and_that_outlasts_the_process() -> None:
    plan = parse_plan({"seeds": ["http://a.test/"], "exclude": ["*/old/*"]})
    now = apply_changes(plan, {"exclude": ["*/new/*"]})
    now = apply_changes(now, {"drop": ["-*/old/*"]})
    assert now.rules == ("-*/new/*",)
    assert restore_changes(plan, plan_difference(plan, now)).rules == now.rules
    assert apply_changes(now, {"drop": ["-*/new/*"]}).rules == ()
