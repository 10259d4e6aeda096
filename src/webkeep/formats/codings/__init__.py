"""Transfer and content codings undone, and the one bound on whatever is unpacked."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.codings.body_decoding import (
        CODING_BOMB as CODING_BOMB,
        decode_body as decode_body,
        has_codings as has_codings,
    )
    from webkeep.formats.codings.chunked import FlawCallback as FlawCallback
    from webkeep.formats.codings.expansion_limit import (
        PACKED_FILE_LIMIT as PACKED_FILE_LIMIT,
        ExpansionLimit as ExpansionLimit,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "body_decoding": ("CODING_BOMB", "decode_body", "has_codings"),
            "chunked": ("FlawCallback",),
            "expansion_limit": ("ExpansionLimit", "PACKED_FILE_LIMIT"),
        },
    )
