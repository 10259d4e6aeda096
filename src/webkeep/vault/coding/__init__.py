"""Erasure codes: a sealed segment becomes blocks of which a part suffices."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.vault.coding.segment_coding import (
        BlockLayout as BlockLayout,
        block_bytes_of as block_bytes_of,
        decode_segment as decode_segment,
        encode_segment as encode_segment,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "segment_coding": (
                "BlockLayout",
                "block_bytes_of",
                "decode_segment",
                "encode_segment",
            ),
        },
    )
