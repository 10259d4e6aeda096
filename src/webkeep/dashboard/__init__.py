"""The pages of the service: what people start, watch, collect and show, in their browsers."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.dashboard.application import build_application as build_application
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(__name__, {"application": ("build_application",)})
