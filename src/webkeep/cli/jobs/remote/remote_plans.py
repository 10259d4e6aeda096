"""Schedules and watches of a service that is elsewhere: added, deleted, listed."""

from __future__ import annotations

import argparse
from typing import Any

from webkeep.api import read_plan_file
from webkeep.cli.jobs.remote.service_client import ServiceClient, quote_name
from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns
from webkeep.cli.subcommand import DONE
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.presentation import format_count, format_moment
from webkeep.service.watches import WatchKind

_WATCH_OPTIONS = ("scope", "depth")
"""What the plan of a watch may say there."""


def change_schedules(args: argparse.Namespace, client: ServiceClient, out: Output) -> int:
    """Add a schedule, delete one, or list them."""
    path = f"/collections/{quote_name(args.collection)}/schedules"
    if args.delete:
        client.send("POST", f"{path}/{quote_name(args.delete)}", {"action": "delete"})
        out.summary({"schedule": args.delete, "deleted": True}, f"schedule {args.delete} is gone")
        return DONE
    known = client.get(path)["schedules"]
    before = {each["id"] for each in known}
    if not args.times:
        return _list_schedules(args.collection, known, out)
    order = {"times": args.times, "seed": args.seed or "", "zone": args.zone, "jitter": args.jitter,
             "blackouts": args.blackout, "until": args.until or "", "overlap": args.overlap}  # fmt: skip
    after = client.send("POST", path, order)["schedules"]
    made = next((each for each in after if each["id"] not in before), after[-1])
    facts = {"schedule": made["id"], "collection": args.collection, "next": made["next"]}
    out.summary(facts, f"schedule {made['id']}: next at {_moment(made['next'])} (UTC)")
    return DONE


def _list_schedules(name: str, listed: list[Any], out: Output) -> int:
    table = PrintedTable(build_columns("schedule", "times", "zone", "next (UTC)", "last (UTC)"), out.line)
    for each in listed:
        told = "off" if each["is_off"] else _moment(each["next"])
        table.add_row(each["id"], each["times"], each["zone"], told, _moment(each["last"]))
        out.event("schedule", schedule=each["id"], seed=each["seed"] or "all", next=each["next"], last=each["last"],
                  is_off=each["is_off"])  # fmt: skip
    table.finish()
    out.summary({"collection": name, "listed": len(listed)}, format_count(len(listed), "schedule"))
    return DONE


def change_watches(args: argparse.Namespace, client: ServiceClient, out: Output) -> int:
    """Begin to watch, end that, or list what is watched."""
    path = f"/collections/{quote_name(args.collection)}/watches"
    if args.delete:
        client.send("POST", f"{path}/{quote_name(args.delete)}", {"action": "delete"})
        out.summary({"watch": args.delete, "deleted": True}, f"watch {args.delete} is gone")
        return DONE
    known = client.get(path)["watches"]
    kinds = {WatchKind.FEED: args.feed, WatchKind.SITEMAP: args.sitemap, WatchKind.OAI_PMH: args.oai_pmh}
    given = next(((kind, url) for kind, url in kinds.items() if url), None)
    if given is None:
        return _list_watches(args.collection, known, out)
    order = {"kind": given[0].value, "url": given[1], "poll": args.poll, "present": args.present, **_read_plan(args)}
    after, before = client.send("POST", path, order)["watches"], {each["id"] for each in known}
    made = next((each for each in after if each["id"] not in before), after[-1])
    facts = {"watch": made["id"], "collection": args.collection}
    out.summary(facts, f"watch {made['id']}: {made['url']} is looked at")
    return DONE


def _read_plan(args: argparse.Namespace) -> dict[str, object]:
    plan = read_plan_file(args.plan) if args.plan else {}
    unknown = sorted(plan.keys() - set(_WATCH_OPTIONS))
    if unknown:
        raise UsageError(f"a watch of a service that is elsewhere has no {unknown[0]}; say scope and depth alone")
    return {name: str(value) for name, value in plan.items()}


def _list_watches(name: str, listed: list[Any], out: Output) -> int:
    table = PrintedTable(build_columns("watch", "kind", "url", "next (UTC)", "trouble"), out.line)
    for each in listed:
        told = "off" if each["is_off"] else _moment(each["next_look"])
        table.add_row(each["id"], each["kind"], each["url"], told, each["trouble"])
        out.event("watch", watch=each["id"], kind=each["kind"], url=each["url"], trouble=each["trouble"])
    table.finish()
    out.summary({"collection": name, "listed": len(listed)}, format_count(len(listed), "watch", "watches"))
    return DONE


def _moment(text: str | None) -> str:
    return format_moment(Moment.parse(text)) if text else ""
