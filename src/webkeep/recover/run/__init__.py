"""A recovery under way: listings, the search for versions, storing them, following links, progress."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.recover.run.alias_redirects import build_alias_redirects as build_alias_redirects
    from webkeep.recover.run.recovered_links import (
        RecoveredLinks as RecoveredLinks,
        extract_page_links as extract_page_links,
    )
    from webkeep.recover.run.recovery import RecoveryResult as RecoveryResult, recover as recover
    from webkeep.recover.run.recovery_context import RecoveryContext as RecoveryContext
    from webkeep.recover.run.recovery_loop import RecoveryRun as RecoveryRun
    from webkeep.recover.run.recovery_observer import (
        NullRecoveryObserver as NullRecoveryObserver,
        RecoveryObserver as RecoveryObserver,
        RecoveryProgress as RecoveryProgress,
    )
    from webkeep.recover.run.version_overrides import resolve_choice_repository as resolve_choice_repository
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "alias_redirects": ("build_alias_redirects",),
            "recovered_links": ("RecoveredLinks", "extract_page_links"),
            "recovery": ("RecoveryResult", "recover"),
            "recovery_context": ("RecoveryContext",),
            "recovery_loop": ("RecoveryRun",),
            "recovery_observer": ("NullRecoveryObserver", "RecoveryObserver", "RecoveryProgress"),
            "version_overrides": ("resolve_choice_repository",),
        },
    )
