"""`webkeep vault protect`: seals server components and puts them into the pages of a site."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.vault.component_options import (
    add_component_options,
    components_from_arguments,
    rules_from_arguments,
)
from webkeep.cli.vault.key_options import add_sealing_options, sealing_key_from_arguments
from webkeep.clock import SystemClock
from webkeep.crawl.plan import parse_size
from webkeep.errors import UsageError
from webkeep.presentation import format_count, format_size, write_size
from webkeep.vault import DEFAULT_MAX_PAGE_BYTES, CarrierPage, VaultPlan, read_plan
from webkeep.vault.protection import (
    ProtectionRequest,
    ProtectionResult,
    TreeChange,
    VaultFolder,
    find_carriers,
    protect,
    read_page_list,
    write_tree,
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument(
        "folder",
        type=Path,
        metavar="VAULT",
        help="the vault's own folder, made if it is not there; never a part of what is served",
    )
    add_component_options(parser)
    where = parser.add_argument_group("the pages that carry it")
    where.add_argument("--tree", type=Path, metavar="DIR", help="a site made of files; its pages get the blocks")
    where.add_argument("--page-list", type=Path, metavar="FILE",
                       help="pages of an application that serves them with the vault's middleware: "
                       "a path and a size in bytes to a line")  # fmt: skip
    where.add_argument(
        "--into", type=Path, metavar="DIR", help="write the tree with blocks here, leave --tree as it is"
    )
    where.add_argument("--visible", action="store_true",
                       help='also a line "This page was modified on …" in each page whose blocks moved')  # fmt: skip
    where.add_argument(
        "--plan", type=Path, metavar="FILE", help="spread blocks as this plan of webkeep vault plan says"
    )
    where.add_argument("--together", action="store_true", help="all components in one segment: all or nothing")
    where.add_argument("--max-page-size", type=parse_size, default=DEFAULT_MAX_PAGE_BYTES, metavar="SIZE",
                       help=f"no page becomes larger ({write_size(DEFAULT_MAX_PAGE_BYTES)})")  # fmt: skip
    where.add_argument("--replan", action="store_true", help="assign blocks to pages anew; all of them may move")
    where.add_argument("--site", default="", metavar="URL", help="the site's address, for the manifest")
    add_sealing_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Protect, or bring what is protected up to date."""
    plan = read_plan(args.plan) if args.plan is not None else None
    pages = _find_pages(args, plan)
    key, mark = sealing_key_from_arguments(args)
    request = ProtectionRequest(
        components=components_from_arguments(args),
        pages=pages,
        key=key,
        key_mark=mark,
        rules=rules_from_arguments(args),
        plan=plan,
        together=args.together,
        max_page_bytes=args.max_page_size,
        site=args.site,
        publish_secrets=args.publish_secrets,
        replan=args.replan,
    )
    folder = VaultFolder(args.folder)
    out.status("packing")
    result = protect(request, folder, SystemClock().now())
    out.status("writing pages")
    change = None
    if args.tree is not None:
        change = write_tree(args.tree, args.into or args.tree, folder, result.state, args.visible)
    out.status("")
    lines = FindingPrinter(out)
    lines.print_findings(result.passed_over)
    _report(result, change, out)
    return FINDINGS if lines.count else DONE


def _find_pages(args: argparse.Namespace, plan: VaultPlan | None) -> tuple[CarrierPage, ...]:
    if args.tree is None:
        if args.into is not None:
            raise UsageError("--into is where a tree is written; name the tree with --tree")
        if args.page_list is not None:
            return read_page_list(args.page_list)
        if plan is not None:
            return plan.pages
        raise UsageError("no pages were named; name the tree of files that is served with --tree, or a --page-list")
    folder, tree = args.folder.resolve(), args.tree.resolve()
    for served in (tree, args.into.resolve() if args.into else tree):
        if folder == served or served in folder.parents:
            raise UsageError(
                f"the vault's folder {args.folder} lies in what is served; its signing key would be published"
            )
    return find_carriers(args.tree)


def _report(result: ProtectionResult, change: TreeChange | None, out: Output) -> None:
    state = result.state
    for each in state.segments:
        identity = each.identity
        word = "new blocks" if identity.name in result.changed else "unchanged"
        out.line(
            f"{identity.name}: {format_size(identity.size)} in {identity.total:,} blocks of "
            f"{format_size(identity.layout.block_bytes)}, any {identity.needed:,} of which bring it back; {word}"
        )
    facts = {
        "vault": state.manifest.identity.vault,
        "version": state.version,
        "changed": list(result.changed),
        "segments": [
            {
                "name": each.identity.name,
                "version": each.identity.version,
                "bytes": each.identity.size,
                "needed": each.identity.needed,
                "blocks": each.identity.total,
                "block_bytes": each.identity.layout.block_bytes,
            }
            for each in state.segments
        ],
        "pages": change.pages if change else sum(1 for blocks in state.blocks_by_page().values() if blocks),
        "moved": len(change.moved) if change else None,
        "added_bytes": change.added_bytes if change else None,
        "passed_over": len(result.passed_over),
    }
    if change is None:
        words = f"blocks for {format_count(len(state.plan.pages), 'page')} are ready for the middleware; "
    else:
        words = f"{format_count(change.pages, 'page')} carry blocks, {len(change.moved):,} of them changed; "
    out.summary(facts, words + f"the vault is {state.manifest.identity.vault}")
