"""`webkeep control`: pause a running capture, let it go on, or change its pace and scope."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from webkeep.cli.facts import SHORT
from webkeep.cli.opening import opened
from webkeep.cli.outcome_words import outcome_counts
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE
from webkeep.crawl.control import ControlDesk, Order, Word
from webkeep.crawl.jobs import job_of, unfinished
from webkeep.crawl.plan_readers import seconds_of
from webkeep.errors import UsageError
from webkeep.model import Capture, Outcome
from webkeep.store.archive import Archive
from webkeep.url import exclude, include

_STATUS = "status"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument("order", choices=[*(each.value for each in Order), _STATUS])
    parser.add_argument("--capture", metavar="ID", help="which one, where several are under way")
    parser.add_argument("--delay", metavar="SECONDS", help="with set: the delay from now on")
    parser.add_argument("--include", action="append", default=[], metavar="RULE", help="with set: take in as well")
    parser.add_argument("--exclude", action="append", default=[], metavar="RULE", help="with set: leave out")


def run(args: argparse.Namespace, out: Output) -> int:
    """Leave a word for the capture, or tell how it is doing."""
    values = _values(args)
    with opened(args.archive, out) as archive:
        capture, desk = _meant(archive, args.capture or "")
    facts: dict[str, object] = {"archive": str(args.archive), "capture": capture.id, "order": args.order}
    named = f"capture {capture.id[:SHORT]}"
    if args.order == _STATUS:
        out.summary({**facts, "running": desk.is_heard, "state": desk.state()}, f"{named}: {_state_line(desk)}")
        return DONE
    if not desk.is_heard:
        advice = f"the same webkeep capture --into {args.archive} goes on with it"
        raise UsageError(f"{named} was stopped and nobody would hear it; {advice}")
    desk.leave(Word(Order(args.order), values))
    what = f" {_named(values)}" if values else ""
    out.summary({**facts, "values": values}, f"told {named} to {args.order}{what}")
    return DONE


def _meant(archive: Archive, prefix: str) -> tuple[Capture, ControlDesk]:
    """The capture under way that is meant: one that runs before one that was stopped."""
    jobs = [(each, job_of(archive, each)) for each in unfinished(archive) if each.id.startswith(prefix.lower())]
    found = [(capture, job.desk) for capture, job in jobs if job.folder.is_dir()]
    if not found:
        named = f"no capture that begins with {prefix!r}" if prefix else "no capture"
        raise UsageError(f"{named} is under way in {archive.path}; webkeep list {archive.path} shows its captures")
    return next((each for each in found if each[1].is_heard), found[0])


def _state_line(desk: ControlDesk) -> str:
    state = desk.state()
    counts = ", ".join(outcome_counts({Outcome(name): count for name, count in state.get("counts", {}).items()}))
    doing = "stopped" if not desk.is_heard else "paused" if state.get("paused") else "running"
    return f"{doing}; {counts or 'nothing found yet'}"


def _named(values: Mapping[str, object]) -> str:
    """What is set, in words."""
    parts = [f"the delay to {values['delay']:g} s"] if "delay" in values else []
    for name in ("include", "exclude"):
        parts += [f"--{name} '{text}'" for text in cast("list[str]", values.get(name, []))]
    return ", ".join(parts)


def _values(args: argparse.Namespace) -> dict[str, object]:
    values: dict[str, object] = {}
    if args.delay is not None:
        values["delay"] = seconds_of(args.delay)
    for text in args.include:
        include(text)
    for text in args.exclude:
        exclude(text)
    values |= {name: getattr(args, name) for name in ("include", "exclude") if getattr(args, name)}
    if values and args.order != Order.SET:
        raise UsageError(f"--{next(iter(values))} goes with set; write webkeep control ARCHIVE set --delay 2")
    if not values and args.order == Order.SET:
        raise UsageError("nothing to set; add --delay, --include or --exclude")
    return values
