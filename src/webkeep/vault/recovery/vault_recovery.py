"""A vault brought back: which vault and which versions, newest complete ones first; what came back, and for the rest
how near it is.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.errors import FormatError, StorageError, UsageError
from webkeep.model import Finding
from webkeep.presentation import format_count
from webkeep.vault.blocks.block_header import NO_CIPHER
from webkeep.vault.container.age_encryption import UnsealingKeys
from webkeep.vault.protection.manifest import MANIFEST_FILE, ManifestSegment, VaultManifest, parse_manifest
from webkeep.vault.protection.vault_folder import MANIFEST
from webkeep.vault.recovery.block_collection import BlockCollection, SegmentBlocks
from webkeep.vault.recovery.restore import RestoredFiles, restore_container
from webkeep.vault.recovery.segment_recovery import open_segment

_MAX_NAMED_VAULTS = 10
"""In a message, those with the most blocks first."""
_MAX_NAMED_REASONS = 5
"""In a message, why blocks cannot be used, the most frequent first."""
_MAX_NAMED_VERSIONS = 5
"""In a message, the newest first."""
_MAX_MANIFEST_BYTES = 64 << 20
"""Unpacked; a manifest of a hundred thousand pages has a tenth of it."""


@dataclass(frozen=True, slots=True)
class SegmentOutcome:
    """What became of a segment."""

    name: str
    version: str
    """That came back; where none did, the newest that is known."""
    needed: int
    total: int
    held: int
    """Blocks that were found of that version."""
    newest: str = ""
    """The newest version that is known of."""
    restored: RestoredFiles | None = None
    problem: str = ""
    """Why it did not come back though there were enough blocks."""
    older: tuple[str, ...] = ()
    """Versions before the one that came back of which there are enough blocks too, the newest first."""
    missing_pages: tuple[str, ...] = ()
    """Pages that carry blocks of it which were not found, by the manifest."""
    said: ManifestSegment | None = None
    """What the manifest says of it, where it was found and this did not come back."""

    @property
    def is_recovered(self) -> bool:
        """Whether its files are there."""
        return self.restored is not None

    @property
    def short_by(self) -> int:
        """Blocks that are missing."""
        return max(0, self.needed - self.held)


@dataclass(frozen=True, slots=True)
class RecoveredVault:
    """What came back of a vault."""

    vault: str
    site: str
    segments: tuple[SegmentOutcome, ...]
    manifest: VaultManifest | None
    loading: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether all that is known of came back, in the newest version that is known."""
        return all(each.is_recovered and each.version >= each.newest for each in self.segments)


@dataclass(slots=True)
class _Vault:
    name: str
    segments: dict[str, list[SegmentBlocks]] = field(default_factory=lambda: defaultdict(list))
    """Versions of each segment, newest first."""

    @property
    def blocks(self) -> int:
        return sum(len(each.places) for versions in self.segments.values() for each in versions)

    @property
    def has_whole_segment(self) -> bool:
        return any(not each.missing for name, found in self.segments.items() if name != MANIFEST for each in found)


def needs_passphrase(collection: BlockCollection) -> bool:
    """Whether anything that was found is encrypted."""
    return any(identity.cipher != NO_CIPHER for identity in collection.versions)


def _sort_vaults(collection: BlockCollection) -> list[_Vault]:
    vaults: dict[str, _Vault] = {}
    for identity, held in collection.versions.items():
        vaults.setdefault(identity.vault, _Vault(identity.vault)).segments[identity.name].append(held)
    for vault in vaults.values():
        for versions in vault.segments.values():
            versions.sort(key=lambda each: (each.identity.version, len(each.places)), reverse=True)
    return sorted(vaults.values(), key=lambda each: (each.has_whole_segment, each.blocks), reverse=True)


def recover_vault(
    collection: BlockCollection, keys: UnsealingKeys, into: Path, vault: str = "", version: str = ""
) -> RecoveredVault:
    """Restore what can be of a vault below a folder, which must not hold anything yet."""
    if not collection.vaults and collection.unusable:
        raise UsageError(_describe_damage(collection.unusable))
    chosen = _choose_vault(_sort_vaults(collection), vault, collection.vaults)
    _check_version(chosen, version)
    _check_target(into)
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into.parent, prefix=f".{into.name}-") as work:
        recovery = _Recovery(collection, keys, Path(work), version)
        manifest = recovery.read_manifest(chosen.segments.get(MANIFEST, []))
        outcomes = recovery.recover_segments(chosen, manifest)
        recovery.move_into(into)
    loading = tuple(line for each in manifest.segments for line in each.loading) if manifest else ()
    findings = tuple(finding for each in outcomes if each.restored for finding in each.restored.findings)
    return RecoveredVault(chosen.name, manifest.site if manifest else "", outcomes, manifest, loading, findings)


def _describe_damage(unusable: Counter[str]) -> str:
    reasons = "; ".join(f"{count:,} {reason}" for reason, count in unusable.most_common(_MAX_NAMED_REASONS))
    found = format_count(unusable.total(), "block")
    return f"{found} found, but none can be used ({reasons}); look at other copies of the pages"


def _choose_vault(vaults: Sequence[_Vault], wanted: str, seen: Counter[str]) -> _Vault:
    if not seen:
        raise UsageError("no blocks of a vault were found; look at other pages, or at more of them")
    if wanted:
        found = [each for each in vaults if each.name.startswith(wanted)]
        if len(found) != 1:
            raise UsageError(f"{len(found)} vaults begin with {wanted!r}; there are {_list_names(seen)}")
        return found[0]
    if len(vaults) < len(seen):  # more than can be held: the one that is meant may not be among them
        raise UsageError(f"there are blocks of {len(seen):,} vaults; choose one by --vault: {_list_names(seen)}")
    whole = [each for each in vaults if each.has_whole_segment]
    # A small vault that is whole may be anybody's, put beside a larger one that lacks blocks.
    rivals = whole if len(whole) > 1 else [each for each in vaults if each.blocks >= vaults[0].blocks]
    if len(rivals) > 1:
        raise UsageError(
            f"there are blocks of {len(rivals)} vaults, and who made them cannot be told by them; "
            f"choose one by --vault: {_list_names(Counter({each.name: seen[each.name] for each in rivals}))}"
        )
    return vaults[0]


def _list_names(seen: Counter[str]) -> str:
    named = ", ".join(f"{name} ({format_count(count, 'block')})" for name, count in seen.most_common(_MAX_NAMED_VAULTS))
    return f"{named}, …" if len(seen) > _MAX_NAMED_VAULTS else named


def _check_version(vault: _Vault, version: str) -> None:
    known = sorted({each.identity.version for found in vault.segments.values() for each in found}, reverse=True)
    if version and version < known[-1]:
        more = ", …" if len(known) > _MAX_NAMED_VERSIONS else ""
        raise UsageError(
            f"nothing was found that is as old as version {version}; there are {', '.join(known[:_MAX_NAMED_VERSIONS])}"
            f"{more}"
        )


def _check_target(into: Path) -> None:
    if into.is_symlink() or (into.exists() and (not into.is_dir() or any(into.iterdir()))):
        raise UsageError(f"{into} is there already and not empty; name a folder that is not there yet")


class _Recovery:
    def __init__(self, collection: BlockCollection, keys: UnsealingKeys, work: Path, version: str) -> None:
        self._collection, self._keys, self._version = collection, keys, version
        self._work = work
        self._key_error: UsageError | None = None
        """What was said of the keys, where they did not fit something."""
        self._restored = work / "restored"
        self._restored.mkdir()

    def read_manifest(self, versions: Sequence[SegmentBlocks]) -> VaultManifest | None:
        """The newest manifest that can be read, up to the version that is wanted."""
        for held in versions:
            if self._version and held.identity.version > self._version:
                continue
            folder = Path(tempfile.mkdtemp(dir=self._work))
            try:
                with open_segment(self._collection, held, self._keys, self._work) as chunks:
                    if chunks is None:
                        continue
                    restore_container(chunks, folder, MANIFEST)
                file = folder / MANIFEST_FILE
                if file.stat().st_size <= _MAX_MANIFEST_BYTES:
                    return parse_manifest(file.read_bytes())
            except (FormatError, FileNotFoundError, IsADirectoryError):
                continue
            except UsageError as error:
                self._key_error = error
        return None

    def recover_segments(self, vault: _Vault, manifest: VaultManifest | None) -> tuple[SegmentOutcome, ...]:
        """Every segment that is known of, by its blocks or by the manifest."""
        names = [each.name for each in manifest.segments] if manifest else []
        others = sorted(
            name
            for name, versions in vault.segments.items()
            if name not in (MANIFEST, *names) and self._is_newer_than(manifest, versions)
        )
        outcomes = tuple(
            self._recover_segment(name, vault.segments.get(name, []), manifest) for name in [*names, *others]
        )
        if self._key_error is not None and not any(each.is_recovered for each in outcomes):
            raise self._key_error
        return outcomes

    def _is_newer_than(self, manifest: VaultManifest | None, versions: Sequence[SegmentBlocks]) -> bool:
        """Whether any version of a segment that a manifest does not name came after it; older ones were given up."""
        said = [each.identity.version for each in versions]
        return manifest is None or any(
            each > manifest.version and (not self._version or each <= self._version) for each in said
        )

    def _recover_segment(
        self, name: str, versions: Sequence[SegmentBlocks], manifest: VaultManifest | None
    ) -> SegmentOutcome:
        said = next((each for each in manifest.segments if each.name == name), None) if manifest else None
        newest = max([said.version if said else "", *(each.identity.version for each in versions)])
        if self._version:
            versions = [each for each in versions if each.identity.version <= (said.version if said else self._version)]
            newest = said.version if said else (versions[0].identity.version if versions else "")
        problem = ""
        for position, held in enumerate(versions, 1):
            try:
                restored = self._restore(name, held)
            except FormatError as error:
                problem = str(error)
                continue
            except UsageError as error:  # an older version may have been sealed by another key
                self._key_error, problem = error, str(error)
                continue
            if restored is not None:
                identity = held.identity
                older = tuple(each.identity.version for each in versions[position:] if not each.missing)
                return SegmentOutcome(
                    name,
                    identity.version,
                    identity.needed,
                    identity.total,
                    len(held.places),
                    newest,
                    restored,
                    older=older,
                )
        return _describe_missing(name, versions, said, newest, problem)

    def _restore(self, name: str, held: SegmentBlocks) -> RestoredFiles | None:
        with open_segment(self._collection, held, self._keys, self._work) as chunks:
            if chunks is None:
                return None
            folder = Path(tempfile.mkdtemp(dir=self._work))
            restored = restore_container(chunks, folder, name)
        found = list(folder.iterdir())
        for each in found:
            if os.path.lexists(self._restored / each.name):
                raise FormatError(f"two segments hold something called {each.name!r}")
        for each in found:
            each.rename(self._restored / each.name)
        return restored

    def move_into(self, into: Path) -> None:
        """Put what was restored where it is wanted."""
        try:
            into.mkdir(exist_ok=True)
            for each in self._restored.iterdir():
                shutil.move(each, into / each.name)
        except OSError as error:
            raise StorageError(f"{into} cannot be written ({error.strerror}); make room or choose another") from error


def _describe_missing(
    name: str, versions: Sequence[SegmentBlocks], told: ManifestSegment | None, newest: str, problem: str
) -> SegmentOutcome:
    nearest = min(versions, key=lambda each: each.missing, default=None)
    if nearest is None:
        if told is None:
            return SegmentOutcome(name, newest, 0, 0, 0, newest, problem=problem)
        return SegmentOutcome(
            name, told.version, told.needed, told.total, 0, newest, problem=problem, missing_pages=told.pages, said=told
        )
    identity = nearest.identity
    pages: tuple[str, ...] = ()
    if told is not None and told.version == identity.version:
        pages = tuple(page for index, page in enumerate(told.pages) if index not in nearest.places)
    return SegmentOutcome(
        name,
        identity.version,
        identity.needed,
        identity.total,
        len(nearest.places),
        newest,
        problem=problem,
        missing_pages=pages,
        said=told,
    )
