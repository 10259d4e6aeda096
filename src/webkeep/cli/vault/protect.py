"""`webkeep vault protect`: seals server components and puts them into the pages of a site."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.vault.capture_wishes import add_capture_options, ask_archives, check_capture_options
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
from webkeep.vault.components import Component, SelectionPolicy
from webkeep.vault.planning import USUAL_SHARE, ShareOutlook, forecast_outlook, format_chance
from webkeep.vault.protection import (
    ProtectionRequest,
    ProtectionResult,
    TreeChange,
    TreeOptions,
    VaultFolder,
    VaultState,
    find_carriers,
    list_carrying_files,
    protect,
    read_page_list,
    write_raw_files,
    write_tree,
    write_vault_pages,
)

_MAX_NAMED_COPIES = 3
"""In a message."""
_SAFE_CHANCE = 0.99
"""Of everything to come back from a usual site; where it is less, that is said."""


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
    where.add_argument("--vault-pages", metavar="NAME",
                       help="also pages made only to carry blocks, in a directory NAME of the tree")  # fmt: skip
    where.add_argument("--raw-files", metavar="NAME",
                       help="also every segment as one file, in a directory NAME of the tree")  # fmt: skip
    where.add_argument("--only-there", action="store_true",
                       help="with these: the site's own pages carry nothing")  # fmt: skip
    where.add_argument(
        "--plan", type=Path, metavar="FILE", help="spread blocks as this plan of webkeep vault plan says"
    )
    where.add_argument("--together", action="store_true", help="all components in one segment: all or nothing")
    where.add_argument("--max-page-size", type=parse_size, metavar="SIZE",
                       help="no page becomes larger "
                       f"(as the last time; {write_size(DEFAULT_MAX_PAGE_BYTES)})")  # fmt: skip
    where.add_argument("--replan", action="store_true", help="assign blocks to pages anew; all of them may move")
    where.add_argument("--site", default="", metavar="URL", help="the site's address, for the manifest")
    add_capture_options(parser)
    add_sealing_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Protect, or bring what is protected up to date."""
    _check_places(args)
    check_capture_options(args)
    plan = read_plan(args.plan) if args.plan is not None else None
    components, pages = components_from_arguments(args), _find_pages(args, plan)
    folder = VaultFolder(args.folder)
    folder.create()
    with folder.hold():  # to the last page, so that two runs write nothing of each other
        last = folder.read_state()
        key, mark = sealing_key_from_arguments(args, last.key_mark if last else "")
        request = ProtectionRequest(
            components=components,
            pages=pages,
            key=key,
            key_mark=mark,
            rules=rules_from_arguments(args, _find_carriers(args, components, pages)),
            plan=plan,
            together=args.together,
            max_page_bytes=args.max_page_size,
            site=args.site,
            publish_secrets=args.publish_secrets,
            replan=args.replan,
        )
        return _protect_held(args, request, folder, out)


def _protect_held(args: argparse.Namespace, request: ProtectionRequest, folder: VaultFolder, out: Output) -> int:
    out.status("packing")
    result = protect(request, folder, SystemClock().now())
    out.status("writing pages")
    change = _write_pages(args, folder, result.state) if args.tree is not None else None
    out.status("")
    lines = FindingPrinter(out)
    lines.print_findings(result.passed_over)
    _report(result, change, ask_archives(args, folder, result, out), out)
    return FINDINGS if lines.count else DONE


def _write_pages(args: argparse.Namespace, folder: VaultFolder, state: VaultState) -> TreeChange:
    target = args.into or args.tree
    change = write_tree(args.tree, target, folder, state, TreeOptions(args.visible, not args.only_there))
    if args.vault_pages is not None:
        write_vault_pages(folder, state, _directory_in(target, args.vault_pages))
    if args.raw_files is not None:
        write_raw_files(folder, state, _directory_in(target, args.raw_files))
    return change


def _directory_in(tree: Path, name: str) -> Path:
    directory = tree / name
    if tree.resolve() not in directory.resolve().parents:
        raise UsageError(f"{name!r} is no directory below {tree}; give a name such as vault")
    return directory


def _find_carriers(
    args: argparse.Namespace, components: Sequence[Component], pages: Sequence[CarrierPage]
) -> frozenset[Path]:
    """What blocks are written to, and optimistically the pages that are copied for it, by their real paths."""
    if args.tree is None:
        return frozenset()
    target = args.into or args.tree
    written = {(target / name).resolve() for name in (args.vault_pages, args.raw_files) if name}
    if args.into is not None:
        written.add(args.into.resolve())
    has_blocks = args.into is None and not args.only_there
    if has_blocks or args.selection is SelectionPolicy.OPTIMISTIC:
        written |= list_carrying_files(args.tree, (page.path for page in pages), components)
    return frozenset(written)


def _check_places(args: argparse.Namespace) -> None:
    elsewhere = args.vault_pages is not None or args.raw_files is not None
    if args.tree is None and (elsewhere or args.into is not None):
        raise UsageError("--into, --vault-pages and --raw-files are about a tree of files; name it with --tree")
    if args.only_there and not elsewhere:
        raise UsageError("--only-there leaves the site's own pages alone; name --vault-pages or --raw-files with it")


def _find_pages(args: argparse.Namespace, plan: VaultPlan | None) -> tuple[CarrierPage, ...]:
    if args.tree is None:
        if args.page_list is not None:
            return read_page_list(args.page_list)
        if plan is not None:
            return plan.pages
        raise UsageError("no pages were named; name the tree of files that is served with --tree, or a --page-list")
    folder, tree = args.folder.resolve(), args.tree.resolve()
    if args.into is not None and (args.into.resolve() in tree.parents or tree in args.into.resolve().parents):
        raise UsageError(f"{args.into} and {args.tree} lie in each other; write the tree elsewhere")
    for served in (tree, args.into.resolve() if args.into else tree):
        if folder == served or served in folder.parents:
            raise UsageError(
                f"the vault's folder {args.folder} lies in what is served; its signing key would be published"
            )
    return find_carriers(args.tree)


def _report(result: ProtectionResult, change: TreeChange | None, asked: dict[str, object], out: Output) -> None:
    state = result.state
    for each in state.segments:
        identity = each.identity
        word = "new blocks" if identity.name in result.changed else "unchanged"
        out.line(
            f"{identity.name}: {format_size(identity.size)} in {identity.total:,} blocks of "
            f"{format_size(identity.layout.block_bytes)}, any {identity.needed:,} of which bring it back; {word}"
        )
    outlook = forecast_outlook(state.plan)
    _print_outlook(outlook, out)
    _print_page_changes(result, change, out)
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
        "outlook": [asdict(each) for each in outlook],
        "pages": change.pages if change else sum(1 for blocks in state.blocks_by_page().values() if blocks),
        "moved": len(change.moved) if change else None,
        "added_bytes": change.added_bytes if change else None,
        "outdated_copies": len(change.outdated_copies) if change else None,
        "gone_pages": len(result.gone_pages),
        "new_pages": result.new_pages,
        "passed_over": len(result.passed_over),
        "captures_asked": asked,
    }
    if change is None:
        words = f"blocks for {format_count(len(state.plan.pages), 'page')} are ready for the middleware; "
    else:
        mean = format_size(round(change.added_bytes / max(change.pages, 1)))
        words = f"{format_count(change.pages, 'page')} carry blocks, {mean} each, and {len(change.moved):,} changed; "
    out.summary(facts, words + f"the vault is {state.manifest.identity.vault}")


def _print_outlook(outlook: Sequence[ShareOutlook], out: Output) -> None:
    shares = " / ".join(f"{each.share:.0%}" for each in outlook)
    chances = " / ".join(format_chance(each.chance) for each in outlook)
    out.prose(f"If each page is archived with a chance of {shares}, everything comes back with one of {chances}.")
    usual = next(each for each in outlook if each.share == USUAL_SHARE)
    if usual.chance < _SAFE_CHANCE:
        out.note(
            f"archives hold {USUAL_SHARE:.0%} of the pages of a usual site, which is little for these blocks; protect "
            "less (--exclude), let pages be larger (--max-page-size), or see what webkeep vault plan proposes"
        )


def _print_page_changes(result: ProtectionResult, change: TreeChange | None, out: Output) -> None:
    if change is not None and change.outdated_copies:
        named = ", ".join(change.outdated_copies[:_MAX_NAMED_COPIES])
        copies = format_count(len(change.outdated_copies), "compressed copy is", "compressed copies are")
        out.note(f"{copies} older than the pages beside them ({named}); compress the pages again")
    if result.gone_pages:
        gone = format_count(len(result.gone_pages), "page with blocks is", "pages with blocks are")
        out.note(f"{gone} gone, or can carry none any more; --replan assigns all blocks anew")
    if result.new_pages:
        new = format_count(result.new_pages, "new page carries", "new pages carry")
        out.note(f"{new} nothing yet; --replan spreads blocks over all pages")
