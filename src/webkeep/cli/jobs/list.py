"""`webkeep job list`: jobs, the newest first, with their states and what came of them."""

from __future__ import annotations

import argparse

from webkeep.cli.jobs.service_opening import (
    DEFAULT_COLLECTION,
    OpenStores,
    add_store_arguments,
    find_seed,
    job_facts,
    open_stores,
)
from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns
from webkeep.cli.subcommand import DONE
from webkeep.presentation import format_count, format_moment, format_size
from webkeep.service.jobs import Job, JobState

_DEFAULT_LISTED_JOBS = 50
"""As many as a person looks through."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_store_arguments(parser)
    parser.add_argument("--collection", default="", metavar="NAME", help="only of this collection")
    parser.add_argument("--seed", metavar="URL", help="only of this seed of the collection: its history")
    parser.add_argument("--state", action="append", default=[], choices=list(JobState), help="only in this state")
    parser.add_argument("--limit", type=parse_whole_number, default=_DEFAULT_LISTED_JOBS, metavar="N",
                        help=f"at most so many ({_DEFAULT_LISTED_JOBS})")  # fmt: skip


def run(args: argparse.Namespace, out: Output) -> int:
    """Print the list."""
    with open_stores(args) as stores:
        jobs = _read_jobs(args, stores)
        counts = {state.value: count for state, count in stores.jobs.counts().items()}
    table = PrintedTable(build_columns("job", "state", "collection", "submitted (UTC)", "seed", "came to"), out.line)
    for job in jobs:
        seeds = job.order.plan.get("seeds", [])
        table.add_row(
            job.id,
            f"{job.state.value}{f' ({job.wish.value})' if job.wish else ''}",
            job.order.collection,
            format_moment(job.created),
            str(seeds[0]) if seeds else "",
            _describe_result(job),
        )
        out.event("job", **job_facts(job))
    table.finish()
    all_of = ", ".join(f"{count:,} {state}" for state, count in counts.items() if count)
    out.summary(
        {"listed": len(jobs), "counts": counts}, f"{format_count(len(jobs), 'job')} listed; in all {all_of or 0}"
    )
    return DONE


def _read_jobs(args: argparse.Namespace, stores: OpenStores) -> list[Job]:
    states = [JobState(each) for each in args.state]
    if args.collection:
        stores.collections.get(args.collection)
    if not args.seed:
        return stores.jobs.list_jobs(states, args.collection, args.limit)
    seed = find_seed(stores, args.collection or DEFAULT_COLLECTION, args.seed)
    return [job for job in stores.jobs.jobs_of_seed(seed.id, args.limit) if not states or job.state in states]


def _describe_result(job: Job) -> str:
    if job.state is JobState.DONE and "stored" in job.summary:
        found = " with findings" if job.exit_code else ""
        held = job.summary["stored"] + job.summary.get("duplicates", 0)
        return f"{format_count(held, 'URL')}, {format_size(job.summary.get('bytes', 0))}{found}"
    return job.message
