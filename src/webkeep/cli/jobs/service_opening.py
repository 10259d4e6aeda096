"""The store of a service opened for a command beside it: which folder, which database, and what is told of a job."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webkeep.cli.output.json_facts import moment_fact
from webkeep.cli.service.run import add_database_option
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.collections import CollectionSeed
from webkeep.service.jobs import Job
from webkeep.service.run import ServiceFolder
from webkeep.service.store import CollectionStore, JobStore, ScheduleStore, WatchStore, open_service_database
from webkeep.url import parse_seed

DEFAULT_COLLECTION = "main"
"""Where seeds go where nobody said."""


@dataclass(frozen=True, slots=True)
class OpenStores:
    """What a command reads and changes of a service."""

    folder: ServiceFolder
    jobs: JobStore
    collections: CollectionStore
    schedules: ScheduleStore
    watches: WatchStore
    now: Moment


def add_store_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which service is meant."""
    parser.add_argument("folder", type=_parse_place, metavar="SERVICE", help="the folder of the service; or the "
                        "address of one that is elsewhere, such as https://archive.example/")  # fmt: skip
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="of a service that is elsewhere: a file with "
                        "your API token, which may stand in WEBKEEP_TOKEN as well")  # fmt: skip
    add_database_option(parser)


def _parse_place(text: str) -> Path | str:
    """A folder, or the address of a service."""
    return text if text.startswith(("https://", "http://")) else Path(text)


def add_collection_option(parser: argparse.ArgumentParser) -> None:
    """Declare which collection is meant."""
    parser.add_argument(
        "--collection", default=DEFAULT_COLLECTION, metavar="NAME", help=f"the collection ({DEFAULT_COLLECTION})"
    )


@contextmanager
def open_stores(args: argparse.Namespace, create: bool = False) -> Iterator[OpenStores]:
    """The stores of a service, whether or not it runs."""
    folder = ServiceFolder(args.folder.absolute())
    if create:
        folder.create()
    elif not folder.is_there():
        raise UsageError(
            f"{args.folder} is no folder of a service; webkeep job collection {args.folder} NAME begins one"
        )
    database = open_service_database(folder.database_path, args.store_address)
    try:
        stores = (JobStore(database), CollectionStore(database), ScheduleStore(database), WatchStore(database))
        yield OpenStores(folder, *stores, SystemClock().now())
    finally:
        database.close()


def find_seed(stores: OpenStores, collection: str, text: str) -> CollectionSeed:
    """The seed of a collection that a person names."""
    seed = stores.collections.find_seed(collection, parse_seed(text))
    if seed is None:
        raise UsageError(f"{text[:200]} is no seed of {collection}; take it in with webkeep job submit or seeds")
    return seed


def job_facts(job: Job) -> dict[str, object]:
    """What programs are told of a job."""
    return {
        "job": job.id,
        "collection": job.order.collection,
        "archive": job.order.archive,
        "kind": job.order.kind.value,
        "state": job.state.value,
        "wish": None if job.wish is None else job.wish.value,
        "priority": job.order.priority,
        "attempts": job.attempts,
        "created": job.created.iso(),
        "started": moment_fact(job.started),
        "ended": moment_fact(job.ended),
        "exit": job.exit_code,
        "message": job.message,
        "plan": dict(job.order.plan),
        "summary": dict(job.summary),
    }


def describe_job(job: Job) -> str:
    """A job as people are told of it."""
    return f"job {job.id} is {describe_state(job)}"


def describe_state(job: Job) -> str:
    """The state of a job, what was asked of it, and why it is so."""
    wish = f", asked to {job.wish.value}" if job.wish else ""
    why = f": {job.message}" if job.message else ""
    return f"{job.state.value}{wish}{why}"
