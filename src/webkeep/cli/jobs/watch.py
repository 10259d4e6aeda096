"""`webkeep job watch`: what is new in a feed, a sitemap or an OAI-PMH set captured, and the list of what is watched."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import read_plan_file
from webkeep.cli.jobs.service_opening import OpenStores, add_collection_option, add_store_arguments, open_stores
from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns
from webkeep.cli.subcommand import DONE
from webkeep.errors import UsageError
from webkeep.presentation import format_count, format_moment
from webkeep.service.run import PAGE_ALONE, WatchOrder, begin_watch
from webkeep.service.schedules import parse_duration
from webkeep.service.watches import Watch, WatchKind

_DEFAULT_POLL = "1h"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_store_arguments(parser)
    add_collection_option(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--feed", metavar="URL", help="an RSS or Atom feed")
    what.add_argument("--sitemap", metavar="URL", help="a sitemap")
    what.add_argument("--oai-pmh", metavar="URL", help="a repository, such as https://example.org/oai?set=maps")
    what.add_argument("--delete", metavar="ID", help="watch something no more")
    parser.add_argument("--poll", default=_DEFAULT_POLL, metavar="TIME", help=f"look so often ({_DEFAULT_POLL})")
    parser.add_argument(
        "--present", action="store_true", help="capture what is there now, too, and not only what is new"
    )
    parser.add_argument("--plan", type=Path, metavar="FILE", help="what captures are like, in TOML (each page alone)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Begin to watch, end that, or list what is watched."""
    kinds = {WatchKind.FEED: args.feed, WatchKind.SITEMAP: args.sitemap, WatchKind.OAI_PMH: args.oai_pmh}
    given = next(((kind, url) for kind, url in kinds.items() if url), None)
    with open_stores(args) as stores:
        stores.collections.get(args.collection)
        if args.delete:
            if not stores.watches.delete(args.delete):
                raise UsageError(f"there is no watch {args.delete[:40]!r}; without options they are listed")
            out.summary({"watch": args.delete, "deleted": True}, f"watch {args.delete} is gone")
            return DONE
        if given is None:
            return _list_watches(stores, args.collection, out)
        watch = _begin_watch(args, stores, *given)
        out.summary({"watch": watch.id, "collection": args.collection}, f"watch {watch.id}: {watch.url} is looked at")
    return DONE


def _begin_watch(args: argparse.Namespace, stores: OpenStores, kind: WatchKind, text: str) -> Watch:
    settings = read_plan_file(args.plan) if args.plan else dict(PAGE_ALONE)
    # Who may write to the folder may capture whatever this machine can reach.
    order = WatchOrder(kind, text, parse_duration(args.poll), settings, True, args.present)
    return begin_watch(stores.collections, stores.watches, args.collection, order, stores.now)


def _list_watches(stores: OpenStores, name: str, out: Output) -> int:
    table = PrintedTable(build_columns("watch", "kind", "url", "next (UTC)", "trouble"), out.line)
    listed = stores.watches.list_watches(name)
    for each in listed:
        watch = each.watch
        table.add_row(
            watch.id,
            watch.kind.value,
            watch.url,
            "off" if each.is_off else format_moment(each.next_look),
            each.state.message,
        )
        out.event("watch", watch=watch.id, kind=watch.kind.value, url=watch.url, trouble=each.state.message)
    table.finish()
    out.summary({"collection": name, "listed": len(listed)}, format_count(len(listed), "watch", "watches"))
    return DONE
