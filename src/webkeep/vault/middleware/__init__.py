"""The vault in a running server: ASGI and WSGI middleware that puts blocks into pages while they are served."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.vault.middleware.asgi import (
        VaultMiddleware as VaultMiddleware,
    )
    from webkeep.vault.middleware.carrier_response import (
        CarrierOptions as CarrierOptions,
    )
    from webkeep.vault.middleware.wsgi import (
        VaultApplication as VaultApplication,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "asgi": ("VaultMiddleware",),
            "carrier_response": ("CarrierOptions",),
            "wsgi": ("VaultApplication",),
        },
    )
