"""`webkeep serve`: show archives in any browser and to any Memento client: its options, and what is said while it
runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from webkeep.api import ReplayServer, ServeRequest
from webkeep.cli.options.plan_defaults import default_of
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE
from webkeep.presentation import format_count
from webkeep.process import stop_event

_CHECK_SECONDS = 1.0
"""So often it is looked whether there is still somebody to answer."""


def _default(name: str) -> Any:
    return default_of(ServeRequest, name)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add = parser.add_argument
    add(
        "archives", type=Path, nargs="+", metavar="ARCHIVE", help="archives, WARC or WACZ files, or directories of them"
    )
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
    add("--base", default="", metavar="URL", help="the address people reach it at, with a wildcard name below it")
    add("--access", action="append", default=[], metavar="RULE", help="block:URL*, allow:URL* or embargo:DAYS:URL*")
    add("--access-file", default="", metavar="FILE", help="more such rules, as TOML")
    add("--password-file", type=Path, metavar="FILE", help="let in only who knows the password in it")
    add("--elsewhere", action="append", default=[], metavar="URL", help="another archive to point to: https://…/web/")
    add("--proxy-port", type=int, metavar="N", help="proxy mode there: archived sites under their own addresses")
    add("--proxy-at", default="", metavar="MOMENT", help="as of when the proxy shows them (the latest)")
    add("--authority", type=Path, metavar="DIR", help="where the proxy's certificate authority is kept")
    add("--no-words", action="store_true", help="no full-text search: pages are not read for it")
    add("--workers", type=int, default=0, metavar="N", help="processes to answer with (one for each core)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Serve until Ctrl-C or a request to end."""
    request = ServeRequest(
        tuple(args.archives),
        args.port,
        args.host,
        args.base,
        tuple(args.access),
        args.access_file,
        args.password_file,
        tuple(args.elsewhere),
        args.proxy_port,
        args.proxy_at or None,
        args.authority,
        not args.no_words,
        args.workers,
    )
    with ReplayServer(request, WorkView(out)) as server, stop_event() as told:
        names = list(server.archives)
        out.event("listening", url=server.url, port=server.port, workers=server.workers, archives=names)
        out.note(f"{format_count(len(names), 'archive')} at {server.url} until Ctrl-C")
        if server.proxy_port is not None:
            out.event("proxy", host=args.host, port=server.proxy_port)
            out.note(
                f"as a proxy at {args.host}:{server.proxy_port}; webkeep record --trust tells how HTTPS is trusted"
            )
        while not told.wait(_CHECK_SECONDS):
            server.check()
    out.summary(server.summary.to_dict(), "served until told to end")
    return DONE
