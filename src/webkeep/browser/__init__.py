"""Chromium: pages, listeners, client-side states."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.browser.resource_identity import resource_url as resource_url
    from webkeep.browser.walk_model import (
        FieldFilling as FieldFilling,
        Interaction as Interaction,
        InteractionScript as InteractionScript,
        PageView as PageView,
        SideEffects as SideEffects,
        StateWalk as StateWalk,
        WalkLimits as WalkLimits,
        WithheldRequest as WithheldRequest,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "resource_identity": ("resource_url",),
            "walk_model": (
                "FieldFilling",
                "Interaction",
                "InteractionScript",
                "PageView",
                "SideEffects",
                "StateWalk",
                "WalkLimits",
                "WithheldRequest",
            ),
        },
    )
