"""The options that say what a copy is to look like (`--profile`, `--versions`, `--zip`, `--freeze`), and what is said
of a finished copy: its summary, JSON keys and exit code.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from webkeep.cli.options.plan_defaults import default_of
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.mirror import CopyOptions, MirrorResult
from webkeep.mirror.names import GAPS_FILE, GONE_FILE, NEEDS_SERVING_FILE, PROFILES
from webkeep.mirror.rendering import FrozenPages, find_states
from webkeep.mirror.selection import CopySelection, describe_unfinished
from webkeep.model import Moment
from webkeep.presentation import format_count, format_size
from webkeep.store.archive import Archive

CONTENT_OPTIONS = ("with_gone", "single_file")
FORM_OPTIONS = ("profile", "mark_outside", "versions", "copy", "zip", "replace", "freeze")
"""Their names."""


def add_form_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    form = parser.add_argument_group("what it looks like on the disk")
    usual = default_of(CopyOptions, "profile").name
    form.add_argument(
        "--profile", choices=list(PROFILES), default=usual, help=f"what file system it is for ({usual}: any)"
    )
    form.add_argument(
        "--mark-outside", action="store_true", help="an arrow behind every link that leads out of the copy"
    )
    form.add_argument("--versions", action="store_true", help="each run makes a dated tree; what is the same is shared")
    form.add_argument("--copy", action="store_true", help="with --versions: every version has files of its own")
    form.add_argument("--freeze", action="append", default=[], metavar="STATE",
                      help="a page as it was in this client-side state, by its address")  # fmt: skip
    form.add_argument("--zip", type=Path, metavar="FILE", help="also as one ZIP file")
    form.add_argument("--replace", action="store_true", help="write over the file if it is there")


def add_content_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what else a copy can be of than all pages that are there."""
    parser.add_argument("--with-gone", action="store_true", help="also what was gone by the moment, as it last was")
    parser.add_argument("--single-file", metavar="PAGE", help="one page with all it needs; OUT is an HTML file")


def check_single_file(args: argparse.Namespace) -> None:
    """One page in one file is no folder with versions of a site."""
    if args.single_file is not None and (args.zip is not None or args.versions):
        raise UsageError(
            "--single-file makes one HTML file; take --zip and --versions away, or make a copy of the site"
        )


def write_single_file(
    args: argparse.Namespace,
    out: Output,
    archive: Archive,
    wanted: CopySelection,
    form: CopyOptions,
    facts: Mapping[str, object] | None = None,
) -> int:
    """Write one page with all it needs into one file, and say what came of it; gives the exit code."""
    from webkeep.mirror import write_single_page  # few copies need what is behind it

    single = write_single_page(archive, wanted, args.single_file, args.out, form)
    for url in sorted(single.missing):
        out.note(f"not in the archive: {url}")
    words = f"written to {args.out}, {format_size(len(single.page))}"
    if single.needs:
        words += f"; not all of it works in a file, as it needs {single.needs}"
    if single.frozen_for:
        words += f"; frozen as a browser left it, as it needs {single.frozen_for}"
    own = {"out": str(args.out), "bytes": len(single.page), "missing": sorted(single.missing)}
    told = {**(facts or {}), **own, "need_server": single.needs, "frozen": bool(single.frozen_for)}
    out.summary(told, words)
    return FINDINGS if single.missing or single.needs or single.frozen_for else DONE


def form_from_arguments(args: argparse.Namespace, archive: Archive, at: Moment | None = None) -> CopyOptions:
    """What they say, of an archive as of a moment."""
    chosen = find_states(archive, args.freeze)
    return replace(unfrozen_form_from_arguments(args), frozen=FrozenPages(archive.path, at, chosen), chosen=chosen)


def unfrozen_form_from_arguments(args: argparse.Namespace) -> CopyOptions:
    """What they say whatever the archive."""
    return CopyOptions(
        PROFILES[args.profile], args.versions, not args.copy, args.mark_outside, zip_file=args.zip, replace=args.replace
    )


def report_copy(
    args: argparse.Namespace, out: Output, made: MirrorResult, facts: Mapping[str, object], words: str = ""
) -> int:
    """Say what a copy came to; gives the exit code."""
    built = made.built
    packed = {} if args.zip is None else {"zip": str(args.zip), "zip_bytes": made.zip_bytes}
    for url, reason in sorted(built.damaged.items()):
        out.note(f"not copied, or not whole: {url} ({reason})")
    for each in made.unfinished:
        out.note(describe_unfinished(each))
    missing, needing, frozen = (
        len(each) for each in (built.links.missing, built.links.server_needs, built.links.frozen)
    )
    own = {
        "out": str(args.out),
        "folder": str(made.folder),
        "files": built.files,
        "bytes": built.bytes,
        "pages": made.contents.pages,
        "links": {"within": built.links.within, "outside": built.links.outside},
        "missing": missing,
        "need_server": needing,
        "frozen": frozen,
        "shared": built.shared,
        "gone": len(made.contents.gone),
        "unfinished": [each.id for each in made.unfinished],
        "damaged": len(built.damaged),
    }
    out.summary({**facts, **own, **packed}, words + "; ".join(_copy_words(made, args.zip)))
    return FINDINGS if missing or needing or frozen or built.damaged or made.unfinished else DONE


def _copy_words(made: MirrorResult, pack: Path | None) -> Iterator[str]:
    """What a copy came to, in words."""
    built, links = made.built, made.built.links
    needing, frozen = len(links.server_needs), len(links.frozen)
    yield (f"{format_count(built.files, 'file')}, {format_size(built.bytes)}{' new' if built.shared else ''}")
    yield f"open {made.folder / 'index.html'}"
    if pack is not None:
        yield f"all of it is also in {pack}, {format_size(made.zip_bytes)}"
    if built.shared:
        yield f"{built.shared:,} the same as in the version before"
    if gone := _gone_words(made):
        yield f"{gone}, see {made.folder / GONE_FILE}"
    if links.missing:
        yield f"{format_count(len(links.missing), 'embedded thing')} missing, see {made.folder / GAPS_FILE}"
    served = made.folder / NEEDS_SERVING_FILE
    if frozen:
        yield (f"{format_count(frozen, 'page')} frozen as {_pronoun(frozen)} had loaded in a browser, see {served}")
    if needing:
        yield f"{format_count(needing, 'document')} will not do all that {_pronoun(needing)} did, see {served}"


def _gone_words(made: MirrorResult) -> str:
    """What is said of what was gone by the moment; empty where nothing was."""
    gone = made.contents.gone
    if not gone:
        return ""
    is_shown = next(iter(gone)) in made.contents.items
    done = ("shown as it last was", "shown as they last were") if is_shown else ("left out", "left out")
    return f"{format_count(len(gone), 'URL')} " + (
        f"was gone by then and is {done[0]}" if len(gone) == 1 else f"were gone by then and are {done[1]}"
    )


def _pronoun(number: int) -> str:
    return "it" if number == 1 else "they"
