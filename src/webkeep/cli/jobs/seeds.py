"""`webkeep job seeds`: seeds taken into a collection out of files, or listed; what is told of lines that are broken."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from webkeep.api import read_seeds
from webkeep.cli.jobs.service_opening import (
    OpenStores,
    add_collection_option,
    add_store_arguments,
    find_seed,
    open_stores,
)
from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.presentation import format_count
from webkeep.service.collections import RefusedLine, SeedEntry, read_outline, read_seed_table
from webkeep.service.jobs import Job
from webkeep.service.run import take_seeds_in

_MAX_OUTLINE_BYTES = 64 << 20
"""Of an outline, which is read whole: some hundred thousand feeds."""
_SEEDS_AT_ONCE = 500
"""Whose last jobs are asked for together: databases take no more than some thousand values."""
_MAX_LINES_TOLD = 20
"""Broken lines are told one by one up to this number; programs are told all."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_store_arguments(parser)
    add_collection_option(parser)
    parser.add_argument("--from", dest="sources", action="append", default=[], metavar="FILE", help="a table (.csv), "
                        "an outline (.opml), a sitemap, a feed, a list of URLs, or an archive; without it, seeds are "
                        "listed")  # fmt: skip
    parser.add_argument("--delete", metavar="URL", help="capture a seed no more; what was captured of it stays")


def run(args: argparse.Namespace, out: Output) -> int:
    """Take seeds in, or list them."""
    with open_stores(args) as stores:
        if args.delete:
            seed = find_seed(stores, args.collection, args.delete)
            stores.collections.delete_seed(seed)
            out.summary({"collection": args.collection, "deleted": seed.url}, f"{seed.url} is captured no more")
            return DONE
        if not args.sources:
            return _list_seeds(stores, args.collection, out)
        stores.collections.get(args.collection)
        read, refused = read_sources(args.sources, out.note)
        entries = [entry for _, entry in read]
        added = take_seeds_in(stores.collections, stores.schedules, args.collection, entries, stores.now)
    return report_seeds(args.collection, len(added), len(entries) - len(added), refused, out)


def read_sources(
    sources: Sequence[str], tell: Callable[[str], None]
) -> tuple[list[tuple[str, SeedEntry]], list[tuple[str, RefusedLine]]]:
    """The seeds of some files, and the lines that are none; each with its file."""
    entries: list[tuple[str, SeedEntry]] = []
    refused: list[tuple[str, RefusedLine]] = []
    for source in sources:
        for found in _read_source(source, tell):
            if isinstance(found, RefusedLine):
                refused.append((source, found))
            else:
                entries.append((source, found))
    return entries, refused


def _read_source(source: str, tell: Callable[[str], None]) -> Iterator[SeedEntry | RefusedLine]:
    path = Path(source)
    kind = path.suffix.lower()
    if kind not in (".csv", ".tsv", ".opml"):
        yield from (SeedEntry(url) for url in read_seeds(source, tell))
        return
    try:
        with path.open("rb") as stream:
            if kind == ".opml":
                yield from read_outline(stream.read(_MAX_OUTLINE_BYTES).decode("utf-8", "replace"))
            else:
                yield from read_seed_table(line.decode("utf-8", "replace") for line in stream)
    except OSError as error:
        raise UsageError(f"cannot read seeds from {path} ({error.strerror}); give a file that is there") from error


def report_seeds(name: str, added: int, known: int, refused: list[tuple[str, RefusedLine]], out: Output) -> int:
    """Say how many seeds were taken in, and what is wrong with the lines that are none."""
    for number, (source, line) in enumerate(refused):
        out.event("refused", source=source, line=line.number, reason=line.reason)
        if number < _MAX_LINES_TOLD:
            out.note(f"{source}, line {line.number}: {line.reason}")
    if len(refused) > _MAX_LINES_TOLD:
        out.note(f"and {len(refused) - _MAX_LINES_TOLD:,} further lines; --json tells them all")
    facts = {"collection": name, "added": added, "known": known, "refused": len(refused)}
    rest = f", {known:,} were there" if known else ""
    wrong = f", {format_count(len(refused), 'line')} refused" if refused else ""
    out.summary(facts, f"{format_count(added, 'seed')} taken into {name}{rest}{wrong}")
    return FINDINGS if refused else DONE


def _list_seeds(stores: OpenStores, name: str, out: Output) -> int:
    stores.collections.get(name)
    table = PrintedTable(build_columns("seed", "archive", "last job", "settings", "notes"), out.line)
    seeds = stores.collections.seeds(name)
    latest: dict[str, Job] = {}
    for place, seed in enumerate(seeds):
        if place % _SEEDS_AT_ONCE == 0:
            latest = stores.jobs.latest_of([each.id for each in seeds[place : place + _SEEDS_AT_ONCE]])
        job = latest.get(seed.id)
        state = job.state.value if job else ""
        settings = " ".join(f"{key}={value}" for key, value in seed.settings.items())
        table.add_row(seed.url, seed.archive, state, settings, seed.notes)
        out.event(
            "seed", url=seed.url, archive=seed.archive, state=state, settings=dict(seed.settings), notes=seed.notes
        )
    table.finish()
    out.summary({"collection": name, "listed": len(seeds)}, format_count(len(seeds), "seed"))
    return DONE
