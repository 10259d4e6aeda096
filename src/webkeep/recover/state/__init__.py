"""What a recovery knows: the database of URLs and held versions, and the provenance records beside what was stored."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.recover.state.provenance import RecoveryProvenance as RecoveryProvenance
    from webkeep.recover.state.recovery_rows import (
        RecoveredResource as RecoveredResource,
        RepositoryStatus as RepositoryStatus,
    )
    from webkeep.recover.state.recovery_store import RecoveryStore as RecoveryStore
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "provenance": ("RecoveryProvenance",),
            "recovery_rows": ("RecoveredResource", "RepositoryStatus"),
            "recovery_store": ("RecoveryStore",),
        },
    )
