"""`webkeep record`: archive what a person or a program does on the web, as it happens."""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import socket
from contextlib import AsyncExitStack, ExitStack, suppress
from pathlib import Path

from webkeep.browser.account import NO_SANDBOX
from webkeep.cli import measure
from webkeep.cli.findings import FindingLines
from webkeep.cli.output import Output
from webkeep.cli.record_board import RecordBoard
from webkeep.cli.record_browser import opened, without_own_affairs
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.cli.trust_advice import advice
from webkeep.clock import SystemClock
from webkeep.crawl.plan_files import authorities_of
from webkeep.crawl.record_plan import RecordPlan, opened_to
from webkeep.crawl.record_session import Recorded
from webkeep.crawl.recording import recording
from webkeep.errors import RemoteError, UsageError
from webkeep.fetch.proxy import parse_proxy
from webkeep.fetch.recording import Authority, TunnelRule, listening
from webkeep.fetch.settings import checked_resolve
from webkeep.frontier.policy import RobotsMode
from webkeep.model import Outcome
from webkeep.process.interrupts import heeded
from webkeep.redaction import NO_REDACTION, RedactionRules
from webkeep.store.writable import WritableArchive
from webkeep.url import exclude, include, parse_seed, split

_PORT = 8090
_LONGEST_DELAY = 3600


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add = parser.add_argument
    add("--into", type=Path, metavar="ARCHIVE", help="the folder of the archive; made if it is not there")
    add("--open", metavar="URL", help="start Chromium with a fresh profile; closing it ends the recording")
    add("--browser-program", metavar="PROGRAM", default="", help="which Chromium to start, if not the usual one")
    add("--browser", dest="browser_program", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    add("--headless", action="store_true", help="start Chromium without a window; Ctrl-C ends it")
    add("--port", type=int, default=_PORT, metavar="N", help=f"where to listen ({_PORT}); 0 for any free port")
    add("--host", default="127.0.0.1", metavar="ADDRESS", help="where to listen; anything but loopback lets others in")
    add(
        "--include",
        dest="rules",
        type=include,
        action="append",
        metavar="RULE",
        help="record what this rule describes, such as '*.pdf'",
    )
    add(
        "--exclude",
        dest="rules",
        type=exclude,
        action="append",
        metavar="RULE",
        help="pass on unrecorded what this rule describes",
    )
    add("--redact", action="append", default=[], metavar="RULE", help="also redact this, such as header:NAME")
    add("--keep", action="append", default=[], metavar="RULE", help="do not redact this one")
    add("--no-redact", action="store_true", help="record everything, passwords and cookies included")
    add("--private", action="store_true", help="let clients go to private addresses")
    add(
        "--tunnels",
        type=TunnelRule,
        choices=list(TunnelRule),
        default=TunnelRule.REFUSE,
        help="what to do with what is not HTTP (refuse)",
    )
    add(
        "--robots",
        type=RobotsMode,
        choices=list(RobotsMode),
        default=RobotsMode.IGNORE,
        help="whether robots.txt is heeded (ignore)",
    )
    add("--delay", type=float, default=0.0, metavar="SECONDS", help="between two requests to one host (0)")
    add("--best-effort", action="store_true", help="go on serving clients where nothing can be recorded any more")
    add(
        "--resolve",
        type=checked_resolve,
        action="append",
        default=[],
        metavar="HOST:PORT:ADDRESS",
        help="HOST:PORT is at ADDRESS, as in curl",
    )
    add("--proxy", default="", metavar="URL", help="go out through another proxy")
    add("--insecure", action="store_true", help="pass servers with invalid certificates, and record that")
    add("--ca", default="", metavar="FILE", help="trust servers by the certificate authorities in this file instead")
    add("--certificate-authorities", dest="ca", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    add("--authority", type=Path, metavar="DIR", help="where our own certificate authority is kept")
    add(
        "--trust", action="store_true", help="explain how browsers and systems are told to trust it, and how to undo it"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Record until the browser is closed, or until Ctrl-C."""
    folder = args.authority or _data_folder() / "authority"
    if args.trust:
        authority = Authority(folder, SystemClock())
        text = advice(authority.certificate_path)
        for line in text.splitlines():
            out.line(line)
        out.summary({"certificate": str(authority.certificate_path), "advice": text})
        return DONE
    plan, seed = _plan(args, folder)
    _raise_file_limit()
    with ExitStack() as stack:
        sockets = [stack.enter_context(each) for each in listening(plan.host, plan.port)]
        archive = stack.enter_context(WritableArchive.open_or_create(args.into))
        FindingLines(out).tell_all(archive.recovered)
        if seed and os.geteuid() == 0:
            out.note(NO_SANDBOX)
        recorded, is_kept = asyncio.run(_record(args, plan, seed, archive, RecordBoard(out), sockets))
    out.status("")
    out.summary({"archive": str(args.into), **_facts(recorded)}, _outcome(recorded))
    if not is_kept:
        return UNFINISHED
    return FINDINGS if recorded.counts[Outcome.FAILED] or recorded.unread else DONE


def _plan(args: argparse.Namespace, folder: Path) -> tuple[RecordPlan, str]:
    if args.into is None:
        raise UsageError("nowhere to record into; name an archive with --into ARCHIVE")
    parent = args.into.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"there is no directory {parent} to make the archive {args.into.name} in; make it first")
    if not 0 <= args.port < 65536:
        raise UsageError(f"--port cannot be {args.port}; choose one up to 65535, or 0 for any")
    if not 0 <= args.delay <= _LONGEST_DELAY:
        raise UsageError(f"--delay cannot be {args.delay:g}; choose up to {_LONGEST_DELAY} seconds")
    if args.proxy:
        parse_proxy(args.proxy)
    if args.ca:
        _check_authorities(args.ca)
    if not args.open and (args.headless or args.browser_program):
        raise UsageError("--headless and --browser-program are about the browser that --open URL starts; name a URL")
    seed = parse_seed(args.open) if args.open else ""
    plan = RecordPlan(
        folder,
        args.host,
        args.port,
        tuple(args.rules or ()),
        NO_REDACTION if args.no_redact else RedactionRules(added=tuple(args.redact), kept=tuple(args.keep)),
        args.private,
        best_effort=args.best_effort,
        tunnels=args.tunnels,
        robots=args.robots,
        delay=args.delay,
        resolve=tuple(args.resolve),
        proxy=args.proxy,
        insecure=args.insecure,
        certificate_authorities=args.ca,
        hook=without_own_affairs if seed else None,
    )
    named = [":".join(each.split(":")[:2]) for each in args.resolve]
    return opened_to(plan, *named, *([_place(seed)] if seed else [])), seed


def _check_authorities(file: str) -> None:
    try:
        authorities_of(file)
    except ValueError as error:
        raise UsageError(f"--ca {file}: {error}") from error


def _place(url: str) -> str:
    parts = split(url)
    host, port = parts.host, parts.port
    return f"{host}:{port or (443 if url.startswith('https:') else 80)}"


async def _record(
    args: argparse.Namespace,
    plan: RecordPlan,
    seed: str,
    archive: WritableArchive,
    board: RecordBoard,
    sockets: list[socket.socket],
) -> tuple[Recorded, bool]:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        stack.enter_context(heeded(stopped.set))
        proxy, session = await stack.enter_async_context(
            recording(plan, archive, board, (seed,) if seed else (), sockets)
        )
        board.explain(plan, proxy.authority.certificate_path, seed)
        waits: list[asyncio.Task[bool]] = [loop.create_task(_told(stopped))]
        if not plan.best_effort:
            waits.append(loop.create_task(_told(session.failed)))
        if seed:
            stack.push_async_callback(_cancelled, waits)
            browser = await stack.enter_async_context(opened(args.browser_program, seed, proxy, args.headless))
            waits.append(loop.create_task(_exit_of(browser)))
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        await _cancelled(waits)
        if seed and browser.returncode and not session.recorded.counts:
            advice = "start it by hand to see why, or add --headless where there is no screen"
            raise RemoteError(f"the browser ended at once with {browser.returncode}; {advice}")
    return session.recorded, session.failure is None


async def _told(event: asyncio.Event) -> bool:
    return await event.wait()


async def _exit_of(browser: asyncio.subprocess.Process) -> bool:
    await browser.wait()
    return True


async def _cancelled(tasks: list[asyncio.Task[bool]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _data_folder() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "webkeep"


def _raise_file_limit() -> None:
    """Every client and every server takes a descriptor, and the usual limit is low."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # then it stays as it is
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _facts(recorded: Recorded) -> dict[str, object]:
    counts = recorded.counts
    return {
        "capture": recorded.capture,
        "stored": counts[Outcome.STORED],
        "duplicates": counts[Outcome.DUPLICATE],
        "failed": counts[Outcome.FAILED],
        "refused": counts[Outcome.REFUSED],
        "cut": counts[Outcome.CUT],
        "left_out": counts[Outcome.OUT_OF_SCOPE],
        "taken_down": counts[Outcome.TAKEN_DOWN],
        "bytes": recorded.bytes,
        "seconds": round(recorded.seconds, 3),
        "pages": [{"url": page.url, "moment": page.moment.iso(), "title": page.title} for page in recorded.pages],
        "sockets": recorded.sockets,
        "redactions": recorded.redactions,
        "unread": recorded.unread,
        "gaps": recorded.gaps,
        "gap_reason": recorded.gap_reason,
    }


def _outcome(recorded: Recorded) -> str:
    counts = recorded.counts
    told = [f"recorded {measure.counted(counts[Outcome.STORED] + counts[Outcome.DUPLICATE], 'exchange')}"]
    told += [measure.counted(len(recorded.pages), "page")] if recorded.pages else []
    told += [f"{counts[outcome]:,} {words}" for outcome, words in _WORDS.items() if counts[outcome]]
    told += [f"{recorded.redactions:,} values redacted"] if recorded.redactions else []
    told += [f"{recorded.unread:,} request bodies left out unread"] if recorded.unread else []
    pace = f" ({measure.size(recorded.bytes)} in {measure.elapsed(recorded.seconds)})" if recorded.bytes else ""
    gap = f"; {recorded.gaps:,} not recorded: {recorded.gap_reason}" if recorded.gaps else ""
    return f"{', '.join(told)}{pace}{gap}"


_WORDS = {
    Outcome.FAILED: "failed",
    Outcome.REFUSED: "refused by webkeep",
    Outcome.CUT: "broken off by the client",
    Outcome.OUT_OF_SCOPE: "left out by rule",
    Outcome.TAKEN_DOWN: "taken down before and not recorded",
}
