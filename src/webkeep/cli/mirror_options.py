"""The options that say what a copy is to look like."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.mirror.freezing import FrozenPages, chosen_states
from webkeep.mirror.layout import GAPS, SERVED
from webkeep.mirror.mirroring import Form, Mirrored
from webkeep.mirror.profile import PROFILES
from webkeep.model import Moment
from webkeep.store.archive import Archive

FORM = ("profile", "mark_outside", "versions", "copy", "zip", "replace", "freeze")
"""Their names."""


def form_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    form = parser.add_argument_group("what it looks like on the disk")
    form.add_argument(
        "--profile", choices=list(PROFILES), default="portable", help="what file system it is for (portable: any)"
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


def form_of(args: argparse.Namespace, archive: Archive, at: Moment | None = None) -> Form:
    """What they say, of an archive as of a moment."""
    chosen = chosen_states(archive, args.freeze)
    return replace(look_of(args), frozen=FrozenPages(archive.path, at, chosen), chosen=chosen)


def look_of(args: argparse.Namespace) -> Form:
    """What they say whatever the archive."""
    return Form(
        PROFILES[args.profile], args.versions, not args.copy, args.mark_outside, pack=args.zip, replace=args.replace
    )


def finished(
    args: argparse.Namespace, out: Output, made: Mirrored, facts: Mapping[str, object], words: str = ""
) -> int:
    """Say what a copy came to; gives the exit code."""
    built = made.built
    packed = {} if args.zip is None else {"zip": str(args.zip), "zip_bytes": made.packed}
    for url, reason in sorted(built.damaged.items()):
        out.note(f"not copied, or not whole: {url} ({reason})")
    missing, needing, frozen = (len(each) for each in (built.links.missing, built.links.needing, built.links.frozen))
    said = f"{measure.counted(built.files, 'file')}, {measure.size(built.bytes)}{' new' if built.shared else ''}"
    said += f"; open {made.folder / 'index.html'}"
    if packed:
        said += f"; all of it is also in {args.zip}, {measure.size(made.packed)}"
    if built.shared:
        said += f"; {built.shared:,} the same as in the version before"
    if missing:
        said += f"; {measure.counted(missing, 'embedded thing')} missing, see {made.folder / GAPS}"
    if frozen:
        said += f"; {measure.counted(frozen, 'page')} frozen as a browser left them, see {made.folder / SERVED}"
    if needing:
        said += f"; {measure.counted(needing, 'document')} will not do all they did, see {made.folder / SERVED}"
    own = {
        "out": str(args.out),
        "folder": str(made.folder),
        "files": built.files,
        "bytes": built.bytes,
        "pages": made.contents.pages,
        "links": {"within": built.links.within, "outside": built.links.outside},
        "missing": missing,
        "needing": needing,
        "frozen": frozen,
        "shared": built.shared,
        "damaged": len(built.damaged),
    }
    out.summary({**facts, **own, **packed}, words + said)
    return FINDINGS if missing or needing or frozen or built.damaged else DONE
