"""Collections and seeds of a service that is elsewhere: made, changed, taken in, listed, deleted."""

from __future__ import annotations

import argparse
from typing import Any

from webkeep.cli.jobs.remote.remote_jobs import find_seed
from webkeep.cli.jobs.remote.service_client import MissingError, ServiceClient, quote_name
from webkeep.cli.jobs.seeds import read_sources, report_seeds
from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns, print_facts
from webkeep.cli.subcommand import DONE
from webkeep.errors import UsageError
from webkeep.presentation import format_count, format_share, format_size
from webkeep.service.collections import CollectionPurpose, RefusedLine

_SEEDS_A_CALL = 1000
"""Some hundred kilobytes."""


def change_collection(args: argparse.Namespace, client: ServiceClient, out: Output) -> int:
    """Begin, change or show a collection, or list them."""
    if args.archives is not None:
        raise UsageError("how many archives a collection has is said at its folder; leave --archives out")
    if not args.name:
        return _list_collections(client, out)
    given = {name: getattr(args, name) for name in ("title", "description", "creator", "rights", "purpose", "quota")}
    given["subjects"] = args.subject
    given["left_out"] = None if args.leave_out is None else list(filter(None, args.leave_out))
    changes = {name: value for name, value in given.items() if value is not None}
    path = f"/collections/{quote_name(args.name)}"
    try:
        found = client.send("PATCH", path, changes) if changes else client.get(path)
    except MissingError:
        found = client.send("POST", "/collections", {"name": args.name, "title": args.name, **changes})
    print_facts([row for row in _fact_rows(found) if row[1]], out.line)
    out.summary(found)
    return DONE


def _fact_rows(found: Any) -> list[tuple[str, str]]:
    said = [(name, str(found[name])) for name in ("title", "description", "creator", "rights", "purpose")]
    return [
        ("collection", found["name"]),
        *said,
        ("subjects", ", ".join(found["subjects"])),
        ("left out", ", ".join(found["left_out"])),
        ("completeness", _describe_figure(found)),
        ("quota", "" if found["quota"] is None else format_size(found["quota"])),
        ("seeds", f"{found['seeds']:,}"),
    ]


def _describe_figure(found: Any) -> str:
    figure = found["completeness"]
    is_extensive = found["purpose"] == CollectionPurpose.EXTENSIVE.value
    what = "seeds" if is_extensive else "URLs found in scope"
    share = "" if figure["share"] is None else f"{format_share(figure['share'])}, "
    twice = figure["looked_at_twice"]
    together = f"; {figure['together']:,} of {twice:,} as of one moment" if twice else ""
    missed = f"; {format_count(figure['seeds_missed'], 'seed')} not captured" if figure["seeds_missed"] else ""
    return f"{share}{figure['held']:,} of {figure['wanted']:,} {what}{'' if is_extensive else missed}{together}"


def _list_collections(client: ServiceClient, out: Output) -> int:
    table = PrintedTable(build_columns("collection", "seeds>", "purpose", "completeness", "title"), out.line)
    listed = 0
    for each in client.list_pieces("/collections", "collections", {}):
        listed += 1
        table.add_row(each["name"], f"{each['seeds']:,}", each["purpose"], _describe_figure(each), each["title"])
        out.event("collection", **each)
    table.finish()
    out.summary({"listed": listed}, format_count(listed, "collection"))
    return DONE


def change_seeds(args: argparse.Namespace, client: ServiceClient, out: Output) -> int:
    """Take seeds in, delete one, or list them."""
    path = f"/collections/{quote_name(args.collection)}/seeds"
    if args.delete:
        seed = find_seed(client, args.collection, args.delete)
        client.send("DELETE", f"{path}/{seed['id']}")
        out.summary({"collection": args.collection, "deleted": seed["url"]}, f"{seed['url']} is captured no more")
        return DONE
    if not args.sources:
        return _list_seeds(args.collection, path, client, out)
    entries, refused = read_sources(args.sources, out.note)
    added = known = 0
    for start in range(0, len(entries), _SEEDS_A_CALL):
        piece = entries[start : start + _SEEDS_A_CALL]
        sent = [
            {"url": each.url, "settings": dict(each.settings), "notes": each.notes, "schedule": each.schedule}
            for _, each in piece
        ]
        taken = client.send("POST", path, {"seeds": sent})
        added, known = added + taken["added"], known + taken["known"]
        for line in taken["refused"]:
            source, entry = piece[line["number"] - 1]
            refused.append((source, RefusedLine(line["number"], f"{entry.url[:200]}: {line['reason']}")))
    return report_seeds(args.collection, added, known, refused, out)


def _list_seeds(name: str, path: str, client: ServiceClient, out: Output) -> int:
    table = PrintedTable(build_columns("seed", "archive", "last job", "settings", "notes"), out.line)
    listed = 0
    for seed in client.list_pieces(path, "seeds", {}):
        listed += 1
        settings = " ".join(f"{key}={value}" for key, value in seed["settings"].items())
        state = seed["last_state"] or ""
        table.add_row(seed["url"], seed["archive"], state, settings, seed["notes"])
        shown = {key: seed[key] for key in ("url", "archive", "settings", "notes")}
        out.event("seed", **shown, state=state)
    table.finish()
    out.summary({"collection": name, "listed": listed}, format_count(listed, "seed"))
    return DONE
