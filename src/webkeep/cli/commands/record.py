"""`webkeep record`: archive what a person or a program does on the web, as it happens: its options, what ends a
recording, the summary, and the exit code.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import socket
from contextlib import AsyncExitStack, ExitStack, suppress
from pathlib import Path
from typing import Any

from webkeep.browser.process import NO_SANDBOX_WARNING
from webkeep.cli.options.plan_defaults import default_of
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.output.trust_advice import trust_advice
from webkeep.cli.progress.recording_view import RecordingProgressView
from webkeep.cli.recording_browser import open_browser, refuse_own_requests
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.clock import SystemClock
from webkeep.crawl.plan import check_authorities_file
from webkeep.crawl.recording import RecordingPlan, RecordingResult, open_private_hosts, open_recording
from webkeep.errors import RemoteError, UsageError
from webkeep.fetch import parse_proxy, parse_resolve
from webkeep.fetch.proxy import CertificateAuthority, TunnelRule, open_listeners
from webkeep.frontier.policy import RobotsMode
from webkeep.model import UrlOutcome
from webkeep.presentation import format_count, format_elapsed, format_size
from webkeep.process import call_on_signals
from webkeep.redaction import NO_REDACTION, RedactionRules
from webkeep.store.archive import WritableArchive
from webkeep.url import parse_seed, split_url
from webkeep.url.scope import exclude_rule, include_rule

_MAX_DELAY_SECONDS = 3600
"""An hour between two requests is a slip, not politeness."""


def _default(name: str) -> Any:
    return default_of(RecordingPlan, name)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add = parser.add_argument
    add("--into", type=Path, metavar="ARCHIVE", help="the folder of the archive; made if it is not there")
    add("--open", metavar="URL", help="start Chromium with a fresh profile; closing it ends the recording")
    add("--browser-program", metavar="PROGRAM", default="", help="which Chromium to start, if not the usual one")
    add("--browser", dest="browser_program", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    add("--headless", action="store_true", help="start Chromium without a window; Ctrl-C ends it")
    add(
        "--port",
        type=int,
        default=_default("port"),
        metavar="N",
        help=f"where to listen ({_default('port')}); 0 for any free port",
    )
    add(
        "--host",
        default=_default("host"),
        metavar="ADDRESS",
        help="where to listen; anything but loopback lets others in",
    )
    add(
        "--include",
        dest="rules",
        type=include_rule,
        action="append",
        metavar="RULE",
        help="record what this rule describes, such as '*.pdf'",
    )
    add(
        "--exclude",
        dest="rules",
        type=exclude_rule,
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
        default=_default("tunnels"),
        help=f"what to do with what is not HTTP ({_default('tunnels')})",
    )
    add(
        "--robots",
        type=RobotsMode,
        choices=list(RobotsMode),
        default=_default("robots"),
        help=f"whether robots.txt is obeyed ({_default('robots')})",
    )
    add(
        "--delay",
        type=float,
        default=_default("delay"),
        metavar="SECONDS",
        help=f"between two requests to one host ({_default('delay'):g})",
    )
    add("--best-effort", action="store_true", help="go on serving clients where nothing can be recorded any more")
    add(
        "--resolve",
        type=parse_resolve,
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
        authority = CertificateAuthority(folder, SystemClock())
        text = trust_advice(authority.certificate_path)
        for line in text.splitlines():
            out.line(line)
        out.summary({"certificate": str(authority.certificate_path), "advice": text})
        return DONE
    plan, seed = _build_plan(args, folder)
    _raise_file_limit()
    with ExitStack() as stack:
        sockets = [stack.enter_context(each) for each in open_listeners(plan.host, plan.port)]
        archive = stack.enter_context(WritableArchive.open_or_create(args.into))
        FindingPrinter(out).print_findings(archive.repair_findings)
        if seed and os.geteuid() == 0:
            out.note(NO_SANDBOX_WARNING)
        recorded, is_kept = asyncio.run(_record(args, plan, seed, archive, RecordingProgressView(out), sockets))
    out.status("")
    out.summary({"archive": str(args.into), **_recording_facts(recorded)}, _recording_words(recorded))
    if not is_kept:
        return UNFINISHED
    return FINDINGS if recorded.counts[UrlOutcome.FAILED] or recorded.unread else DONE


def _build_plan(args: argparse.Namespace, folder: Path) -> tuple[RecordingPlan, str]:
    if args.into is None:
        raise UsageError("nowhere to record into; name an archive with --into ARCHIVE")
    parent = args.into.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"there is no directory {parent} to make the archive {args.into.name} in; make it first")
    if not 0 <= args.port < 65536:
        raise UsageError(f"--port cannot be {args.port}; choose one up to 65535, or 0 for any")
    if not 0 <= args.delay <= _MAX_DELAY_SECONDS:
        raise UsageError(f"--delay cannot be {args.delay:g}; choose up to {_MAX_DELAY_SECONDS} seconds")
    if args.proxy:
        parse_proxy(args.proxy)
    if args.ca:
        _check_authorities(args.ca)
    if not args.open and (args.headless or args.browser_program):
        raise UsageError("--headless and --browser-program are about the browser that --open URL starts; name a URL")
    seed = parse_seed(args.open) if args.open else ""
    plan = RecordingPlan(
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
        hook=refuse_own_requests if seed else None,
    )
    named = [":".join(each.split(":")[:2]) for each in args.resolve]
    return open_private_hosts(plan, *named, *([_host_and_port(seed)] if seed else [])), seed


def _check_authorities(file: str) -> None:
    try:
        check_authorities_file(file)
    except ValueError as error:
        raise UsageError(f"--ca {file}: {error}") from error


def _host_and_port(url: str) -> str:
    parts = split_url(url)
    host, port = parts.host, parts.port
    return f"{host}:{port or (443 if url.startswith('https:') else 80)}"


async def _record(
    args: argparse.Namespace,
    plan: RecordingPlan,
    seed: str,
    archive: WritableArchive,
    view: RecordingProgressView,
    sockets: list[socket.socket],
) -> tuple[RecordingResult, bool]:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        stack.enter_context(call_on_signals(stopped.set))
        proxy, session = await stack.enter_async_context(
            open_recording(plan, archive, view, (seed,) if seed else (), sockets)
        )
        view.print_instructions(plan, proxy.authority.certificate_path, seed)
        waits: list[asyncio.Task[bool]] = [loop.create_task(_wait_for_event(stopped))]
        if not plan.best_effort:
            waits.append(loop.create_task(_wait_for_event(session.failed_event)))
        if seed:
            stack.push_async_callback(_cancel_tasks, waits)
            browser = await stack.enter_async_context(open_browser(args.browser_program, seed, proxy, args.headless))
            waits.append(loop.create_task(_wait_for_exit(browser)))
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        await _cancel_tasks(waits)
        if seed and browser.returncode and not session.result.counts:
            advice = "start it by hand to see why, or add --headless where there is no screen"
            raise RemoteError(f"the browser ended at once with {browser.returncode}; {advice}")
    return session.result, session.failure is None


async def _wait_for_event(event: asyncio.Event) -> bool:
    return await event.wait()


async def _wait_for_exit(browser: asyncio.subprocess.Process) -> bool:
    await browser.wait()
    return True


async def _cancel_tasks(tasks: list[asyncio.Task[bool]]) -> None:
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


def _recording_facts(recorded: RecordingResult) -> dict[str, object]:
    counts = recorded.counts
    return {
        "capture": recorded.capture,
        "stored": counts[UrlOutcome.STORED],
        "duplicates": counts[UrlOutcome.DUPLICATE],
        "failed": counts[UrlOutcome.FAILED],
        "refused": counts[UrlOutcome.REFUSED],
        "cut": counts[UrlOutcome.CUT],
        "left_out": counts[UrlOutcome.OUT_OF_SCOPE],
        "taken_down": counts[UrlOutcome.TAKEN_DOWN],
        "bytes": recorded.bytes,
        "seconds": round(recorded.seconds, 3),
        "pages": [{"url": page.url, "moment": page.moment.iso(), "title": page.title} for page in recorded.pages],
        "sockets": recorded.sockets,
        "redactions": recorded.redactions,
        "unread": recorded.unread,
        "gaps": recorded.gaps,
        "gap_reason": recorded.gap_reason,
    }


def _recording_words(recorded: RecordingResult) -> str:
    counts = recorded.counts
    told = [f"recorded {format_count(counts[UrlOutcome.STORED] + counts[UrlOutcome.DUPLICATE], 'exchange')}"]
    told += [format_count(len(recorded.pages), "page")] if recorded.pages else []
    told += [f"{counts[outcome]:,} {words}" for outcome, words in _OUTCOME_WORDS.items() if counts[outcome]]
    told += [f"{recorded.redactions:,} values redacted"] if recorded.redactions else []
    told += [f"{recorded.unread:,} request bodies left out unread"] if recorded.unread else []
    pace = f" ({format_size(recorded.bytes)} in {format_elapsed(recorded.seconds)})" if recorded.bytes else ""
    gap = f"; {recorded.gaps:,} not recorded: {recorded.gap_reason}" if recorded.gaps else ""
    return f"{', '.join(told)}{pace}{gap}"


_OUTCOME_WORDS = {
    UrlOutcome.FAILED: "failed",
    UrlOutcome.REFUSED: "refused by webkeep",
    UrlOutcome.CUT: "broken off by the client",
    UrlOutcome.OUT_OF_SCOPE: "left out by rule",
    UrlOutcome.TAKEN_DOWN: "taken down before and not recorded",
}
