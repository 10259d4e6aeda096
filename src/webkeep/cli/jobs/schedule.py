"""`webkeep job schedule`: seeds captured again and again, and the list of schedules."""

from __future__ import annotations

import argparse

from webkeep.cli.jobs.service_opening import (
    OpenStores,
    add_collection_option,
    add_store_arguments,
    find_seed,
    open_stores,
)
from webkeep.cli.output.console import Output
from webkeep.cli.output.json_facts import moment_fact
from webkeep.cli.output.table import PrintedTable, build_columns
from webkeep.cli.subcommand import DONE
from webkeep.errors import UsageError
from webkeep.presentation import format_count, format_moment
from webkeep.service.jobs import new_job_id
from webkeep.service.run import enter_schedule
from webkeep.service.schedules import (
    OverlapPolicy,
    WrittenSchedule,
    build_schedule,
    next_run,
    write_times,
)
from webkeep.service.store import StoredSchedule


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_store_arguments(parser)
    add_collection_option(parser)
    parser.add_argument("--seed", metavar="URL", help="one seed of the collection (all of them)")
    parser.add_argument("--times", metavar="TIMES", help="so often: every 6h; or cron: 30 2 * * mon-fri, @daily")
    parser.add_argument("--zone", default="UTC", metavar="ZONE", help="the time zone of cron, as Europe/Berlin (UTC)")
    parser.add_argument("--jitter", default="0", metavar="TIME", help="begin up to so much later, by chance (0)")
    parser.add_argument("--blackout", action="append", default=[], metavar="HOURS",
                        help="begin nothing then, as mon-fri 08:00-18:00")  # fmt: skip
    parser.add_argument("--until", metavar="MOMENT", help="the last run is not after that")
    parser.add_argument("--overlap", choices=list(OverlapPolicy), default=OverlapPolicy.SKIP.value,
                        help="where the run before is still under way: leave this one out, have it wait, or cancel "
                        "that one (skip)")  # fmt: skip
    parser.add_argument("--delete", metavar="ID", help="begin nothing by a schedule any more")


def run(args: argparse.Namespace, out: Output) -> int:
    """Enter a schedule, delete one, or list them."""
    with open_stores(args) as stores:
        stores.collections.get(args.collection)
        if args.delete:
            if not stores.schedules.delete(args.delete):
                raise UsageError(f"there is no schedule {args.delete[:40]!r}; without options they are listed")
            out.summary({"schedule": args.delete, "deleted": True}, f"schedule {args.delete} is gone")
            return DONE
        if not args.times:
            return _list_schedules(stores, args.collection, out)
        stored = _build_schedule(args, stores)
        enter_schedule(stores.schedules, stored)
        begins = stored.next.begins if stored.next else None
        facts = {"schedule": stored.schedule.id, "collection": args.collection, "next": moment_fact(begins)}
        out.summary(facts, f"schedule {stored.schedule.id}: next at {format_moment(begins)} (UTC)")
    return DONE


def _build_schedule(args: argparse.Namespace, stores: OpenStores) -> StoredSchedule:
    seed = find_seed(stores, args.collection, args.seed) if args.seed else None
    written = WrittenSchedule(args.times, args.zone, args.jitter, args.blackout, args.until or "", args.overlap)
    schedule = build_schedule(new_job_id(), written, stores.now)
    return StoredSchedule(schedule, args.collection, seed.id if seed else "", next=next_run(schedule, stores.now))


def _list_schedules(stores: OpenStores, name: str, out: Output) -> int:
    table = PrintedTable(build_columns("schedule", "seed", "times", "zone", "next (UTC)", "last (UTC)"), out.line)
    urls = {seed.id: seed.url for seed in stores.collections.seeds(name)}
    listed = stores.schedules.list_schedules(name)
    for stored in listed:
        schedule = stored.schedule
        begins, last = (stored.next.begins if stored.next else None), (stored.last.begins if stored.last else None)
        told = "off" if stored.is_off else format_moment(begins)
        seed = urls.get(stored.seed, "all")
        table.add_row(schedule.id, seed, write_times(schedule), schedule.zone, told, format_moment(last))
        out.event("schedule", schedule=schedule.id, seed=seed, next=moment_fact(begins), last=moment_fact(last),
                  is_off=stored.is_off)  # fmt: skip
    table.finish()
    out.summary({"collection": name, "listed": len(listed)}, format_count(len(listed), "schedule"))
    return DONE
