"""`webkeep record`: archive what a person or a program does on the web, as it happens: its options, its last word, and
the exit code.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from webkeep.api import (
    RecordingRequest,
    RecordingSummary,
    build_recording_request,
    default_authority,
    run_record,
)
from webkeep.cli.options.log_options import add_log_option
from webkeep.cli.options.plan_defaults import default_of
from webkeep.cli.output.console import Output
from webkeep.cli.output.trust_advice import trust_advice
from webkeep.cli.progress.recording_view import RecordingProgressView
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.clock import SystemClock
from webkeep.crawl.plan import read_login
from webkeep.crawl.recording import RecordingPlan
from webkeep.errors import UsageError
from webkeep.fetch import parse_resolve
from webkeep.fetch.proxy import CertificateAuthority, TunnelRule, parse_host_port
from webkeep.frontier.policy import RobotsMode
from webkeep.presentation import format_count, format_elapsed, format_size
from webkeep.redaction import NO_REDACTION, RedactionRules
from webkeep.url.scope import exclude_rule, include_rule


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
    add("--redact-login", type=Path, metavar="FOLDER",
        help="also redact what a saved login holds (webkeep login)")  # fmt: skip
    add("--no-redact", action="store_true", help="record everything, passwords and cookies included")
    add("--private", action="store_true", help="let clients go to private addresses")
    add("--private-host", dest="private_hosts", action="append", default=[], metavar="HOST:PORT",
        help="let clients go to this private address")  # fmt: skip
    add("--while", dest="lasting", type=Path, metavar="FILE",
        help="end when FILE is gone, or was not touched for a minute")  # fmt: skip
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
    add_log_option(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Record until the browser is closed, or until Ctrl-C."""
    if args.trust:
        return _print_trust_advice(args.authority or default_authority(), out)
    request, view = _build_request(args), RecordingProgressView(out)
    recorded = run_record(
        request,
        view,
        WorkView(out),
        lambda proxy: view.print_instructions(request.plan, proxy.authority.certificate_path, request.seed),
    )
    out.status("")
    out.summary(recorded.to_dict(), _recording_words(recorded))
    if not recorded.is_kept:
        return UNFINISHED
    return FINDINGS if recorded.failed or recorded.unread else DONE


def _print_trust_advice(folder: Path, out: Output) -> int:
    authority = CertificateAuthority(folder, SystemClock())
    text = trust_advice(authority.certificate_path)
    for line in text.splitlines():
        out.line(line)
    out.summary({"certificate": str(authority.certificate_path), "advice": text})
    return DONE


def _build_request(args: argparse.Namespace) -> RecordingRequest:
    if args.into is None:
        raise UsageError("nowhere to record into; name an archive with --into ARCHIVE")
    values = {
        "authority": args.authority,
        "host": args.host,
        "port": args.port,
        "rules": tuple(args.rules or ()),
        "redaction": (
            NO_REDACTION if args.no_redact else RedactionRules(added=tuple(args.redact), kept=tuple(args.keep))
        ),
        "secrets": tuple(read_login(args.redact_login).secrets()) if args.redact_login else (),
        "private": args.private,
        "private_hosts": frozenset(map(_check_host, args.private_hosts)),
        "best_effort": args.best_effort,
        "tunnels": args.tunnels,
        "robots": args.robots,
        "delay": args.delay,
        "resolve": args.resolve,
        "proxy": args.proxy,
        "insecure": args.insecure,
        "certificate_authorities": args.ca,
    }
    request = build_recording_request(args.into, values, args.open or "", args.browser_program, args.headless)
    return replace(request, keep_log=args.log, lasting=args.lasting)


def _check_host(text: str) -> str:
    if parse_host_port(text) is None:
        raise UsageError(f"not a host and its port: {text[:200]!r}; write --private-host intranet.example:443")
    return text.lower()


def _recording_words(recorded: RecordingSummary) -> str:
    told = [f"recorded {format_count(recorded.stored + recorded.duplicates, 'exchange')}"]
    told += [format_count(len(recorded.pages), "page")] if recorded.pages else []
    told += [f"{count:,} {words}" for name, words in _OUTCOME_WORDS.items() if (count := getattr(recorded, name))]
    told += [f"{recorded.redactions:,} values redacted"] if recorded.redactions else []
    told += [f"{recorded.unread:,} request bodies left out unread"] if recorded.unread else []
    pace = f" ({format_size(recorded.bytes)} in {format_elapsed(recorded.seconds)})" if recorded.bytes else ""
    gap = f"; {recorded.gaps:,} not recorded: {recorded.gap_reason}" if recorded.gaps else ""
    return f"{', '.join(told)}{pace}{gap}"


_OUTCOME_WORDS = {
    "failed": "failed",
    "refused": "refused by webkeep",
    "cut": "broken off by the client",
    "left_out": "left out by rule",
    "taken_down": "taken down before and not recorded",
}
