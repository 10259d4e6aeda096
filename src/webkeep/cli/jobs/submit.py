"""`webkeep job submit`: seeds captured as soon as it is their turn; new ones are taken into the collection."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from webkeep.api import read_plan_file
from webkeep.cli.jobs.service_opening import (
    OpenStores,
    add_collection_option,
    add_store_arguments,
    job_facts,
    open_stores,
)
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE
from webkeep.crawl.plan import parse_plan
from webkeep.errors import UsageError
from webkeep.presentation import format_count
from webkeep.service.collections import CollectionFacts, CollectionSeed, SeedEntry, check_no_password
from webkeep.service.run import submit_seeds


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_store_arguments(parser)
    parser.add_argument("seeds", nargs="*", metavar="SEED", help="what to capture; without any, all of the collection")
    add_collection_option(parser)
    parser.add_argument(
        "--plan", type=Path, metavar="FILE", help="what else holds for new seeds, in TOML, as of capture"
    )
    parser.add_argument("--priority", type=int, default=0, metavar="N", help="higher ones go first (0)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Enter a job for every seed."""
    settings = read_plan_file(args.plan) if args.plan else {}
    if "seeds" in settings:
        raise UsageError(f"{args.plan} names seeds; here they are named behind the folder")
    for text in args.seeds:
        check_no_password(text)
    urls = [parse_plan({**settings, "seeds": [text]}).seeds[0] for text in args.seeds]
    with open_stores(args, create=bool(urls)) as stores:
        if urls:
            _create_collection(stores, args.collection)
        else:
            stores.collections.get(args.collection)
        stores.collections.add_seeds(args.collection, [SeedEntry(url, settings) for url in urls], stores.now)
        for seed in _chosen_seeds(stores, args.collection, urls) if urls and settings else ():
            if seed.settings != settings:
                out.note(
                    f"{seed.url} was a seed before, and keeps its settings; delete it first for {args.plan} to hold"
                )
        jobs = submit_seeds(stores.jobs, _chosen_seeds(stores, args.collection, urls), stores.now, args.priority)
    if not jobs.added and not jobs.waiting:
        raise UsageError(f"{args.collection} has no seeds yet; name some, or take them in with webkeep job seeds")
    for job in jobs.added:
        out.event("job", **job_facts(job))
        out.line(f"job {job.id}: {job.order.plan['seeds'][0]}")
    if jobs.waiting:
        out.note(f"{format_count(len(jobs.waiting), 'job')} waited already to do the same")
    facts = {"collection": args.collection, "jobs": len(jobs.added), "waiting": len(jobs.waiting)}
    out.summary(facts, f"{format_count(len(jobs.added), 'job')} submitted")
    return DONE


def _create_collection(stores: OpenStores, name: str) -> None:
    if name not in {each.name for each in stores.collections.list_collections()}:
        stores.collections.create(CollectionFacts(name, name), stores.now)


def _chosen_seeds(stores: OpenStores, collection: str, urls: list[str]) -> Iterator[CollectionSeed]:
    if not urls:
        yield from stores.collections.seeds(collection)
        return
    for url in dict.fromkeys(urls):
        seed = stores.collections.find_seed(collection, url)
        if seed is not None:
            yield seed
