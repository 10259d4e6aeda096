"""`webkeep job` with pause, resume, cancel and retry: what a person has happen to a job."""

from __future__ import annotations

import argparse

from webkeep.cli.jobs.service_opening import add_store_arguments, describe_job, job_facts, open_stores
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE
from webkeep.service.jobs import JobEvent


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verbs' arguments."""
    add_store_arguments(parser)
    parser.add_argument("jobs", nargs="+", metavar="JOB", help="its id, or the start of it")


def run(args: argparse.Namespace, out: Output) -> int:
    """Have it happen, at once or as soon as the process of the job has done it."""
    event = JobEvent(args.verb_name)
    with open_stores(args) as stores:
        found = [stores.jobs.find(each) for each in args.jobs]
        for job in found:
            changed = stores.jobs.wish(job, event, stores.now)
            out.event("job", **job_facts(changed))
            out.line(describe_job(changed))
    out.summary({"event": event.value, "jobs": [job.id for job in found]})
    return DONE
