"""Jobs: what they are, the table of their states, and which is started next."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.jobs.job import (
        DEFAULT_PRIORITY as DEFAULT_PRIORITY,
        MANY_MACHINES_OPTION as MANY_MACHINES_OPTION,
        Job as Job,
        JobKind as JobKind,
        JobOrder as JobOrder,
        ProcessIdentity as ProcessIdentity,
        new_job_id as new_job_id,
    )
    from webkeep.service.jobs.job_machine import JobMachine as JobMachine, check_machine_name as check_machine_name
    from webkeep.service.jobs.job_selection import JobSelection as JobSelection
    from webkeep.service.jobs.job_state import (
        ENDED_STATES as ENDED_STATES,
        MOVING_STATES as MOVING_STATES,
        OPEN_STATES as OPEN_STATES,
        JobEvent as JobEvent,
        JobState as JobState,
        next_state as next_state,
        possible_events as possible_events,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "job": (
                "DEFAULT_PRIORITY",
                "Job",
                "JobKind",
                "JobOrder",
                "MANY_MACHINES_OPTION",
                "ProcessIdentity",
                "new_job_id",
            ),
            "job_selection": ("JobSelection",),
            "job_machine": ("JobMachine", "check_machine_name"),
            "job_state": (
                "ENDED_STATES",
                "MOVING_STATES",
                "OPEN_STATES",
                "JobEvent",
                "JobState",
                "next_state",
                "possible_events",
            ),
        },
    )
