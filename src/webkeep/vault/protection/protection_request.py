"""What a person wants protected, and how."""

from __future__ import annotations

from dataclasses import dataclass, field

from webkeep.vault.blocks.block_header import AGE_CIPHER, NO_CIPHER
from webkeep.vault.components.component import Component
from webkeep.vault.components.selection import SelectionRules
from webkeep.vault.container.age_encryption import SealingKey
from webkeep.vault.vault_plan import CarrierPage, VaultPlan


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
    max_page_bytes: int | None = None
    """No page becomes larger; None keeps to what was said the last time."""
    site: str = ""
    publish_secrets: bool = False
    """Whether keys and passwords may be packed where nothing is encrypted."""
    replan: bool = False
    """Whether pages and blocks are assigned anew though the last plan still fits."""

    @property
    def cipher(self) -> str:
        """What segments are encrypted by."""
        return NO_CIPHER if self.key is None else AGE_CIPHER
