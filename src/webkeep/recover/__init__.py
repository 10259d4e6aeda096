"""Lost websites, brought back out of the archives that hold pieces of them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.recover.plan import RecoveryPlan as RecoveryPlan, RecoveryPolicy as RecoveryPolicy
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "plan": ("RecoveryPlan", "RecoveryPolicy"),
        },
    )
