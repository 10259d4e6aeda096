"""How pages of an archive changed: verdicts on two observations of a page, and what is noise on its site."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.quality.changes.change_judge import ChangeJudge as ChangeJudge
    from webkeep.quality.changes.cleaning import (
        SeenPage as SeenPage,
        find_case_variants as find_case_variants,
        read_seen_pages as read_seen_pages,
    )
    from webkeep.quality.changes.duplicate_pages import (
        DuplicateGroup as DuplicateGroup,
        DuplicateKind as DuplicateKind,
        find_duplicate_pages as find_duplicate_pages,
    )
    from webkeep.quality.changes.page_behaviours import (
        PageBehaviour as PageBehaviour,
        group_changes as group_changes,
        read_page_behaviours as read_page_behaviours,
    )
    from webkeep.quality.changes.site_noise import SiteNoise as SiteNoise, read_hand_rules as read_hand_rules
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "change_judge": ("ChangeJudge",),
            "cleaning": ("SeenPage", "find_case_variants", "read_seen_pages"),
            "duplicate_pages": ("DuplicateGroup", "DuplicateKind", "find_duplicate_pages"),
            "page_behaviours": ("PageBehaviour", "group_changes", "read_page_behaviours"),
            "site_noise": ("SiteNoise", "read_hand_rules"),
        },
    )
