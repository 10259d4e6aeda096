"""Schedules as texts for the store, and back."""

from __future__ import annotations

import json
from datetime import time

from webkeep.model import Moment
from webkeep.service.schedules.blackout_hours import BlackoutHours
from webkeep.service.schedules.schedule import CronTimes, EveryInterval, OverlapPolicy, Schedule


def schedule_to_text(schedule: Schedule) -> str:
    """A schedule, its id apart, as JSON."""
    times: dict[str, object]
    match schedule.times:
        case EveryInterval(seconds, since):
            times = {"seconds": seconds, "since": since.micros}
        case CronTimes(expression):
            times = {"cron": expression}
    hours = [[sorted(each.days), each.begin.isoformat(), each.end.isoformat()] for each in schedule.blackouts]
    facts = {
        "zone": schedule.zone,
        "jitter": schedule.jitter_seconds,
        "blackouts": hours,
        "until": None if schedule.until is None else schedule.until.micros,
        "overlap": schedule.overlap.value,
    }
    return json.dumps({**times, **facts})


def schedule_from_text(schedule_id: str, text: str) -> Schedule:
    """A schedule out of what `schedule_to_text` gave."""
    facts = json.loads(text)
    times = CronTimes(facts["cron"]) if "cron" in facts else EveryInterval(facts["seconds"], Moment(facts["since"]))
    return Schedule(
        schedule_id,
        times,
        facts["zone"],
        facts["jitter"],
        tuple(
            BlackoutHours(frozenset(days), time.fromisoformat(begin), time.fromisoformat(end))
            for days, begin, end in facts["blackouts"]
        ),
        None if facts["until"] is None else Moment(facts["until"]),
        OverlapPolicy(facts["overlap"]),
    )
