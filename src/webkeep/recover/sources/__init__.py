"""Repositories as a person names them: declarations, specifications, opening, and inventories of what they hold."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.recover.sources.capture_requests import (
        CaptureAnswer as CaptureAnswer,
        ask_for_captures as ask_for_captures,
    )
    from webkeep.recover.sources.declarations import (
        PLAYBACK_POOL as PLAYBACK_POOL,
        RepositoryDeclaration as RepositoryDeclaration,
        load_declarations as load_declarations,
    )
    from webkeep.recover.sources.inventory import (
        RepositoryInventory as RepositoryInventory,
        estimate_doubts as estimate_doubts,
        estimate_recovery as estimate_recovery,
        take_inventory as take_inventory,
    )
    from webkeep.recover.sources.repository_opening import (
        RepositoryContext as RepositoryContext,
        open_repositories as open_repositories,
    )
    from webkeep.recover.sources.repository_spec import parse_repository as parse_repository
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "declarations": ("PLAYBACK_POOL", "RepositoryDeclaration", "load_declarations"),
            "inventory": ("RepositoryInventory", "estimate_doubts", "estimate_recovery", "take_inventory"),
            "repository_opening": ("RepositoryContext", "open_repositories"),
            "repository_spec": ("parse_repository",),
            "capture_requests": (
                "ask_for_captures",
                "CaptureAnswer",
            ),
        },
    )
