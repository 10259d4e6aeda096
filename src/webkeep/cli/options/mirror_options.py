"""The options that say what a copy is to look like (`--profile`, `--versions`, `--zip`, `--freeze`), and what is said
of a finished copy.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from webkeep.api import CopyForm, MirrorSummary, PageSummary
from webkeep.cli.options.plan_defaults import default_of
from webkeep.mirror import CopyOptions, MirrorResult
from webkeep.mirror.names import GAPS_FILE, GONE_FILE, NEEDS_SERVING_FILE, PROFILES
from webkeep.presentation import format_count, format_size

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
    form.add_argument("--zip", type=Path, metavar="FILE", help="also as one file: ZIP, or tar.gz by its ending")
    form.add_argument("--replace", action="store_true", help="write over the file if it is there")


def add_content_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what else a copy can be of than all pages that are there."""
    parser.add_argument("--with-gone", action="store_true", help="also what was gone by the moment, as it last was")
    parser.add_argument("--single-file", metavar="PAGE", help="one page with all it needs; OUT is an HTML file")


def form_from_arguments(args: argparse.Namespace) -> CopyForm:
    """What they say."""
    return CopyForm(
        args.profile, args.mark_outside, args.versions, args.copy, tuple(args.freeze), args.zip, args.replace
    )


def describe_copy(made: MirrorSummary) -> str:
    """What a copy came to, for people."""
    return "; ".join(_copy_words(made.mirrored, made.zip))


def describe_single_file(single: PageSummary) -> str:
    """What a page in one file came to, for people."""
    words = f"written to {single.out}, {format_size(single.bytes)}"
    if single.need_server:
        words += f"; not all of it works in a file, as it needs {single.need_server}"
    if single.frozen_for:
        words += f"; frozen as a browser left it, as it needs {single.frozen_for}"
    return words


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
