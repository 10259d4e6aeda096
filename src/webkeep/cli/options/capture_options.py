"""The options of `webkeep capture` with their help texts (scope, browser, politeness, network), and how they and a plan
file in TOML (`--plan`) are brought together to one plan.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from webkeep.api import build_capture_plan, merge_plan_values
from webkeep.cli.options.plan_defaults import default_of, describe_default_scope
from webkeep.crawl.plan import (
    DEFAULT_DELAY_SECONDS,
    PURPOSES,
    STRATEGY_NAMES,
    BrowserMode,
    CapturePlan,
    Subsites,
)
from webkeep.presentation import write_time
from webkeep.url.scope import ScopeExtent


class SignedRuleAction(argparse.Action):
    """Gathers the rules of two options in the order they were given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Put one more rule behind the others."""
        sign = "+" if option_string == "--include" else "-"
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), f"{sign}{values}"])


_TIMES = frozenset({"timeout", "page_seconds"})
"""What is a length of time, and shown as one."""


class ShownDefaults:
    """Defaults as help texts show them: those of plans, but for what a command has otherwise."""

    def __init__(self, own: Mapping[str, str]) -> None:
        self._own = own

    def __getitem__(self, name: str) -> str:
        """The default of an option, in words."""
        return self._own[name] if name in self._own else describe_default(name)


def describe_default(name: str) -> str:
    """The default that a plan has for something, in words."""
    if name == "scope":
        return describe_default_scope(CapturePlan)
    if name == "delay":
        return f"{DEFAULT_DELAY_SECONDS:g}"
    value = default_of(CapturePlan, name)
    if name == "browser":
        return f"{value}, where Chromium is there"
    return write_time(value) if name in _TIMES else str(value)


def add_capture_options(parser: argparse.ArgumentParser, own: Mapping[str, str] = MappingProxyType({})) -> None:
    """Declare everything a plan can say; `own` are defaults, in words, that a command has in place of the plan's."""
    usual = ShownDefaults(own)
    _add_scope_options(parser, usual)
    _add_browser_options(parser, usual)
    _add_politeness_options(parser, usual)
    _add_connection_options(parser)
    _add_site_options(parser)


def _add_scope_options(parser: argparse.ArgumentParser, usual: ShownDefaults) -> None:
    what = parser.add_argument_group("what to capture")
    what.add_argument("--scope", choices=list(ScopeExtent), help=f"how far around each seed ({usual['scope']})")
    what.add_argument(
        "--include", dest="rules", action=SignedRuleAction, metavar="RULE", help="take in, such as '*.pdf'"
    )
    what.add_argument(
        "--exclude", dest="rules", action=SignedRuleAction, metavar="RULE", help="leave out; the last rule decides"
    )
    what.add_argument("--held-in", action="append", metavar="ARCHIVE", help="leave out pages that this archive holds; "
                      "seeds and page requisites are captured all the same")  # fmt: skip
    what.add_argument("--no-requisites", dest="requisites", action="store_false", default=None,
                      help="leave out page requisites (pictures, styles, scripts) beyond the scope")  # fmt: skip
    what.add_argument("--depth", metavar="N", help="at most so many links (hops) from a seed")
    what.add_argument(
        "--external-depth", metavar="N", help=f"so many links (hops) beyond the scope ({usual['external_depth']})"
    )
    what.add_argument("--max-urls", metavar="N", help="end after so many URLs")
    what.add_argument("--max-urls-per-host", metavar="N", help="at most so many URLs of each host")
    what.add_argument("--max-bytes", metavar="SIZE", help="end after so much, such as 2GB")
    what.add_argument("--max-seconds", metavar="TIME", help="end after so long, such as 90s or 2h")
    what.add_argument("--max-size", metavar="SIZE", help="truncate longer responses")
    what.add_argument("--for", choices=list(PURPOSES), help="what the capture is for: a low blur with one visit "
                      "(exploring), or first and second visits that prove what fits together (evidence)")  # fmt: skip
    what.add_argument("--strategy", choices=STRATEGY_NAMES, metavar="NAME",
                      help=f"which pages first ({usual['strategy']}); "
                      f"one of {', '.join(STRATEGY_NAMES)}")  # fmt: skip
    what.add_argument("--rates", metavar="FILE", help="how often pages change: a URL and changes a day on each line")
    what.add_argument("--weights", metavar="FILE", help="how much pages matter: a URL and its weight on each line; "
                      "pages that are not named have 1")  # fmt: skip
    what.add_argument("--no-sitemaps", dest="sitemaps", action="store_false", default=None, help="read no sitemaps")
    what.add_argument("--unconditional", dest="conditional", action="store_false", default=None,
                      help="second visits and updates send no conditional requests, and get whole bodies")  # fmt: skip
    what.add_argument(
        "--subsites",
        choices=list(Subsites),
        help=f"make parts of the site coherent one by one ({usual['subsites']})",
    )
    what.add_argument(
        "--trap-budget",
        metavar="N",
        help=f"URLs of a suspicious pattern ({usual['trap_budget']}); off to suspect nothing",
    )
    what.add_argument(
        "--probe", action="store_true", default=None, help="also look at the usual places nobody links to"
    )
    what.add_argument("--seeds-from", action="append", default=[], metavar="FILE",
                      help="more seeds: a list of URLs, a sitemap, a feed, or an archive")  # fmt: skip
    what.add_argument("--job", metavar="NAME", help="capture this once: a call with the name of a finished capture "
                      "only says what came of it")  # fmt: skip
    what.add_argument("--plan", type=Path, metavar="FILE", help="a plan in TOML; options overrule it")


def _add_browser_options(parser: argparse.ArgumentParser, usual: ShownDefaults) -> None:
    run = parser.add_argument_group("with a browser")
    run.add_argument("--browser", choices=list(BrowserMode), help="run pages in Chromium: none, those in need, or all "
                     f"({usual['browser']})")  # fmt: skip
    run.add_argument("--states", metavar="N", help="walk what clicks and the like reveal: 0 only loads and scrolls "
                     f"pages, 1 gives most at the least cost, 2 nearly always all ({usual['states']})")  # fmt: skip
    run.add_argument("--allow-post", action="append", metavar="RULE", help="let pages send requests other than GET and "
                     "HEAD to such URLs; others are held back and noted")  # fmt: skip
    run.add_argument("--fill", action="append", metavar="FIELD=VALUE", help="type this into fields of that name, id or "
                     "label; no other field is filled (with --states 1, if no other number is given)")  # fmt: skip
    run.add_argument("--screenshots", action="store_true", default=None, help="keep pictures, texts and documents of "
                     "all views")  # fmt: skip
    run.add_argument("--full-page", action="store_true", default=None, help="pictures of whole pages, not only of what "
                     "a window shows (with --screenshots)")  # fmt: skip
    run.add_argument("--browser-profile", metavar="FOLDER", help="a browser profile that webkeep login made")
    run.add_argument("--tabs", metavar="N", help=f"pages run at a time ({usual['tabs']})")
    run.add_argument("--page-seconds", metavar="TIME", help=f"at most so long for one page ({usual['page_seconds']})")
    run.add_argument("--page-states", metavar="N", help=f"at most so many states of one page ({usual['page_states']})")
    run.add_argument(
        "--page-requests",
        metavar="N",
        help=f"at most so many different requests of one page ({usual['page_requests']})",
    )
    run.add_argument("--browser-seconds", metavar="TIME", help="at most so long for all pages together")
    run.add_argument("--browser-states", metavar="N", help="at most so many states of all pages together")
    run.add_argument("--browser-requests", metavar="N", help="at most so many requests of all pages together")
    run.add_argument("--browser-program", metavar="PROGRAM", help="which Chromium")


def _add_politeness_options(parser: argparse.ArgumentParser, usual: ShownDefaults) -> None:
    how = parser.add_argument_group("politeness")
    how.add_argument(
        "--delay",
        metavar="SECONDS",
        help=f"between a response and the next request to its host ({usual['delay']})",
    )
    how.add_argument("--connections", metavar="N", help=f"requests under way at a time ({usual['connections']})")
    how.add_argument(
        "--connections-per-host",
        metavar="N",
        help=f"so many of them to one host, if it needs no delay ({usual['connections_per_host']})",
    )
    how.add_argument("--share-hosts", metavar="FILE", help="captures on this machine that name the same file ask no "
                     "host faster than one of them would; on several machines, a PostgreSQL database")  # fmt: skip
    how.add_argument(
        "--robots",
        action="append",
        metavar="obey|ignore",
        help=f"robots.txt ({usual['robots']}); also URL-PREFIX=ignore",
    )
    how.add_argument("--requisites-exempt", action="store_true", default=None,
                     help="fetch page requisites even where robots.txt forbids it")  # fmt: skip
    how.add_argument("--max-rate", metavar="SIZE", help="bytes per second of all responses")
    how.add_argument("--max-rate-per-host", metavar="SIZE", help="bytes per second of one host's responses")
    how.add_argument("--timeout", metavar="TIME", help=f"at most so long for one response ({usual['timeout']})")
    how.add_argument(
        "--retries", metavar="N", help=f"how often to ask again after failures that may pass ({usual['retries']})"
    )


def _add_connection_options(parser: argparse.ArgumentParser) -> None:
    way = parser.add_argument_group("network")
    way.add_argument("--user-agent", metavar="TEXT", help=f"who we say we are ({describe_default('user_agent')})")
    way.add_argument("--contact", metavar="ADDRESS", help="where you can be reached; goes into the User-Agent")
    way.add_argument(
        "--header", dest="headers", action="append", metavar="'NAME: VALUE'", help="sent with every request"
    )
    way.add_argument("--auth", action="append", metavar="HOST=USER:PASSWORD",
                     help="for Basic and Digest; also HOST:PORT=…")  # fmt: skip
    way.add_argument("--cookies", metavar="FILE", help="a Netscape cookie file to start from")
    way.add_argument("--save-cookies", metavar="FILE", help="where to keep the cookies")
    way.add_argument("--redact", action="store_true", default=None,
                     help="keep credentials out of records, also where none are given")  # fmt: skip
    way.add_argument("--no-redact", dest="redact", action="store_false", default=None,
                     help="record everything, your credentials included")  # fmt: skip
    way.add_argument(
        "--resolve", action="append", metavar="HOST:PORT:ADDRESS", help="HOST:PORT is at ADDRESS, as in curl"
    )
    way.add_argument("--proxy", metavar="URL", help="http://, https://, socks5:// or socks5h://")
    way.add_argument("--insecure", action="store_true", default=None, help="accept invalid certificates")
    way.add_argument("--ca", dest="certificate_authorities", metavar="FILE", help="certificate authorities to trust")
    way.add_argument("--client-certificate", metavar="FILE", help="for servers that ask for one")
    way.add_argument("--client-key", metavar="FILE", help="its key, if that is in another file")
    way.add_argument("--http1", dest="http2", action="store_false", default=None, help="no HTTP/2")
    way.add_argument("--public-only", action="store_true", default=None, help="ask nothing of private addresses, not "
                     "even where a seed is at one")  # fmt: skip
    way.add_argument("--ipv4", dest="ipv6", action="store_false", default=None, help="no IPv6")


def _add_site_options(parser: argparse.ArgumentParser) -> None:
    own = parser.add_argument_group("your own site, where it runs")
    own.add_argument("--app", action="append", metavar="[ORIGIN=]WHERE", help="ask the site's application in place of "
                     "the network: module:attribute (WSGI or ASGI), unix:SOCKET or http://127.0.0.1:PORT; "
                     "for the hosts of the seeds, or for ORIGIN")  # fmt: skip
    own.add_argument("--app-dir", metavar="FOLDER", help="where the application is started (here)")
    own.add_argument("--app-python", metavar="PROGRAM", help="the Python it is started by (webkeep's own)")
    own.add_argument("--files", action="append", metavar="FOLDER=URL", help="files of the site, served below URL: all "
                     "of them are stored, read from the disk")  # fmt: skip
    own.add_argument("--dump", action="append", metavar="[NAME=]WHAT", help="store a database beside the pages, before "
                     "and after: sqlite:FILE, postgresql://…, mysql://…, or a command; no visitor sees it")  # fmt: skip


ALONE_HELP = "have each worker store what another one holds already, so that its archive can be read alone"
_NON_PLAN_ARGUMENTS = frozenset(
    {"seeds", "seeds_from", "plan", "into", "json", "run", "new", "archive", "capture", "changes", "log", "on"}
    | {"ray", "workers", "worker_hosts", "whole", "replace", "alone", "verb", "verb_name"}
)


def capture_plan_from_arguments(args: argparse.Namespace, tell: Callable[[str], None]) -> CapturePlan:
    """The plan that the command line and the plan file make together; the command line overrules."""
    return build_capture_plan(plan_values_from_arguments(args), args.seeds, args.seeds_from, tell)


def plan_values_from_arguments(args: argparse.Namespace) -> dict[str, Any]:
    """What the command line and the plan file say, but for seeds."""
    said = {name: value for name, value in vars(args).items() if name not in _NON_PLAN_ARGUMENTS and value is not None}
    return merge_plan_values(args.plan, said)
