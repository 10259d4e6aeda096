"""Mirroring from beginning to end: choose, build, put in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.mirror.building import build
from webkeep.mirror.contents import Contents, Frozen, Wanted, check_chosen, contents_of
from webkeep.mirror.earlier import Manifest, fingerprint, read_manifest
from webkeep.mirror.findings import Built
from webkeep.mirror.front import span_of, write_front
from webkeep.mirror.layout import SIGN, VERSIONS
from webkeep.mirror.placing import check_file, check_place, placed
from webkeep.mirror.profile import PORTABLE, Profile
from webkeep.mirror.unfinished import unfinished_captures, unfinished_words
from webkeep.mirror.versions import placed_version, versions
from webkeep.mirror.writing import Tree
from webkeep.mirror.zipping import zip_target
from webkeep.model import Capture
from webkeep.process.garbage import seldom_collecting
from webkeep.store.archive import Archive
from webkeep.version import __version__

_READ_ONLY = 0o444
_WRITABLE = 0o666


@dataclass(frozen=True, slots=True)
class Form:
    """What a copy is to look like on its disk."""

    profile: Profile = PORTABLE
    versioned: bool = False
    """Whether each run makes a dated tree of its own."""
    linked: bool = True
    """Whether versions share files by hard links, where the file system has them."""
    marked: bool = False
    """Whether links out of the copy are marked."""
    frozen: Frozen | None = None
    """Where pages are had from that no copy on a disk can show alive."""
    chosen: Mapping[str, str] = field(default_factory=dict)
    """The states that some of these are wanted in, by the URLs of the pages."""
    pack: Path | None = None
    """The ZIP file that the copy is wanted in as well."""
    replace: bool = False
    """Whether that may take the place of one that is there."""


@dataclass(frozen=True, slots=True)
class Mirrored:
    """What a copy came to."""

    contents: Contents
    built: Built
    folder: Path
    """Where it is."""
    packed: int = 0
    """How many bytes the ZIP file has."""
    unfinished: tuple[Capture, ...] = ()
    """The captures it was made of that did not come to their end."""


def check_targets(out: Path, form: Form) -> None:
    """Refuse places where a copy cannot be written, before anything is done for it."""
    check_place(out, VERSIONS if form.versioned else SIGN)
    if form.pack is None:
        return
    check_file(form.pack, form.replace)
    if not form.versioned and form.pack.resolve().is_relative_to(out.resolve()):
        raise UsageError(f"{form.pack} is within {out}, which the new copy takes the place of; choose another place")


def mirror(
    archive: Archive,
    wanted: Wanted,
    out: Path,
    form: Form | None = None,
    told: Callable[[int, int], None] = lambda _files, _bytes: None,
) -> Mirrored:
    """Write a copy of an archive, or a part of it, into a folder; `told` hears of files and bytes as they come."""
    form = form or Form()
    with seldom_collecting():
        return _mirrored(archive, wanted, out, form, told)


def _mirrored(archive: Archive, wanted: Wanted, out: Path, form: Form, told: Callable[[int, int], None]) -> Mirrored:
    check_targets(out, form)
    prior = _prior_manifest(out, form)
    contents = contents_of(archive, wanted, form.profile, None if prior is None else prior.names)
    if not len(contents):
        raise UsageError(_nothing(archive, contents))
    check_chosen(contents, form.chosen)
    links = fingerprint(contents, f"{form.profile.name} {'marked' * form.marked} {_needs(contents, form)}")
    packing = nullcontext() if form.pack is None else zip_target(form.pack, form.replace)
    # The folder takes its place first, and only then the ZIP file: both are whole by then.
    with packing as target, _placed(archive, out, form) as folder:
        before = prior.earlier(links) if prior is not None and form.versioned else None
        tree = Tree(folder, _READ_ONLY if form.versioned else _WRITABLE, form.linked)
        built = build(archive, contents, tree, told, before, form.frozen, form.marked)
        facts = _facts(archive, contents, form.profile)
        unfinished = unfinished_captures(archive, wanted.capture, wanted.at)
        told_of = [unfinished_words(each) for each in unfinished]
        write_front(tree, contents, built, facts, _seeds(archive, wanted), links, before, told_of)
        if target is not None:
            target.pack(folder)
    made_in = out / max(versions(out)) if form.versioned else out
    return Mirrored(contents, built, made_in, 0 if target is None else target.size, tuple(unfinished))


def _nothing(archive: Archive, contents: Contents) -> str:
    """What is said where there is nothing to copy."""
    if contents.gone:
        gone = f"all {len(contents.gone):,} URLs that {archive.path} holds were gone by then"
        return f"{gone}; --with-gone copies them as they last were, and --at names another moment"
    return f"nothing in {archive.path} is to be copied; webkeep list {archive.path} shows what it holds"


def _needs(contents: Contents, form: Form) -> str:
    """Which pages are not simply as they are in the archive; where others are, all are made anew."""
    every = (form.chosen, contents.live_pages, contents.held_back)
    return " ".join(str(sorted(each.items())) for each in every)


def _prior_manifest(out: Path, form: Form) -> Manifest | None:
    """The manifest of the copy that this one follows, or takes the place of."""
    if not out.is_dir():
        return None
    last = max(versions(out), default="") if form.versioned else ""
    return read_manifest(out / last, form.profile.name, form.versioned) if last or not form.versioned else None


@contextmanager
def _placed(archive: Archive, out: Path, form: Form) -> Iterator[Path]:
    if not form.versioned:
        with placed(out) as folder:
            yield folder
        return
    with placed_version(out, archive.clock.now()) as (folder, _):
        yield folder


def _facts(archive: Archive, contents: Contents, profile: Profile) -> dict[str, str]:
    span = span_of(contents)
    return {
        "name": archive.name,
        "captured": "" if span is None else f"{span[0].iso()} to {span[1].iso()}",
        "files": f"{len(contents):,}",
        "names": profile.name,
        "by": f"webkeep {__version__}",
    }


def _seeds(archive: Archive, wanted: Wanted) -> list[str]:
    captures = [each for each in archive.captures() if not wanted.capture or each.id == wanted.capture]
    return list(dict.fromkeys(seed for capture in captures for seed in capture.seeds))
