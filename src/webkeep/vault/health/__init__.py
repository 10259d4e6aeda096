"""The health of a vault before the loss: which of its blocks archives hold today, and what that is enough for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.vault.health.vault_health import (
        HealthSurvey as HealthSurvey,
        PageHealth as PageHealth,
        SegmentHealth as SegmentHealth,
        VaultHealth as VaultHealth,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__, {"vault_health": ("HealthSurvey", "PageHealth", "SegmentHealth", "VaultHealth")}
    )
