"""Protection: components packed and sealed, spread as a plan says, signed, and laid ready in the vault's folder.

Theory of operation. All segments are packed each time, as only that tells whether they changed. One whose container is
the same as the last keeps its version and all its blocks, so that the pages that carry them stay as they are and
archives need not fetch them again. Others get a new version. State is written last, so that a run that is broken off
leaves the vault as it was.
"""

from __future__ import annotations

import hashlib
import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.model import Finding, Moment
from webkeep.process import atomic_file
from webkeep.vault.blocks.block_comment import comment_bytes, make_comment
from webkeep.vault.blocks.block_header import AGE_CIPHER, NO_CIPHER, SegmentIdentity
from webkeep.vault.blocks.block_signing import BlockSigner
from webkeep.vault.coding.segment_coding import BlockLayout, encode_segment
from webkeep.vault.components.component import Component
from webkeep.vault.components.selection import SelectedFile, SelectionRules
from webkeep.vault.container.age_encryption import SealingKey
from webkeep.vault.container.packed_entry import EntryKind, PackedEntry
from webkeep.vault.protection.manifest import (
    MANIFEST_DETAILS,
    MANIFEST_FILE,
    MAX_LISTED_FILES,
    VaultManifest,
    describe_segment,
)
from webkeep.vault.protection.manifest_room import estimate_manifest_room, room_for_manifest
from webkeep.vault.protection.plan_rule import PageLimits, check_page_sizes, grown_page_sizes, plan_by_rule
from webkeep.vault.protection.secret_check import refuse_secrets
from webkeep.vault.protection.segment_packing import PackedSegment, SegmentContent, gather_content, pack_segment
from webkeep.vault.protection.vault_folder import (
    MANIFEST,
    PublishedSegment,
    VaultFolder,
    VaultState,
    version_moment,
)
from webkeep.vault.vault_plan import DEFAULT_MAX_PAGE_BYTES, CarrierPage, SegmentPlan, VaultPlan, code_for


@dataclass(frozen=True, slots=True)
class ProtectionRequest:
    """What a person wants protected, and how."""

    components: tuple[Component, ...]
    pages: tuple[CarrierPage, ...]
    key: SealingKey | None
    key_mark: str
    """Tells whether the key is the one of the last time, without being it."""
    rules: SelectionRules = field(default_factory=SelectionRules)
    plan: VaultPlan | None = None
    together: bool = False
    """Whether all components are one segment."""
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    site: str = ""
    publish_secrets: bool = False
    """Whether keys and passwords may be packed where nothing is encrypted."""
    replan: bool = False
    """Whether pages and blocks are assigned anew though the last plan still fits."""

    @property
    def cipher(self) -> str:
        """What segments are encrypted by."""
        return NO_CIPHER if self.key is None else AGE_CIPHER


@dataclass(frozen=True, slots=True)
class ProtectionResult:
    """What protection came to."""

    state: VaultState
    changed: tuple[str, ...]
    """Names of the segments that have new blocks."""
    passed_over: tuple[Finding, ...]


def protect(request: ProtectionRequest, folder: VaultFolder, now: Moment) -> ProtectionResult:
    """Bring a vault's folder up to what its components are now."""
    if not request.components:
        raise UsageError("nothing to protect; name a component, such as --component /srv/app")
    if not request.pages:
        raise UsageError(
            "there are no pages that could carry blocks; name a tree with --tree or pages with --page-list"
        )
    folder.create()
    passed_over: list[Finding] = []
    with folder.work_alone() as work:
        return _protect_in(request, folder, now, work, passed_over)


def _protect_in(
    request: ProtectionRequest, folder: VaultFolder, now: Moment, work: Path, passed_over: list[Finding]
) -> ProtectionResult:
    before = folder.read_state()
    contents = [
        gather_content(name, components, request.rules, work, passed_over)
        for name, components in _group_components(request)
    ]
    if request.key is None and not request.publish_secrets:
        refuse_secrets(file for content in contents for file in content.files)
    packed = [pack_segment(content, work, request.key) for content in contents]
    plan = _choose_plan(request, packed, before)
    check_page_sizes(plan, request.cipher)
    maker = _SegmentMaker(folder, folder.signer(), request, _next_version(now, before))
    kept = (
        {each.identity.name: each for each in before.segments} if before and before.key_mark == request.key_mark else {}
    )
    segments, changed = [], []
    for planned, each in zip(plan.segments, packed, strict=True):
        old = kept.get(planned.name)
        if old is not None and _is_unchanged(old, each, planned) and folder.has_comments(old):
            segments.append(old)
        else:
            segments.append(maker.publish(each, planned.needed, planned.total, planned.pages))
            changed.append(planned.name)
    is_same = before is not None and before.plan == plan and len(before.segments) == len(segments)
    if before is not None and is_same and not changed and folder.has_comments(before.manifest):
        return ProtectionResult(before, (), tuple(passed_over))
    manifest = _publish_manifest(maker, plan, segments, packed, work)
    state = VaultState(maker.version, plan, tuple(segments), manifest, request.key_mark)
    folder.write_state(state)
    return ProtectionResult(state, tuple(changed), tuple(passed_over))


def _group_components(request: ProtectionRequest) -> list[tuple[str, tuple[Component, ...]]]:
    """Segments by name, each with its components: as the plan says, all in one, or each by itself."""
    by_name = {each.name: each for each in request.components}
    if len(by_name) != len(request.components):
        raise UsageError("two components have one name; give them names of their own as NAME=PATH")
    if MANIFEST in by_name:
        raise UsageError(f"a component cannot be called {MANIFEST!r}; give it another name as NAME=PATH")
    if request.plan is not None:
        planned = {name for segment in request.plan.segments for name in segment.components}
        if planned != set(by_name):
            raise UsageError(
                f"the plan is for the components {', '.join(sorted(planned))}, and these are "
                f"{', '.join(sorted(by_name))}; plan again"
            )
        return [(each.name, tuple(by_name[name] for name in each.components)) for each in request.plan.segments]
    if request.together:
        return [("site", request.components)]
    return [(each.name, (each,)) for each in request.components]


def _choose_plan(request: ProtectionRequest, packed: Sequence[PackedSegment], before: VaultState | None) -> VaultPlan:
    """The plan that was given; else the last one where it still fits; else one by rule."""
    sizes = {each.content.name: each.sealed.size for each in packed}
    if request.plan is not None:
        return _with_sizes(request.plan, sizes)
    if before is not None and not request.replan and (kept := _still_fitting(before.plan, request, packed)):
        return kept
    segments = [
        (each.content.name, tuple(component.name for component in each.content.components), each.sealed.size)
        for each in packed
    ]
    files = (entry.path for each in packed for entry in each.content.entries[:MAX_LISTED_FILES])
    room = estimate_manifest_room((page.path for page in request.pages), files, request.cipher)
    return plan_by_rule(
        segments, request.pages, PageLimits(request.max_page_bytes, room.page_bytes, room.pages), request.cipher
    )


def _with_sizes(plan: VaultPlan, sizes: dict[str, int]) -> VaultPlan:
    return replace(plan, segments=tuple(replace(each, sealed_bytes=sizes[each.name]) for each in plan.segments))


def _still_fitting(plan: VaultPlan, request: ProtectionRequest, packed: Sequence[PackedSegment]) -> VaultPlan | None:
    groups = [(each.content.name, tuple(one.name for one in each.content.components)) for each in packed]
    if [(each.name, each.components) for each in plan.segments] != groups:
        return None
    now = {page.path: page for page in request.pages}
    if any(page.path not in now for page in plan.pages) or plan.max_page_bytes != request.max_page_bytes:
        return None
    sized = replace(
        _with_sizes(plan, {each.content.name: each.sealed.size for each in packed}),
        pages=tuple(now[page.path] for page in plan.pages),
    )
    try:
        check_page_sizes(sized, request.cipher)
    except UsageError:
        return None
    return sized


def _is_unchanged(old: PublishedSegment, packed: PackedSegment, planned: SegmentPlan) -> bool:
    identity = old.identity
    return old.fingerprint == packed.sealed.fingerprint and (identity.needed, identity.total, old.pages) == (
        planned.needed,
        planned.total,
        planned.pages,
    )


def _next_version(now: Moment, before: VaultState | None) -> str:
    """The present second and a random mark; later than the last version, whatever the clock says."""
    if before is not None:
        now = max(now, version_moment(before.version).plus(1))
    return f"{now.datetime:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"


def _publish_manifest(
    maker: _SegmentMaker,
    plan: VaultPlan,
    segments: Sequence[PublishedSegment],
    packed: Sequence[PackedSegment],
    work: Path,
) -> PublishedSegment:
    """Spread the manifest that says most of those for which the pages have room."""
    cipher, sizes = maker.request.cipher, grown_page_sizes(plan, maker.request.cipher)
    for detail in MANIFEST_DETAILS:
        described = tuple(
            describe_segment(each, content.content.components, content.content.entries, plan.pages, detail)
            for each, content in zip(segments, packed, strict=True)
        )
        manifest = VaultManifest(maker.version, maker.request.site, described)
        sealed = _pack_manifest(manifest, Path(tempfile.mkdtemp(dir=work)), maker.request.key)
        room = room_for_manifest(sealed.sealed.size, cipher, plan.manifest_pages)
        fitting = (position for position, size in enumerate(sizes) if size + room.page_bytes <= plan.max_page_bytes)
        pages = tuple(islice(fitting, room.pages))
        if room.is_enough(len(pages)):
            return maker.publish(sealed, room.needed, len(pages), pages)
    raise UsageError(
        f"no page has room for the manifest, {room.page_bytes:,} bytes; allow larger pages (--max-page-size), or plan "
        "again with more pages"
    )


def _pack_manifest(manifest: VaultManifest, work: Path, key: SealingKey | None) -> PackedSegment:
    data, file = manifest.to_bytes(), work / MANIFEST_FILE
    with file.open("xb") as stream:
        stream.write(data)
    entry = PackedEntry(MANIFEST_FILE, EntryKind.FILE, len(data), 0)
    return pack_segment(SegmentContent(MANIFEST, (), (SelectedFile(entry, file),)), work, key)


@dataclass(frozen=True, slots=True)
class _SegmentMaker:
    """Makes the blocks of segments, all of one version."""

    folder: VaultFolder
    signer: BlockSigner
    request: ProtectionRequest
    version: str

    def publish(self, packed: PackedSegment, needed: int, total: int, pages: tuple[int, ...]) -> PublishedSegment:
        """Write the comments of a segment's blocks into the vault's folder."""
        identity = SegmentIdentity(
            vault=self.signer.vault,
            name=packed.content.name,
            version=self.version,
            code=code_for(total),
            total=total,
            needed=needed,
            size=packed.sealed.size,
            digest=packed.sealed.digest,
            cipher=self.request.cipher,
        )
        published = PublishedSegment(identity, packed.sealed.fingerprint, pages)
        self._write_comments(packed.path, published)
        return published

    def _write_comments(self, sealed: Path, published: PublishedSegment) -> None:
        identity = published.identity
        layout: BlockLayout = identity.layout
        length = comment_bytes(identity)
        with sealed.open("rb") as source, tempfile.TemporaryFile(dir=sealed.parent) as blocks:
            encode_segment(source, layout, blocks)
            with atomic_file(self.folder.comments / published.file_name, 0o600, sync=True) as target:
                for index in range(layout.total):
                    blocks.seek(index * layout.block_bytes)
                    comment = make_comment(identity, index, blocks.read(layout.block_bytes), self.signer)
                    if len(comment) != length:
                        raise AssertionError("comments of a segment have one length")
                    target.write(comment)


def mark_of_key(kind: str, secret: bytes) -> str:
    """What tells on this machine whether a key is the same the next time."""
    return f"{kind}:{hashlib.sha256(secret).hexdigest()}"
