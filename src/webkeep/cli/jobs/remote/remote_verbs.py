"""Which function does a verb of `webkeep job` where the service is named by its address and not by its folder."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from webkeep.cli.jobs.remote.remote_collections import change_collection, change_seeds
from webkeep.cli.jobs.remote.remote_jobs import list_jobs, show_job, steer_jobs, submit_jobs
from webkeep.cli.jobs.remote.remote_plans import change_schedules, change_watches
from webkeep.cli.jobs.remote.service_client import ServiceClient, open_client
from webkeep.cli.output.console import Output

REMOTE_VERBS: dict[str, Callable[[argparse.Namespace, ServiceClient, Output], int]] = {
    "collection": change_collection,
    "seeds": change_seeds,
    "submit": submit_jobs,
    "list": list_jobs,
    "show": show_job,
    "pause": steer_jobs,
    "resume": steer_jobs,
    "cancel": steer_jobs,
    "retry": steer_jobs,
    "schedule": change_schedules,
    "watch": change_watches,
}
"""Every verb that there is for a folder."""


def run_remote_verb(args: argparse.Namespace, out: Output) -> int:
    """Do what the verb says, by the API of the service."""
    return REMOTE_VERBS[args.verb_name](args, open_client(args), out)
