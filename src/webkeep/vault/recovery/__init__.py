"""Recovery: blocks gathered out of whatever holds pages, segments decoded, files restored."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.vault.recovery.block_collection import (
        BlockCollection as BlockCollection,
        SegmentBlocks as SegmentBlocks,
    )
    from webkeep.vault.recovery.page_sources import (
        find_vaults as find_vaults,
        open_source as open_source,
    )
    from webkeep.vault.recovery.vault_recovery import (
        RecoveredVault as RecoveredVault,
        SegmentOutcome as SegmentOutcome,
        needs_passphrase as needs_passphrase,
        recover_vault as recover_vault,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "block_collection": (
                "BlockCollection",
                "SegmentBlocks",
            ),
            "page_sources": (
                "find_vaults",
                "open_source",
            ),
            "vault_recovery": (
                "RecoveredVault",
                "SegmentOutcome",
                "needs_passphrase",
                "recover_vault",
            ),
        },
    )
