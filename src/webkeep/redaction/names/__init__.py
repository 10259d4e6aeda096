"""The one list of what is a credential, and which names are secret for one person."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.redaction.names.credential_names import (
        header_secrecy_of as header_secrecy_of,
        secrecy_of as secrecy_of,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "credential_names": ("header_secrecy_of", "secrecy_of"),
        },
    )
