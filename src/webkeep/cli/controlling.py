"""`webkeep control`: pause a running capture, let it go on, or change its pace and scope."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.facts import SHORT
from webkeep.cli.opening import opened
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE
from webkeep.crawl.control import Order, Word
from webkeep.crawl.jobs import job_of, unfinished
from webkeep.crawl.plan_values import seconds_of
from webkeep.errors import UsageError
from webkeep.url import exclude, include

NAME = "control"
HELP = "Steer a running capture: pause, resume, stop, status, or set its delay and scope."

_STATUS = "status"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE")
    parser.add_argument("order", choices=[*(each.value for each in Order), _STATUS])
    parser.add_argument("--capture", metavar="ID", help="which one, where several are under way")
    parser.add_argument("--delay", metavar="SECONDS", help="with set: the delay from now on")
    parser.add_argument("--include", action="append", default=[], metavar="RULE", help="with set: take in as well")
    parser.add_argument("--exclude", action="append", default=[], metavar="RULE", help="with set: leave out")


def run(args: argparse.Namespace, out: Output) -> int:
    """Leave a word for the capture, or tell how it is doing."""
    values = _values(args)
    with opened(args.archive, out) as archive:
        captures = [each for each in unfinished(archive) if job_of(archive, each).folder.is_dir()]
        meant = [each for each in captures if each.id.startswith(args.capture or "")]
        if not meant:
            raise UsageError(f"no capture is under way in {args.archive}; webkeep list shows its captures")
        capture, desk = meant[0], job_of(archive, meant[0]).desk
    facts: dict[str, object] = {"archive": str(args.archive), "capture": capture.id, "order": args.order}
    if args.order == _STATUS:
        state = desk.state()
        counts = ", ".join(f"{count:,} {name}" for name, count in state.get("counts", {}).items() if count)
        paused = "paused" if state.get("paused") else "running"
        out.summary(
            {**facts, "state": state}, f"capture {capture.id[:SHORT]}: {paused}; {counts or 'nothing told yet'}"
        )
        return DONE
    desk.leave(Word(Order(args.order), values))
    out.summary({**facts, "values": values}, f"told capture {capture.id[:SHORT]} to {args.order}")
    return DONE


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
