"""The vault's own folder, on the server and never in what it serves: its signing key, its state, and the comments of
all blocks, ready for pages.

```
FOLDER/
  signing-key                the secret that blocks are signed by; for its owner only
  vault.json                 the plan, and which version of each segment is out
  captures.json              which captures archives were asked for
  work-…                     dumps and segments while they are packed; what a killed run left is removed by the next
  comments/NAME-VERSION      the comments of a segment's blocks, all of one length, one behind the other
```
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from webkeep.errors import StorageError, UsageError
from webkeep.model import Moment
from webkeep.process import write_atomically
from webkeep.vault.blocks.block_comment import comment_bytes
from webkeep.vault.blocks.block_header import SegmentIdentity
from webkeep.vault.blocks.block_signing import COMMENT_FOLDER, KEY_FILE, BlockSigner
from webkeep.vault.plan_file import plan_from_json, plan_to_json
from webkeep.vault.protection.folder_lock import lock_folder, remove_unfinished
from webkeep.vault.vault_plan import VaultPlan

MANIFEST = "manifest"
"""The segment that says what there is; no other is called so."""
_FORMAT = "webkeep-vault-1"
_WORK_PREFIX = "work-"
_OWNER_ONLY = 0o600
"""The mode of what nobody else is to read."""


@dataclass(frozen=True, slots=True)
class PublishedSegment:
    """The version of a segment that is out in pages."""

    identity: SegmentIdentity
    fingerprint: str
    """Of what was packed, to tell whether it changed."""
    pages: tuple[int, ...]
    """Which page carries each block."""

    @property
    def file_name(self) -> str:
        """The file of its comments."""
        return f"{self.identity.name}-{self.identity.version}"


@dataclass(frozen=True, slots=True)
class VaultState:
    """What is out in pages."""

    version: str
    plan: VaultPlan
    segments: tuple[PublishedSegment, ...]
    manifest: PublishedSegment
    key_mark: str
    """What tells whether the same key is used the next time, without being it."""
    site: str = ""
    """Its address, as the manifest has it."""

    def blocks_by_page(self) -> dict[str, list[tuple[PublishedSegment, int]]]:
        """Which blocks each page carries, by its path."""
        carried: dict[str, list[tuple[PublishedSegment, int]]] = {page.path: [] for page in self.plan.pages}
        for segment in (*self.segments, self.manifest):
            for index, page in enumerate(segment.pages):
                carried[self.plan.pages[page].path].append((segment, index))
        return carried

    def newest_version(self, blocks: Sequence[tuple[PublishedSegment, int]]) -> str:
        """The newest version among blocks of a page: when they last moved."""
        return max((segment.identity.version for segment, _ in blocks), default="")


def version_moment(version: str) -> Moment:
    """When a version was made."""
    return Moment.parse(version[:15].replace("T", ""))


class VaultFolder:
    """A vault's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.comments = path / COMMENT_FOLDER
        self._state = path / "vault.json"
        self._key = path / KEY_FILE
        self._captures = path / "captures.json"
        self._is_held = False

    def create(self) -> None:
        """Make the folder where there is none."""
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.comments.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise UsageError(f"the vault's folder {self.path} cannot be made ({error.strerror})") from error

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Let no other run change the vault meanwhile; whoever holds it may hold it once more."""
        if self._is_held:
            yield
            return
        with lock_folder(self.path):
            self._is_held = True
            try:
                yield
            finally:
                self._is_held = False

    @contextmanager
    def work_alone(self) -> Iterator[Path]:
        """A folder for the work of one run; no other changes the vault meanwhile, and nothing of a killed one stays."""
        with self.hold():
            for left in self.path.glob(f"{_WORK_PREFIX}*"):
                shutil.rmtree(left)
            remove_unfinished([*self.path.iterdir(), *self.comments.iterdir()])
            with tempfile.TemporaryDirectory(dir=self.path, prefix=_WORK_PREFIX) as work:
                yield Path(work)

    def signer(self) -> BlockSigner:
        """What signs the vault's blocks; a new vault gets a key of its own."""
        if not self._key.exists():
            write_atomically(self._key, BlockSigner.new_secret(), _OWNER_ONLY, sync=True)
        secret = self._key.read_bytes()
        if len(secret) != 32:
            raise StorageError(f"{self._key} is no signing key; put the right one back, or begin a new vault")
        return BlockSigner(secret)

    def read_state(self) -> VaultState | None:
        """What is out in pages; None for a new vault."""
        try:
            said = json.loads(self._state.read_bytes())
            return VaultState(
                version=said["version"] if said["format"] == _FORMAT else _refuse_format(said["format"]),
                plan=plan_from_json(said["plan"]),
                segments=tuple(map(_segment_from_json, said["segments"])),
                manifest=_segment_from_json(said["manifest"]),
                key_mark=said["key_mark"],
                site=said.get("site", ""),
            )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StorageError(f"{self._state} cannot be read ({error}); put it back, or begin a new vault") from error

    def write_state(self, state: VaultState) -> None:
        """Say what is out in pages, and forget the comments of versions that no longer are."""
        said = {
            "format": _FORMAT,
            "version": state.version,
            "plan": plan_to_json(state.plan),
            "segments": [asdict(each) for each in state.segments],
            "manifest": asdict(state.manifest),
            "key_mark": state.key_mark,
            "site": state.site,
        }
        write_atomically(self._state, json.dumps(said).encode(), _OWNER_ONLY, sync=True)
        current = {each.file_name for each in (*state.segments, state.manifest)}
        for file in self.comments.iterdir():
            if file.name not in current:
                file.unlink()

    def read_captures_asked(self, archive: str) -> dict[str, str]:
        """The version of the blocks of each page for which an archive was last asked for a capture."""
        said = self._read_captures().get(archive, {})
        return {str(path): str(version) for path, version in said.items()} if isinstance(said, dict) else {}

    def write_captures_asked(self, archive: str, asked: Mapping[str, str]) -> None:
        """Remember them."""
        said = {**self._read_captures(), archive: dict(asked)}
        write_atomically(self._captures, json.dumps(said).encode(), _OWNER_ONLY)

    def _read_captures(self) -> dict[str, Any]:
        try:
            said = json.loads(self._captures.read_bytes())
        except (OSError, ValueError):
            return {}  # they are asked once more then
        return said if isinstance(said, dict) else {}

    def has_comments(self, segment: PublishedSegment) -> bool:
        """Whether the comments of all blocks of a segment are there."""
        try:
            size = (self.comments / segment.file_name).stat().st_size
        except OSError:
            return False
        return size == comment_bytes(segment.identity) * segment.identity.total

    def read_comment(self, segment: PublishedSegment, index: int) -> bytes:
        """The comment of one block."""
        length, file = comment_bytes(segment.identity), self.comments / segment.file_name
        try:
            with file.open("rb") as stream:
                stream.seek(index * length)
                data = stream.read(length)
        except OSError as error:
            raise StorageError(f"{file} cannot be read ({error.strerror}); protect again to write it anew") from error
        if len(data) != length:
            raise StorageError(f"{file} is too short; protect again to write it anew")
        return data


def _refuse_format(name: object) -> str:
    raise ValueError(f"its format is {name!r}")


def _segment_from_json(said: dict[str, Any]) -> PublishedSegment:
    return PublishedSegment(SegmentIdentity(**said["identity"]), said["fingerprint"], tuple(said["pages"]))
