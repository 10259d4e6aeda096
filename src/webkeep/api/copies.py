"""`mirror` and `mirror_page`: a site, or one page, as files that open in any browser; how rules and HTTrack's filters
decide which URLs are in and which come along as parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from webkeep.api.archive_opening import open_archive
from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, Texts, list_texts, read_path, read_path_or_none
from webkeep.api.work_listener import (
    CallbackListener,
    NoteCallback,
    ProgressCallback,
    WorkListener,
    WorkWatch,
)
from webkeep.api.work_summary import LEFT_OUT, WorkSummary
from webkeep.errors import UsageError
from webkeep.mirror import (
    CopyOptions,
    MirrorResult,
    check_file,
    check_targets,
    mirror as mirror_archive,
)
from webkeep.mirror.names import PROFILES
from webkeep.mirror.rendering import FrozenPages, check_state_addresses, find_states
from webkeep.mirror.selection import CopySelection, describe_unfinished
from webkeep.model import Moment, MomentLike, read_moment
from webkeep.store.archive import Archive
from webkeep.url.scope import BOUNDS_RULE, Scope, exclude_rule, include_rule, rules_from_filters


@dataclass(frozen=True, slots=True)
class MirrorSummary(WorkSummary):
    """What a copy came to."""

    out: Path
    mirrored: MirrorResult
    """The copy in all detail: what is in it, which links lead where, what is missing."""
    zip: Path | None = None

    @property
    def folder(self) -> Path:
        """Where the copy is: within `out`, where each run makes a version."""
        return self.mirrored.folder

    @property
    def files(self) -> int:
        """Files that were written."""
        return self.mirrored.built.files

    @property
    def pages(self) -> int:
        """Pages that are in it."""
        return self.mirrored.contents.pages

    @property
    def missing(self) -> int:
        """Embedded things that the archive does not hold."""
        return len(self.mirrored.built.links.missing)

    @property
    def is_whole(self) -> bool:
        """Whether the copy does all that the site did, as far as it is in the archive."""
        built = self.mirrored.built
        lacking = (built.links.missing, built.links.server_needs, built.links.frozen, built.damaged)
        return not any((*lacking, self.mirrored.unfinished))

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        made, built = self.mirrored, self.mirrored.built
        packed = {} if self.zip is None else {"zip": str(self.zip), "zip_bytes": made.zip_bytes}
        return {
            "out": str(self.out),
            "folder": str(made.folder),
            "files": built.files,
            "bytes": built.bytes,
            "pages": made.contents.pages,
            "links": {"within": built.links.within, "outside": built.links.outside},
            "missing": len(built.links.missing),
            "need_server": len(built.links.server_needs),
            "frozen": len(built.links.frozen),
            "shared": built.shared,
            "gone": len(made.contents.gone),
            "unfinished": [each.id for each in made.unfinished],
            "damaged": len(built.damaged),
            **packed,
        }


@dataclass(frozen=True, slots=True)
class PageSummary(WorkSummary):
    """What one page as one file came to."""

    out: Path
    bytes: int
    missing: tuple[str, ...]
    """What is needed and not there."""
    need_server: str
    """What the page needs that no file can give it."""
    frozen: bool
    """Whether it is frozen as a browser left it."""
    frozen_for: str = field(default="", metadata=LEFT_OUT)
    """What it needs, for which it was frozen."""

    @property
    def is_whole(self) -> bool:
        """Whether the file does all that the page did."""
        return not (self.missing or self.need_server or self.frozen)


@dataclass(frozen=True, slots=True)
class CopyForm:
    """What a copy is to look like on its disk."""

    profile: str | None = None
    """What file system it is for; the usual one where nothing is said."""
    mark_outside: bool = False
    versions: bool = False
    own_files: bool = False
    freeze: tuple[str, ...] = ()
    zip: Path | None = None
    replace: bool = False

    def __post_init__(self) -> None:
        if self.profile is not None and self.profile not in PROFILES:
            raise UsageError(f"--profile cannot be {self.profile!r}; it may be {', '.join(PROFILES)}")

    def build_options(self) -> CopyOptions:
        """What it says whatever the archive."""
        form = CopyOptions(
            is_versioned=self.versions,
            hard_links=not self.own_files,
            marks_external=self.mark_outside,
            zip_file=self.zip,
            replace=self.replace,
        )
        return form if self.profile is None else replace(form, profile=PROFILES[self.profile])

    def build_options_for(self, archive: Archive, at: Moment | None = None) -> CopyOptions:
        """What it says of an archive as of a moment."""
        chosen = find_states(archive, list(self.freeze))
        return replace(self.build_options(), frozen=FrozenPages(archive.path, at, chosen), chosen=chosen)


@dataclass(frozen=True, slots=True)
class VersionChoice:
    """Which versions of which URLs a copy is made of."""

    at: MomentLike | None = None
    strictly: bool = False
    capture: str | None = None
    with_gone: bool = False
    rules: tuple[str, ...] = ()
    """With `+` before what is taken in and `-` before what is left out; the last that holds decides."""

    def select(self, archive: Archive) -> CopySelection:
        """The selection of an archive that this makes."""
        now = archive.clock.now()
        at = read_moment(self.at, now) if self.at else None
        capture = archive.capture(self.capture).id if self.capture else ""
        includes, embeds = _build_url_filters(self.rules)
        return CopySelection(at or now, self.strictly, capture, includes, embeds, with_gone=self.with_gone)


@check_arguments
def mirror(
    archive: StrPath,
    out: StrPath,
    *,
    at: MomentLike | None = None,
    strictly: bool = False,
    capture: str | None = None,
    with_gone: bool = False,
    include: Texts = (),
    exclude: Texts = (),
    filters: str = "",
    profile: str | None = None,
    mark_outside: bool = False,
    versions: bool = False,
    own_files: bool = False,
    freeze: Texts = (),
    zip: StrPath | None = None,  # noqa: A002 - what the option is called
    replace: bool = False,
    on_progress: ProgressCallback | None = None,
    on_note: NoteCallback | None = None,
) -> MirrorSummary:
    """Write a copy of a site that opens in any browser from a disk, with no webkeep and no server.

    `filters` are rules as HTTrack has them, behind which `include` and `exclude` go. `own_files` is `--copy`: every
    version has files of its own.
    """
    choice = VersionChoice(at, strictly, capture, with_gone, _join_rules(include, exclude, filters))
    form = CopyForm(
        profile, mark_outside, versions, own_files, list_texts(freeze, "freeze"), read_path_or_none(zip), replace
    )
    return run_mirror(read_path(archive), read_path(out), choice, form, CallbackListener(on_progress, on_note))


@check_arguments
def mirror_page(
    archive: StrPath,
    page: str,
    out: StrPath,
    *,
    at: MomentLike | None = None,
    strictly: bool = False,
    capture: str | None = None,
    with_gone: bool = False,
    mark_outside: bool = False,
    freeze: Texts = (),
    replace: bool = False,
    on_note: NoteCallback | None = None,
) -> PageSummary:
    """Write one page with all it needs as a single HTML file."""
    choice = VersionChoice(at, strictly, capture, with_gone)
    form = CopyForm(mark_outside=mark_outside, freeze=list_texts(freeze, "freeze"), replace=replace)
    return run_mirror_page((read_path(archive), page), read_path(out), choice, form, CallbackListener(None, on_note))


def check_copy_targets(out: Path, form: CopyForm, single_file: str | None = None) -> None:
    """Refuse places where a copy cannot be written, before anything is captured for it."""
    if single_file is None:
        check_targets(out, form.build_options())
    else:
        _check_single_file(form)
        check_file(out, form.replace)
    check_state_addresses(list(form.freeze))


def run_mirror(path: Path, out: Path, choice: VersionChoice, form: CopyForm, listener: WorkListener) -> MirrorSummary:
    """Write a copy of an archive."""
    with open_archive(path, listener) as archive:
        wanted = choice.select(archive)
        options = form.build_options_for(archive, wanted.at if choice.at else None)
        return write_copy(archive, wanted, out, options, listener)


def write_copy(
    archive: Archive, wanted: CopySelection, out: Path, options: CopyOptions | None, listener: WorkListener
) -> MirrorSummary:
    """Write a copy of what is wanted of an archive that is open."""
    counts = {"files": 0, "bytes": 0}
    with WorkWatch(listener, "mirroring", lambda: counts) as watch:

        def add_files(files: int, size: int) -> None:
            counts["files"] += files
            counts["bytes"] += size
            watch.tick()

        made = mirror_archive(archive, wanted, out, options, add_files)
    for url, reason in sorted(made.built.damaged.items()):
        listener.on_note(f"not copied, or not whole: {url} ({reason})")
    for each in made.unfinished:
        listener.on_note(describe_unfinished(each))
    return MirrorSummary(out, made, None if options is None else options.zip_file)


def run_mirror_page(
    page: tuple[Path, str], out: Path, choice: VersionChoice, form: CopyForm, listener: WorkListener
) -> PageSummary:
    """Write one page of an archive as a single file."""
    _check_single_file(form)
    path, url = page
    with open_archive(path, listener) as archive:
        wanted = choice.select(archive)
        options = form.build_options_for(archive, wanted.at if choice.at else None)
        return write_page(archive, wanted, (url, out), options, listener)


def _check_single_file(form: CopyForm) -> None:
    """One page in one file is no folder with versions of a site."""
    if form.zip is not None or form.versions:
        raise UsageError(
            "--single-file makes one HTML file; take --zip and --versions away, or make a copy of the site"
        )


def write_page(
    archive: Archive, wanted: CopySelection, page: tuple[str, Path], options: CopyOptions, listener: WorkListener
) -> PageSummary:
    """Write one page of an archive that is open into one file; the page is given by its URL and the file."""
    from webkeep.mirror import write_single_page  # what makes documents takes long to load, and few ask for it

    url, out = page
    single = write_single_page(archive, wanted, url, out, options)
    for each in sorted(single.missing):
        listener.on_note(f"not in the archive: {each}")
    return PageSummary(
        out, len(single.page), tuple(sorted(single.missing)), single.needs, bool(single.frozen_for), single.frozen_for
    )


def _join_rules(include: Texts, exclude: Texts, filters: str) -> tuple[str, ...]:
    taken, left_out = list_texts(include, "include"), list_texts(exclude, "exclude")
    return (*rules_from_filters(filters), *(f"+{each}" for each in taken), *(f"-{each}" for each in left_out))


def _build_url_filters(rules: tuple[str, ...]) -> tuple[Callable[[str], bool], Callable[[str], bool] | None]:
    """Which URLs the rules take in, without any all; and which, left open by them, come along where embedded."""
    if not rules:
        return lambda _: True, None
    read = [include_rule(text[1:]) if text.startswith("+") else exclude_rule(text[1:]) for text in rules]
    scope = Scope([], read, requisites=False)
    if rules[0].startswith("-"):
        return lambda url: (decision := scope.judge(url)).is_allowed or decision.rule == BOUNDS_RULE, None
    return lambda url: scope.judge(url).is_allowed, lambda url: scope.judge(url).rule == BOUNDS_RULE
