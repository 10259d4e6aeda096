"""What components come to once they are packed and sealed, each by itself, for a plan; nothing of it is kept."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from webkeep.model import Finding
from webkeep.vault.components.component import Component
from webkeep.vault.components.selection import SelectionRules
from webkeep.vault.container.age_encryption import SealingKey
from webkeep.vault.planning.block_layout import SegmentSource
from webkeep.vault.protection.manifest import MAX_LISTED_FILES
from webkeep.vault.protection.segment_packing import gather_content, pack_segment

_TRIAL_WORK_FACTOR_LOG2 = 10
"""Of a passphrase that guards nothing; with as many digits as a real one's, so that sizes are the same."""


@dataclass(frozen=True, slots=True)
class MeasuredComponents:
    """What components come to."""

    sources: tuple[SegmentSource, ...]
    """Each by itself, in their order."""
    file_paths: tuple[str, ...]
    """What is in them, as far as a manifest names it."""


def measure_components(
    components: Sequence[Component], rules: SelectionRules, is_encrypted: bool, passed_over: list[Finding]
) -> MeasuredComponents:
    """The packed and sealed size of each component; what is not packed is told."""
    key = SealingKey.from_passphrase("", _TRIAL_WORK_FACTOR_LOG2) if is_encrypted else None
    sources, paths = [], []
    with tempfile.TemporaryDirectory(prefix="webkeep-vault-") as folder:
        for component in components:
            content = gather_content(component.name, (component,), rules, Path(folder), passed_over)
            packed = pack_segment(content, Path(folder), key)
            sources.append(SegmentSource(component.name, (component.name,), packed.sealed.size))
            paths += [entry.path for entry in content.entries[:MAX_LISTED_FILES]]
            packed.path.unlink()
    return MeasuredComponents(tuple(sources), tuple(paths))
