"""`webkeep vault recover`: server components brought back out of whatever holds pages of their site."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from itertools import zip_longest
from pathlib import Path

from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.vault.key_options import add_unsealing_options, unsealing_keys_from_arguments
from webkeep.cli.vault.repository_pages import (
    add_repository_options,
    fetch_versions,
    list_pages,
    open_asked_repositories,
    require_site,
)
from webkeep.errors import UsageError
from webkeep.extract import read_response_content
from webkeep.presentation import format_count, format_size
from webkeep.vault.blocks import is_version
from webkeep.vault.recovery import (
    BlockCollection,
    RecoveredVault,
    SegmentOutcome,
    needs_passphrase,
    open_source,
    recover_vault,
)

_USUAL_VERSIONS = 10
"""Of each page that are asked of each archive, the newest first: blocks of older versions may be complete."""
_MAX_FILES_NAMED = 3
"""Files that a line names; --json has those that the manifest has."""
_MAX_VERSIONS_NAMED = 3
"""Older versions that a line names; --json has them all."""
_MAX_PAGES_NAMED = 5
"""Pages that a line names; --json has them all."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("sources", nargs="*", type=Path, metavar="SOURCE",
                        help="an archive, a WARC, ARC or WACZ file, a copy, or a directory of saved pages")  # fmt: skip
    parser.add_argument(
        "--into", type=Path, required=True, metavar="DIR", help="where the files go; not there yet, or empty"
    )
    parser.add_argument("--vault", default="", metavar="KEY", help="the vault that is meant, where there are several")
    parser.add_argument("--version", type=_parse_version, default="", metavar="VERSION",
                        help="as of this version, not the newest")  # fmt: skip
    parser.add_argument("--versions", type=parse_whole_number, default=_USUAL_VERSIONS, metavar="N",
                        help=f"versions of a page to ask archives behind --from for ({_USUAL_VERSIONS})")  # fmt: skip
    add_repository_options(parser)
    add_unsealing_options(parser)


def _parse_version(text: str) -> str:
    if text and not is_version(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no version; write it as it is told: 20261118T055403Z-de4e68fb")
    return text


def run(args: argparse.Namespace, out: Output) -> int:
    """Recover what can be, and say what cannot."""
    if not args.sources and not args.repositories:
        raise UsageError("nothing to look at; name archives, files or directories, or whom to ask by --from")
    beside = args.into.parent if args.into.parent.is_dir() else None
    with BlockCollection(beside, args.vault) as collection:
        for path in args.sources:
            _gather(collection, path, out)
        doubts = asyncio.run(_gather_from_repositories(args, collection, out)) if args.repositories else {}
        for name, doubt in doubts.items():
            out.note(f"{name} may hold more than it gave: {doubt}")
        out.status("")
        keys = unsealing_keys_from_arguments(args, needs_passphrase(collection))
        recovered = recover_vault(collection, keys, args.into, args.vault, args.version)
        lines = FindingPrinter(out)
        lines.print_findings(recovered.findings)
        _report(recovered, collection, args.into, out)
    return DONE if recovered.is_whole and not lines.count else FINDINGS


def _gather(collection: BlockCollection, path: Path, out: Output) -> None:
    with open_source(path) as pages:
        for where, chunks in pages:
            collection.add_page(where, chunks)
            if collection.pages % 100 == 0:
                out.status(f"{path}: {collection.pages:,} pages, {collection.carriers:,} of them with blocks")


async def _gather_from_repositories(
    args: argparse.Namespace, collection: BlockCollection, out: Output
) -> dict[str, str]:
    """Take the pages of a site that repositories hold, and say who may not have given all."""
    site, doubts = require_site(args), {}
    with tempfile.TemporaryDirectory(prefix="webkeep-") as spool:
        lines = FindingPrinter(out)
        async with open_asked_repositories(args, args.repositories, Path(spool), lines) as repositories:
            for repository in repositories:
                listing = await list_pages(repository, site, ())
                async for _, version in fetch_versions(repository, listing, max(args.versions, 1)):
                    collection.add_page(version.exchange.url, [read_response_content(version.exchange).content])
                    out.status(f"{listing.name}: {collection.pages:,} pages, {collection.carriers:,} with blocks")
                if listing.doubt:
                    doubts[listing.name] = listing.doubt
    return doubts


def _report(recovered: RecoveredVault, collection: BlockCollection, into: Path, out: Output) -> None:
    for each in recovered.segments:
        out.line(_segment_line(each))
    for line in recovered.loading:
        out.line(f"to load it: {line}")
    for reason, count in collection.unusable.most_common():
        out.note(f"{format_count(count, 'block')} could not be used: {reason}")
    files = sum(each.restored.files for each in recovered.segments if each.restored)
    facts = {
        "into": str(into),
        "vault": recovered.vault,
        "site": recovered.site,
        "whole": recovered.is_whole,
        "files": files,
        "bytes": sum(each.restored.size for each in recovered.segments if each.restored),
        "manifest": recovered.manifest is not None,
        "segments": [_segment_facts(each) for each in recovered.segments],
        "pages": collection.pages,
        "carriers": collection.carriers,
        "duplicates": collection.duplicates,
        "unusable": dict(collection.unusable),
        "foreign": collection.vaults.total() - collection.vaults[recovered.vault],
        "loading": list(recovered.loading),
    }
    word = "everything is back" if recovered.is_whole else "not everything is back"
    out.summary(facts, f"{format_count(files, 'file')} in {into}; {word}")


def _segment_line(segment: SegmentOutcome) -> str:
    if segment.restored is not None:
        files, size = format_count(segment.restored.files, "file"), format_size(segment.restored.size)
        age = "" if segment.version >= segment.newest else f"; a newer one, {segment.newest}, lacks blocks"
        older = ", ".join(segment.older[:_MAX_VERSIONS_NAMED])
        more = ", …" if len(segment.older) > _MAX_VERSIONS_NAMED else ""
        others = f"; before it there are blocks enough of {older}{more} (--version)" if older else ""
        return f"{segment.name}: back, {files}, {size}, version {segment.version}{age}{others}"
    if segment.problem:
        return f"{segment.name}: not back, {segment.problem}{_lost_words(segment)}"
    pages = ", ".join(segment.missing_pages[:_MAX_PAGES_NAMED])
    where = f"; others are in {pages}" if pages else ""
    return (
        f"{segment.name}: not back, {segment.held:,} of the {segment.needed:,} blocks that it takes were found, "
        f"{format_count(segment.short_by, 'block')} short{where}{_lost_words(segment)}"
    )


def _lost_words(segment: SegmentOutcome) -> str:
    """What is in a segment that did not come back."""
    if segment.said is None:
        return ""
    paths = segment.said.paths[:_MAX_FILES_NAMED]
    more = ", …" if segment.said.files > len(paths) else ""
    named = f" ({', '.join(paths)}{more})" if paths else ""
    files, size = format_count(segment.said.files, "file"), format_size(segment.said.unpacked_bytes)
    return f"; in it are {files}, {size}{named}"


def _lost_files(segment: SegmentOutcome) -> list[dict[str, object]]:
    """The files of a segment that did not come back, as far as the manifest names them."""
    said = segment.said
    if said is None:
        return []
    facts = zip_longest(said.paths, said.sizes, said.modified)
    return [{"path": path, "size": size, "modified": modified} for path, size, modified in facts if path is not None]


def _segment_facts(segment: SegmentOutcome) -> dict[str, object]:
    return {
        "name": segment.name,
        "recovered": segment.is_recovered,
        "version": segment.version,
        "newest": segment.newest,
        "needed": segment.needed,
        "blocks": segment.total,
        "held": segment.held,
        "short_by": segment.short_by,
        "older": list(segment.older),
        "files": segment.restored.files if segment.restored else 0,
        "problem": segment.problem,
        "missing_pages": list(segment.missing_pages),
        "lost_files": _lost_files(segment),
    }
