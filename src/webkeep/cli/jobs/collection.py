"""`webkeep job collection`: collections begun, changed, shown and listed."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from webkeep.cli.jobs.service_opening import OpenStores, add_store_arguments, open_stores
from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns, print_facts
from webkeep.cli.subcommand import DONE
from webkeep.crawl.plan import parse_size
from webkeep.presentation import format_count, format_share, format_size
from webkeep.service.collections import (
    DEFAULT_ARCHIVES,
    CollectionFacts,
    CollectionPurpose,
    CompletenessFigure,
)
from webkeep.service.run import measure_collections


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_store_arguments(parser)
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="in small letters, such as town-2026")
    for name, text in (
        ("--title", "what it is called"),
        ("--description", "what it is about"),
        ("--creator", "who makes it"),
        ("--rights", "what may be done with it"),
    ):
        parser.add_argument(name, metavar="TEXT", help=text)
    parser.add_argument("--subject", action="append", metavar="TEXT", help="a subject; several may be given")
    parser.add_argument("--purpose", choices=list(CollectionPurpose), help="extensive: as many entry points as there "
                        "are; intensive: as much as can be had of each (intensive)")  # fmt: skip
    parser.add_argument("--leave-out", action="append", metavar="NAME", help="another collection, whose pages are left "
                        "out; several may be given, and an empty NAME leaves out none any more")  # fmt: skip
    parser.add_argument("--archives", type=parse_whole_number, metavar="N", help="captures of it that run together, "
                        f"each into an archive of its own ({DEFAULT_ARCHIVES})")  # fmt: skip
    parser.add_argument("--quota", metavar="SIZE", help="what it may take of the disk, such as 50GB")


def run(args: argparse.Namespace, out: Output) -> int:
    """Begin, change or show a collection, or list them."""
    changes = _read_changes(args)
    with open_stores(args, create=bool(args.name)) as stores:
        if not args.name:
            return _list_collections(stores, out)
        known = {each.name: each for each in stores.collections.list_collections()}
        if args.name not in known:
            facts = CollectionFacts(args.name, **{"title": args.name, **changes})
            stores.collections.create(facts, stores.now)
        elif changes:
            facts = replace(known[args.name], **changes)
            stores.collections.update(facts)
        return _show(stores, stores.collections.get(args.name), out)


def _read_changes(args: argparse.Namespace) -> dict[str, Any]:
    given = {name: getattr(args, name) for name in ("title", "description", "creator", "rights", "archives")}
    given["subjects"] = None if args.subject is None else tuple(args.subject)
    given["left_out"] = None if args.leave_out is None else tuple(filter(None, args.leave_out))
    given["purpose"] = None if args.purpose is None else CollectionPurpose(args.purpose)
    given["quota"] = None if args.quota is None else parse_size(args.quota)
    return {name: value for name, value in given.items() if value is not None}


def _figure_of(stores: OpenStores, facts: CollectionFacts) -> tuple[int, CompletenessFigure]:
    return measure_collections(stores.collections, stores.jobs, [facts])[0]


def _describe_figure(figure: CompletenessFigure) -> str:
    is_extensive = figure.purpose is CollectionPurpose.EXTENSIVE
    what = "seeds" if is_extensive else "URLs found in scope"
    share = "" if figure.share is None else f"{format_share(figure.share)}, "
    missed = f"; {format_count(figure.seeds_missed, 'seed')} not captured"
    together = f"; {figure.together:,} of {figure.looked_at_twice:,} as of one moment" if figure.looked_at_twice else ""
    more = together if is_extensive or not figure.seeds_missed else f"{missed}{together}"
    return f"{share}{figure.held:,} of {figure.wanted:,} {what}{more}"


def _facts_values(stores: OpenStores, facts: CollectionFacts) -> dict[str, object]:
    seeds, figure = _figure_of(stores, facts)
    completeness = {"held": figure.held, "wanted": figure.wanted, "share": figure.share,
                    "together": figure.together, "looked_at_twice": figure.looked_at_twice,
                    "seeds_missed": figure.seeds_missed}  # fmt: skip
    said = {name: getattr(facts, name) for name in ("name", "title", "description", "creator", "rights", "quota")}
    folders = [str(stores.folder.archive(facts.name, f"archive-{number + 1}")) for number in range(facts.archives)]
    more = {
        "subjects": list(facts.subjects),
        "left_out": list(facts.left_out),
        "purpose": facts.purpose.value,
        "archives": folders,
        "seeds": seeds,
    }
    return {**said, **more, "completeness": completeness}


def _show(stores: OpenStores, facts: CollectionFacts, out: Output) -> int:
    seeds, figure = _figure_of(stores, facts)
    rows = [
        ("collection", facts.name),
        ("title", facts.title),
        ("description", facts.description),
        ("subjects", ", ".join(facts.subjects)),
        ("creator", facts.creator),
        ("rights", facts.rights),
        ("purpose", facts.purpose.value),
        ("left out", ", ".join(facts.left_out)),
        ("completeness", _describe_figure(figure)),
        ("quota", "" if facts.quota is None else format_size(facts.quota)),
        ("seeds", f"{seeds:,}"),
        ("archives", f"{facts.archives} below {stores.folder.collection(facts.name)}"),
    ]
    print_facts([row for row in rows if row[1]], out.line)
    out.summary(_facts_values(stores, facts))
    return DONE


def _list_collections(stores: OpenStores, out: Output) -> int:
    table = PrintedTable(build_columns("collection", "seeds>", "purpose", "completeness", "title"), out.line)
    listed = stores.collections.list_collections()
    for facts in listed:
        seeds, figure = _figure_of(stores, facts)
        table.add_row(facts.name, f"{seeds:,}", facts.purpose.value, _describe_figure(figure), facts.title)
        out.event("collection", **_facts_values(stores, facts))
    table.finish()
    out.summary({"listed": len(listed)}, format_count(len(listed), "collection"))
    return DONE
