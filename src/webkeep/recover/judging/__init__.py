"""What a version is worth: identity of URLs, ranking, fitting parts to pages, placeholders and truncation."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.recover.judging.page_composition import (
        PageCandidate as PageCandidate,
        choose_composition as choose_composition,
    )
    from webkeep.recover.judging.placeholder_detection import detect_placeholder as detect_placeholder
    from webkeep.recover.judging.version_ranking import (
        AvailableVersion as AvailableVersion,
        VersionPreference as VersionPreference,
        VersionTier as VersionTier,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "page_composition": ("PageCandidate", "choose_composition"),
            "placeholder_detection": ("detect_placeholder",),
            "version_ranking": ("AvailableVersion", "VersionPreference", "VersionTier"),
        },
    )
