"""Protection: components sealed, spread over pages and written into them; what is kept of it on this machine."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.vault.protection.manifest import (
        VaultManifest as VaultManifest,
        parse_manifest as parse_manifest,
    )
    from webkeep.vault.protection.manifest_room import (
        ManifestRoom as ManifestRoom,
        estimate_manifest_room as estimate_manifest_room,
    )
    from webkeep.vault.protection.page_list import (
        read_page_list as read_page_list,
    )
    from webkeep.vault.protection.plan_rule import (
        planned_comment_bytes as planned_comment_bytes,
    )
    from webkeep.vault.protection.protection_request import (
        ProtectionRequest as ProtectionRequest,
    )
    from webkeep.vault.protection.segment_packing import (
        gather_content as gather_content,
        pack_segment as pack_segment,
    )
    from webkeep.vault.protection.static_tree import (
        TreeChange as TreeChange,
        TreeOptions as TreeOptions,
        find_carriers as find_carriers,
        list_carrying_files as list_carrying_files,
        write_tree as write_tree,
    )
    from webkeep.vault.protection.vault_folder import (
        PublishedSegment as PublishedSegment,
        VaultFolder as VaultFolder,
        VaultState as VaultState,
    )
    from webkeep.vault.protection.vault_pages import (
        write_raw_files as write_raw_files,
        write_vault_pages as write_vault_pages,
    )
    from webkeep.vault.protection.vault_protection import (
        ProtectionResult as ProtectionResult,
        mark_of_key as mark_of_key,
        protect as protect,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "manifest": (
                "VaultManifest",
                "parse_manifest",
            ),
            "manifest_room": ("ManifestRoom", "estimate_manifest_room"),
            "page_list": ("read_page_list",),
            "plan_rule": ("planned_comment_bytes",),
            "protection_request": ("ProtectionRequest",),
            "segment_packing": (
                "gather_content",
                "pack_segment",
            ),
            "static_tree": (
                "TreeChange",
                "find_carriers",
                "list_carrying_files",
                "write_tree",
                "TreeOptions",
            ),
            "vault_folder": (
                "PublishedSegment",
                "VaultFolder",
                "VaultState",
            ),
            "vault_protection": (
                "ProtectionResult",
                "mark_of_key",
                "protect",
            ),
            "vault_pages": (
                "write_raw_files",
                "write_vault_pages",
            ),
        },
    )
