"""Recoveries that visitors ask for: what they may ask for, states, limits, terms, mails and statistics, all pure."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.recoveries.name_guesses import guess_names as guess_names
    from webkeep.service.recoveries.recovery_history import write_history as write_history
    from webkeep.service.recoveries.usage_statistics import (
        UsageStatistics as UsageStatistics,
        compute_usage as compute_usage,
    )
    from webkeep.service.recoveries.visitor_limits import (
        AddressUse as AddressUse,
        TooManyRequestsError as TooManyRequestsError,
        check_limits as check_limits,
    )
    from webkeep.service.recoveries.visitor_mails import (
        draft_confirmation as draft_confirmation,
        draft_result as draft_result,
    )
    from webkeep.service.recoveries.visitor_order import (
        LostExtent as LostExtent,
        VisitorOrder as VisitorOrder,
        blank_url as blank_url,
        build_visitor_order as build_visitor_order,
        plan_visitor_recovery as plan_visitor_recovery,
    )
    from webkeep.service.recoveries.visitor_recovery import (
        VISITOR_COLLECTION as VISITOR_COLLECTION,
        RecoveryYield as RecoveryYield,
        VisitorRecovery as VisitorRecovery,
        yield_from_summary as yield_from_summary,
    )
    from webkeep.service.recoveries.visitor_settings import (
        VisitorLimits as VisitorLimits,
        VisitorSettings as VisitorSettings,
        VisitorTerms as VisitorTerms,
        read_visitor_settings as read_visitor_settings,
    )
    from webkeep.service.recoveries.visitor_state import (
        OPEN_RECOVERY_STATES as OPEN_RECOVERY_STATES,
        VISITOR_TRANSITIONS as VISITOR_TRANSITIONS,
        VisitorRecoveryEvent as VisitorRecoveryEvent,
        VisitorRecoveryState as VisitorRecoveryState,
        next_recovery_state as next_recovery_state,
    )
    from webkeep.service.recoveries.visitor_terms import (
        TermStep as TermStep,
        due_step as due_step,
        end_of_term as end_of_term,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "name_guesses": ("guess_names",),
            "recovery_history": ("write_history",),
            "usage_statistics": ("UsageStatistics", "compute_usage"),
            "visitor_limits": ("AddressUse", "TooManyRequestsError", "check_limits"),
            "visitor_mails": ("draft_confirmation", "draft_result"),
            "visitor_order": (
                "LostExtent",
                "VisitorOrder",
                "blank_url",
                "build_visitor_order",
                "plan_visitor_recovery",
            ),
            "visitor_recovery": ("VISITOR_COLLECTION", "RecoveryYield", "VisitorRecovery", "yield_from_summary"),
            "visitor_settings": ("VisitorLimits", "VisitorSettings", "VisitorTerms", "read_visitor_settings"),
            "visitor_state": (
                "OPEN_RECOVERY_STATES",
                "VISITOR_TRANSITIONS",
                "VisitorRecoveryEvent",
                "VisitorRecoveryState",
                "next_recovery_state",
            ),
            "visitor_terms": ("TermStep", "due_step", "end_of_term"),
        },
    )
