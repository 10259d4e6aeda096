"""Mirroring from beginning to end (`webkeep mirror`): choose, build, put in place; the options of a copy, the modes of
its files, and what is said where there is nothing to copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.mirror.copy_builder import BuildTask, build_copy
from webkeep.mirror.names.copy_layout import MARKER_FILE, VERSIONS_FILE
from webkeep.mirror.names.file_system_profile import PORTABLE, FileSystemProfile
from webkeep.mirror.output.atomic_placement import check_file, check_folder, replace_folder
from webkeep.mirror.output.copy_folder import CopyFolder
from webkeep.mirror.output.copy_versions import list_versions, place_version
from webkeep.mirror.output.prior_version import CopyManifest, links_fingerprint, read_manifest
from webkeep.mirror.output.start_page import StartPageFacts, capture_span, write_start_files
from webkeep.mirror.output.zip_target import open_zip_target
from webkeep.mirror.rendering.build_result import BuildResult
from webkeep.mirror.selection.copy_contents import (
    CopyContents,
    CopySelection,
    FrozenPageSource,
    check_frozen_pages,
    choose_contents,
)
from webkeep.mirror.selection.unfinished_captures import describe_unfinished, find_unfinished
from webkeep.model import Capture
from webkeep.presentation import format_moment
from webkeep.process import rare_garbage_collection
from webkeep.store.archive import Archive
from webkeep.version import __version__

_READ_ONLY_MODE = 0o444
"""Versions share files, and a change of one would be one of all."""
_WRITABLE_MODE = 0o666
"""What the person's own mask leaves of it."""


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """What a copy is to look like on its disk."""

    profile: FileSystemProfile = PORTABLE
    is_versioned: bool = False
    """Whether each run makes a dated tree of its own."""
    hard_links: bool = True
    """Whether versions share files by hard links, where the file system has them."""
    marks_external: bool = False
    """Whether links out of the copy are marked."""
    frozen: FrozenPageSource | None = None
    """Where pages are had from that no copy on a disk can show alive."""
    chosen: Mapping[str, str] = field(default_factory=dict)
    """The states that some of these are wanted in, by the URLs of the pages."""
    zip_file: Path | None = None
    """The ZIP file that the copy is wanted in as well."""
    replace: bool = False
    """Whether that, or a page that is one file, may take the place of one that is there."""


@dataclass(frozen=True, slots=True)
class MirrorResult:
    """What a copy came to."""

    contents: CopyContents
    built: BuildResult
    folder: Path
    """Where it is."""
    zip_bytes: int = 0
    """How many bytes the ZIP file has."""
    unfinished: tuple[Capture, ...] = ()
    """The captures it was made of that did not come to their end."""


def check_targets(out: Path, form: CopyOptions) -> None:
    """Refuse places where a copy cannot be written, before anything is done for it."""
    check_folder(out, VERSIONS_FILE if form.is_versioned else MARKER_FILE)
    if form.zip_file is None:
        return
    check_file(form.zip_file, form.replace)
    if not form.is_versioned and form.zip_file.resolve().is_relative_to(out.resolve()):
        raise UsageError(
            f"{form.zip_file} is within {out}, which the new copy takes the place of; choose another place"
        )


def mirror(
    archive: Archive,
    wanted: CopySelection,
    out: Path,
    form: CopyOptions | None = None,
    told: Callable[[int, int], None] = lambda _files, _bytes: None,
) -> MirrorResult:
    """Write a copy of an archive, or a part of it, into a folder; `told` hears of files and bytes as they come."""
    form = form or CopyOptions()
    with rare_garbage_collection():
        return _mirror_archive(archive, wanted, out, form, told)


def _mirror_archive(
    archive: Archive, wanted: CopySelection, out: Path, form: CopyOptions, told: Callable[[int, int], None]
) -> MirrorResult:
    check_targets(out, form)
    prior = _prior_manifest(out, form)
    contents = choose_contents(archive, wanted, form.profile, None if prior is None else prior.names)
    if not len(contents):
        raise UsageError(_nothing_message(archive, contents))
    check_frozen_pages(contents, form.chosen)
    links = links_fingerprint(
        contents, f"{form.profile.name} {'marked' * form.marks_external} {_special_pages(contents, form)}"
    )
    packing = nullcontext() if form.zip_file is None else open_zip_target(form.zip_file, form.replace)
    # The folder takes its place first, and only then the ZIP file: both are whole by then.
    with packing as target, _place_copy(archive, out, form) as folder:
        before = prior.prior_version(links) if prior is not None and form.is_versioned else None
        tree = CopyFolder(folder, _READ_ONLY_MODE if form.is_versioned else _WRITABLE_MODE, form.hard_links)
        built = build_copy(archive, BuildTask(contents, tree, before, form.frozen, form.marks_external), told)
        unfinished = find_unfinished(archive, wanted.capture, wanted.at)
        start = StartPageFacts(
            _copy_facts(archive, contents, form.profile),
            tuple(_seed_urls(archive, wanted)),
            links,
            tuple(describe_unfinished(each) for each in unfinished),
        )
        write_start_files(tree, contents, built, start, before)
        if target is not None:
            target.pack(folder)
    made_in = out / max(list_versions(out)) if form.is_versioned else out
    return MirrorResult(contents, built, made_in, 0 if target is None else target.size, tuple(unfinished))


def _nothing_message(archive: Archive, contents: CopyContents) -> str:
    """What is said where there is nothing to copy."""
    if contents.gone:
        gone = f"all {len(contents.gone):,} URLs that {archive.path} holds were gone by then"
        return f"{gone}; --with-gone copies them as they last were, and --at names another moment"
    return f"nothing in {archive.path} is to be copied; webkeep list {archive.path} shows what it holds"


def _special_pages(contents: CopyContents, form: CopyOptions) -> str:
    """Which pages are not simply as they are in the archive; where others are, all are made anew."""
    every = (form.chosen, contents.live_pages, contents.withheld)
    return " ".join(str(sorted(each.items())) for each in every)


def _prior_manifest(out: Path, form: CopyOptions) -> CopyManifest | None:
    """The manifest of the copy that this one follows, or takes the place of."""
    if not out.is_dir():
        return None
    last = max(list_versions(out), default="") if form.is_versioned else ""
    return read_manifest(out / last, form.profile.name, form.is_versioned) if last or not form.is_versioned else None


@contextmanager
def _place_copy(archive: Archive, out: Path, form: CopyOptions) -> Iterator[Path]:
    if not form.is_versioned:
        with replace_folder(out) as folder:
            yield folder
        return
    with place_version(out, archive.clock.now()) as (folder, _):
        yield folder


def _copy_facts(archive: Archive, contents: CopyContents, profile: FileSystemProfile) -> dict[str, str]:
    span = capture_span(contents)
    return {
        "name": archive.name,
        "captured": "" if span is None else f"{format_moment(span[0])} to {format_moment(span[1])} UTC",
        "files": f"{len(contents):,}",
        "names": profile.name,
        "by": f"webkeep {__version__}",
    }


def _seed_urls(archive: Archive, wanted: CopySelection) -> list[str]:
    captures = [each for each in archive.captures() if not wanted.capture or each.id == wanted.capture]
    return list(dict.fromkeys(seed for capture in captures for seed in capture.seeds))
