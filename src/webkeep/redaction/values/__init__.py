"""Values known to be secret, found wherever they are written and however they are escaped."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.redaction.values.escapes import (
        decode_bytes as decode_bytes,
        decode_percent as decode_percent,
        decode_references as decode_references,
    )
    from webkeep.redaction.values.known_values import (
        KnownValues as KnownValues,
        cookie_secrets as cookie_secrets,
        header_secrets as header_secrets,
        login_secrets as login_secrets,
        stored_secrets as stored_secrets,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "escapes": ("decode_bytes", "decode_percent", "decode_references"),
            "known_values": ("KnownValues", "cookie_secrets", "header_secrets", "login_secrets", "stored_secrets"),
        },
    )
