"""What is done to an archive as a whole: verified, rebuilt, parts of it taken down."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.maintenance.rebuild import rebuild_caches as rebuild_caches
    from webkeep.store.maintenance.takedown import select_for_takedown as select_for_takedown, take_down as take_down
    from webkeep.store.maintenance.verification import (
        VerificationResult as VerificationResult,
        verify_archive as verify_archive,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "rebuild": ("rebuild_caches",),
            "takedown": ("select_for_takedown", "take_down"),
            "verification": ("VerificationResult", "verify_archive"),
        },
    )
