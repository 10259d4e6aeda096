"""`webkeep job show`: one job, its plan, where its archive and log are, what happened to it and what came of it."""

from __future__ import annotations

import argparse

from webkeep.cli.jobs.service_opening import add_store_arguments, describe_state, job_facts, open_stores
from webkeep.cli.output.console import Output
from webkeep.cli.output.table import print_facts
from webkeep.cli.subcommand import DONE
from webkeep.presentation import format_moment


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_store_arguments(parser)
    parser.add_argument("job", metavar="JOB", help="its id, or the start of it")


def run(args: argparse.Namespace, out: Output) -> int:
    """Print what is known of a job."""
    with open_stores(args) as stores:
        job = stores.jobs.find(args.job)
        journal = stores.jobs.journal(job.id)
        archive = stores.folder.archive(job.order.collection, job.order.archive)
        log = stores.folder.workspace(job.id).log_path
    plan = " ".join(f"{name}={value}" for name, value in job.order.plan.items())
    rows = [
        ("job", job.id),
        ("state", describe_state(job)),
        ("plan", plan),
        ("archive", str(archive)),
        ("log", str(log)),
    ]
    rows += [
        ("came to", " ".join(f"{key}={value}" for key, value in job.summary.items() if not isinstance(value, dict)))
    ]
    print_facts([row for row in rows if row[1]], out.line)
    for line in journal:
        said = f" ({line.message})" if line.message else ""
        out.line(f"{format_moment(line.at)}  {line.event}: {line.state.value}{said}")
        out.event("journal", at=line.at.iso(), what=line.event, state=line.state.value, message=line.message)
    out.summary({**job_facts(job), "path": str(archive), "log": str(log)})
    return DONE
