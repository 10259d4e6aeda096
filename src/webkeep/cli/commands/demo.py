"""`webkeep demo`: serve the demo site, or write it to a directory: its options, the port it listens on, and how long a
history it may have.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.lab.demo import (
    HOSTS,
    DemoAddresses,
    DemoKind,
    DemoSite,
    LeafRates,
    NoiseSet,
    SitePlan,
    TreeShape,
    ValidatorMode,
    write_site,
)
from webkeep.model import parse_moment
from webkeep.presentation import format_count
from webkeep.process import stop_event

DEFAULT_PORT = 8070
"""Beside 8080 and 8090, so that the demo site, the server of an archive and a recording can run at once."""
_MAX_CHANGES = 2_000_000
"""The site tells all its changes on demand; a history of more would be too long for that."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    shape = TreeShape()
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, metavar="N", help=f"listen on this port ({DEFAULT_PORT})"
    )
    parser.add_argument("--pages", type=int, default=0, metavar="N", help="grow the site to so many pages")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="make another town, with other changes")
    parser.add_argument("--speed", type=float, default=1.0, metavar="X", help="let everything change X times as often")
    parser.add_argument("--hosts", action="store_true", help=f"spread the site over {', '.join(HOSTS)}")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append every response to FILE, a JSON line each")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write the site's files to DIR and end")
    parser.add_argument("--start", default="now", metavar="MOMENT", help="when the site's history begins (now)")
    parser.add_argument(
        "--outdegree", type=int, default=shape.outdegree, metavar="N", help="links down from a grown page"
    )
    parser.add_argument("--depth", type=int, default=shape.depth, metavar="N", help="levels of grown pages at most")
    parser.add_argument("--skew", type=float, default=shape.skew, metavar="X", help="how fast rates fall off by rank")
    parser.add_argument(
        "--leaves", choices=_choices_of(LeafRates), default="cold", help="cold: pages near the root change most"
    )
    parser.add_argument(
        "--validators", choices=_choices_of(ValidatorMode), default="honest", help="how true ETags and dates are"
    )
    parser.add_argument(
        "--noise", choices=_choices_of(NoiseSet), default="off", help="what differs on pages though nobody changed it"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Serve until Ctrl-C or a request to end, or write the files."""
    shape = TreeShape(outdegree=args.outdegree, depth=args.depth, skew=args.skew, leaves=LeafRates(args.leaves))
    noise = NoiseSet(args.noise)
    plan = SitePlan(seed=args.seed, pages=args.pages, speed=args.speed, spread=args.hosts, tree=shape, noise=noise)
    site = _build_site(plan, args.start)
    return _write_files(args, site, out) if args.write else _serve(args, site, out)


def _build_site(plan: SitePlan, start: str) -> DemoSite:
    """The site, unless its history would lie ahead or be too long to tell."""
    now = SystemClock().now()
    site = DemoSite(plan, parse_moment(start, now))
    if site.start > now:
        raise UsageError(f"the site's history cannot begin later than now: --start {start}")
    changes = now.seconds_since(site.start) * sum(one.rate for one in site.truth() if one.kind is not DemoKind.SITEMAP)
    if changes > _MAX_CHANGES:
        raise UsageError(f"about {changes:.0f} changes lie between --start {start} and now; choose a later start")
    return site


def _write_files(args: argparse.Namespace, site: DemoSite, out: Output) -> int:
    files = write_site(site, args.write, SystemClock().now(), DemoAddresses(spread=args.hosts))
    out.summary(
        {"directory": str(args.write), "files": files}, f"{format_count(files, 'file')} written to {args.write}"
    )
    return DONE


def _serve(args: argparse.Namespace, site: DemoSite, out: Output) -> int:
    # The server needs what only the extra of the laboratory brings; help, and files that are written, do not.
    from webkeep.lab.demo import DemoServer

    with (
        stop_event() as told,
        DemoServer(site, args.port, validators=ValidatorMode(args.validators), log=args.log) as server,
    ):
        pages = sum(one.kind is DemoKind.PAGE for one in site.resources.values())
        out.event("listening", url=server.url, port=server.port, pages=pages, hosts=list(HOSTS) if args.hosts else [])
        out.note(f"{format_count(pages, 'page')} at {server.url} until Ctrl-C")
        for host in HOSTS if args.hosts else ():
            out.note(f"  --resolve {host}:{server.port}:127.0.0.1")
        told.wait()
    out.summary({"url": server.url, "requests": server.requests}, f"{format_count(server.requests, 'request')} served")
    return DONE


def _choices_of(kind: type[LeafRates] | type[ValidatorMode] | type[NoiseSet]) -> list[str]:
    return [choice.value for choice in kind]
