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
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.model import Finding, Moment
from webkeep.process import atomic_file
from webkeep.vault.blocks.block_comment import comment_bytes, make_comment
from webkeep.vault.blocks.block_header import SegmentIdentity
from webkeep.vault.blocks.block_signing import BlockSigner
from webkeep.vault.coding.segment_coding import BlockLayout, encode_segment
from webkeep.vault.components.selection import SelectedFile
from webkeep.vault.container.age_encryption import SealingKey
from webkeep.vault.container.packed_entry import EntryKind, PackedEntry
from webkeep.vault.protection.manifest import (
    MANIFEST_DETAILS,
    MANIFEST_FILE,
    VaultManifest,
    describe_segment,
)
from webkeep.vault.protection.manifest_room import room_for_manifest
from webkeep.vault.protection.plan_choice import choose_plan, group_components
from webkeep.vault.protection.plan_rule import check_page_sizes, grown_page_sizes
from webkeep.vault.protection.protection_request import ProtectionRequest
from webkeep.vault.protection.secret_check import refuse_secrets
from webkeep.vault.protection.segment_packing import PackedSegment, SegmentContent, gather_content, pack_segment
from webkeep.vault.protection.vault_folder import (
    MANIFEST,
    PublishedSegment,
    VaultFolder,
    VaultState,
    version_moment,
)
from webkeep.vault.vault_plan import VaultPlan, code_for


@dataclass(frozen=True, slots=True)
class ProtectionResult:
    """What protection came to."""

    state: VaultState
    changed: tuple[str, ...]
    """Names of the segments that have new blocks."""
    passed_over: tuple[Finding, ...]
    gone_pages: frozenset[str] = frozenset()
    """Pages that were to carry blocks and are no longer there."""
    new_pages: int = 0
    """Pages that came since blocks were assigned, and carry none."""


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
    signer = folder.signer()  # by its key the folder is known, if a component has it in it
    contents = [
        gather_content(name, components, request.rules, work, passed_over)
        for name, components in group_components(request, before)
    ]
    if request.key is None and not request.publish_secrets:
        refuse_secrets(file for content in contents for file in content.files)
    packed = [pack_segment(content, work, request.key) for content in contents]
    plan = choose_plan(request, packed, before)
    check_page_sizes(plan, request.cipher)
    maker = _SegmentMaker(folder, signer, request, _next_version(now, before))
    kept = _find_unchanged(before, plan, packed) if before and before.key_mark == request.key_mark else {}
    segments, changed = [], []
    for planned, each in zip(plan.segments, packed, strict=True):
        old = kept.get(planned.name)
        if old is not None and folder.has_comments(old):
            segments.append(replace(old, pages=planned.pages))
        else:
            segments.append(maker.publish(each, planned.needed, planned.total, planned.pages))
            changed.append(planned.name)
    is_same = before is not None and _says_the_same(before, plan, segments, request.site)
    if before is not None and is_same and folder.has_comments(before.manifest):
        version, manifest = before.version, before.manifest
    else:
        version, manifest = maker.version, _publish_manifest(maker, plan, segments, packed, work)
    state = VaultState(version, plan, tuple(segments), manifest, request.key_mark, request.site)
    if state != before:
        folder.write_state(state)
    here, planned_paths = {page.path for page in request.pages}, {page.path for page in plan.pages}
    gone = frozenset(path for path, blocks in state.blocks_by_page().items() if blocks and path not in here)
    return ProtectionResult(state, tuple(changed), tuple(passed_over), gone, len(here - planned_paths))


def _says_the_same(before: VaultState, plan: VaultPlan, segments: Sequence[PublishedSegment], site: str) -> bool:
    """Whether the manifest that is out says what a new one would; pages may have other sizes."""
    then, now = (_page_paths(each, range(len(each.pages))) for each in (before.plan, plan))
    return then == now and before.segments == tuple(segments) and before.site == site


def _find_unchanged(
    before: VaultState, plan: VaultPlan, packed: Sequence[PackedSegment]
) -> dict[str, PublishedSegment]:
    """Segments by name that are what they were, with each block in the page where it was."""
    old = {each.identity.name: each for each in before.segments}
    kept = {}
    for planned, each in zip(plan.segments, packed, strict=True):
        was = old.get(planned.name)
        if was is None or was.fingerprint != each.sealed.fingerprint:
            continue
        then, now = _page_paths(before.plan, was.pages), _page_paths(plan, planned.pages)
        if (was.identity.needed, was.identity.total, then) == (planned.needed, planned.total, now):
            kept[planned.name] = was
    return kept


def _page_paths(plan: VaultPlan, positions: Sequence[int]) -> list[str]:
    return [plan.pages[each].path for each in positions]


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
