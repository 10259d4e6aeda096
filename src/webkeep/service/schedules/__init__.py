"""Schedules: every so often or by cron in a time zone, and the pure function that says when the next run is."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.schedules.blackout_hours import BlackoutHours as BlackoutHours
    from webkeep.service.schedules.schedule import (
        CronTimes as CronTimes,
        EveryInterval as EveryInterval,
        OverlapPolicy as OverlapPolicy,
        Schedule as Schedule,
        parse_blackouts as parse_blackouts,
        parse_duration as parse_duration,
        parse_jitter as parse_jitter,
        parse_times as parse_times,
    )
    from webkeep.service.schedules.schedule_text import (
        schedule_from_text as schedule_from_text,
        schedule_to_text as schedule_to_text,
    )
    from webkeep.service.schedules.schedule_words import (
        WrittenSchedule as WrittenSchedule,
        build_schedule as build_schedule,
        describe_schedule as describe_schedule,
        describe_times as describe_times,
        format_local_time as format_local_time,
        preview_runs as preview_runs,
        write_times as write_times,
    )
    from webkeep.service.schedules.scheduled_run import (
        ScheduledRun as ScheduledRun,
        due_moments as due_moments,
        next_run as next_run,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "blackout_hours": ("BlackoutHours",),
            "scheduled_run": ("ScheduledRun", "due_moments", "next_run"),
            "schedule": (
                "CronTimes",
                "EveryInterval",
                "OverlapPolicy",
                "Schedule",
                "parse_blackouts",
                "parse_duration",
                "parse_jitter",
                "parse_times",
            ),
            "schedule_words": (
                "WrittenSchedule",
                "build_schedule",
                "describe_schedule",
                "describe_times",
                "format_local_time",
                "preview_runs",
                "write_times",
            ),
            "schedule_text": ("schedule_from_text", "schedule_to_text"),
        },
    )
