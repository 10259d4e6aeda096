"""Crawler traps: the ways in which a site has more URLs than pages, each told by its own signs."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.frontier.traps.suspicion import TrapKind as TrapKind
    from webkeep.frontier.traps.trap_detector import Trap as Trap, TrapDetector as TrapDetector
    from webkeep.frontier.traps.url_shape import rule_text as rule_text
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "suspicion": ("TrapKind",),
            "trap_detector": ("Trap", "TrapDetector"),
            "url_shape": ("rule_text",),
        },
    )
