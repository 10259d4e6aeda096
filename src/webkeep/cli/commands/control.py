"""`webkeep control`: pause a running capture, let it go on, stop it, or change its pace and scope; which capture is
meant, which options go with set, and how a state is told.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from webkeep.cli.archive_opening import open_archive
from webkeep.cli.output.console import Output
from webkeep.cli.output.json_facts import SHORT_ID_CHARS
from webkeep.cli.output.outcome_words import describe_outcome_counts
from webkeep.cli.subcommand import DONE
from webkeep.crawl.plan import parse_seconds
from webkeep.crawl.run import ControlChannel, ControlCommand, ControlMessage, job_of, unfinished_captures
from webkeep.errors import UsageError
from webkeep.model import Capture, UrlOutcome
from webkeep.store.archive import Archive
from webkeep.url.scope import exclude_rule, include_rule

_STATUS = "status"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument("order", choices=[*(each.value for each in ControlCommand), _STATUS])
    parser.add_argument("--capture", metavar="ID", help="which one, where several are under way")
    parser.add_argument("--delay", metavar="SECONDS", help="with set: the delay from now on")
    parser.add_argument("--include", action="append", default=[], metavar="RULE", help="with set: take in as well")
    parser.add_argument("--exclude", action="append", default=[], metavar="RULE", help="with set: leave out")


def run(args: argparse.Namespace, out: Output) -> int:
    """Leave a word for the capture, or tell how it is doing."""
    values = _read_values(args)
    with open_archive(args.archive, out) as archive:
        capture, channel = _choose_capture(archive, args.capture or "")
    facts: dict[str, object] = {"archive": str(args.archive), "capture": capture.id, "order": args.order}
    named = f"capture {capture.id[:SHORT_ID_CHARS]}"
    if args.order == _STATUS:
        out.summary(
            {**facts, "running": channel.is_listening, "state": channel.read_state()},
            f"{named}: {_state_line(channel)}",
        )
        return DONE
    if not channel.is_listening:
        advice = f"the same webkeep capture --into {args.archive} goes on with it"
        raise UsageError(f"{named} was stopped and nobody would hear it; {advice}")
    channel.send(ControlMessage(ControlCommand(args.order), values))
    what = f" {_values_words(values)}" if values else ""
    out.summary({**facts, "values": values}, f"told {named} to {args.order}{what}")
    return DONE


def _choose_capture(archive: Archive, prefix: str) -> tuple[Capture, ControlChannel]:
    """The capture under way that is meant: one that runs before one that was stopped."""
    jobs = [
        (each, job_of(archive, each)) for each in unfinished_captures(archive) if each.id.startswith(prefix.lower())
    ]
    found = [(capture, job.control) for capture, job in jobs if job.folder.is_dir()]
    if not found:
        named = f"no capture that begins with {prefix!r}" if prefix else "no capture"
        raise UsageError(f"{named} is under way in {archive.path}; webkeep list {archive.path} shows its captures")
    return next((each for each in found if each[1].is_listening), found[0])


def _state_line(channel: ControlChannel) -> str:
    state = channel.read_state()
    counts = ", ".join(
        describe_outcome_counts({UrlOutcome(name): count for name, count in state.get("counts", {}).items()})
    )
    doing = "stopped" if not channel.is_listening else "paused" if state.get("paused") else "running"
    return f"{doing}; {counts or 'nothing found yet'}"


def _values_words(values: Mapping[str, object]) -> str:
    """What is set, in words."""
    parts = [f"the delay to {values['delay']:g} s"] if "delay" in values else []
    for name in ("include", "exclude"):
        parts += [f"--{name} '{text}'" for text in cast("list[str]", values.get(name, []))]
    return ", ".join(parts)


def _read_values(args: argparse.Namespace) -> dict[str, object]:
    values: dict[str, object] = {}
    if args.delay is not None:
        values["delay"] = parse_seconds(args.delay)
    for text in args.include:
        include_rule(text)
    for text in args.exclude:
        exclude_rule(text)
    values |= {name: getattr(args, name) for name in ("include", "exclude") if getattr(args, name)}
    if values and args.order != ControlCommand.SET:
        raise UsageError(f"--{next(iter(values))} goes with set; write webkeep control ARCHIVE set --delay 2")
    if not values and args.order == ControlCommand.SET:
        raise UsageError("nothing to set; add --delay, --include or --exclude")
    return values
