"""The service: jobs, schedules and collections for people who share one webkeep; its parts are its sub-rooms."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.sent_values import check_sent_plan as check_sent_plan, check_sent_url as check_sent_url
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(__name__, {"sent_values": ("check_sent_plan", "check_sent_url")})
