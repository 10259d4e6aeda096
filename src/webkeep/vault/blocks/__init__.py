"""Blocks: how they stand in pages, how they are signed, put in and found again."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.vault.blocks.block_comment import (
        comment_bytes as comment_bytes,
        make_comment as make_comment,
    )
    from webkeep.vault.blocks.block_header import (
        AGE_CIPHER as AGE_CIPHER,
        NO_CIPHER as NO_CIPHER,
        BlockHeader as BlockHeader,
        SegmentIdentity as SegmentIdentity,
        is_version as is_version,
    )
    from webkeep.vault.blocks.block_scanner import (
        ScannedBlock as ScannedBlock,
        UnusableBlock as UnusableBlock,
        scan_blocks as scan_blocks,
    )
    from webkeep.vault.blocks.block_signing import (
        BlockSigner as BlockSigner,
    )
    from webkeep.vault.blocks.page_injection import (
        can_carry as can_carry,
        inject_blocks as inject_blocks,
        strip_blocks as strip_blocks,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "block_comment": (
                "comment_bytes",
                "make_comment",
            ),
            "block_header": (
                "AGE_CIPHER",
                "NO_CIPHER",
                "BlockHeader",
                "SegmentIdentity",
                "is_version",
            ),
            "block_scanner": (
                "ScannedBlock",
                "UnusableBlock",
                "scan_blocks",
            ),
            "block_signing": ("BlockSigner",),
            "page_injection": (
                "can_carry",
                "inject_blocks",
                "strip_blocks",
            ),
        },
    )
