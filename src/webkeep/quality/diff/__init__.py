"""The state of a site in a capture or at a moment, and what changed between two of them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.quality.diff.diff_page import render_diff_page as render_diff_page
    from webkeep.quality.diff.site_as_of import (
        TimeTravelResult as TimeTravelResult,
        find_capture as find_capture,
        find_observations as find_observations,
    )
    from webkeep.quality.diff.site_diff import (
        ChangeKind as ChangeKind,
        PageChange as PageChange,
        compare_states as compare_states,
        diff_text as diff_text,
    )
    from webkeep.quality.diff.site_snapshot import (
        SiteSnapshot as SiteSnapshot,
        snapshot_at as snapshot_at,
        snapshot_of_capture as snapshot_of_capture,
    )
    from webkeep.quality.diff.site_state import (
        SiteState as SiteState,
        state_at as state_at,
        state_in_captures as state_in_captures,
    )
    from webkeep.quality.diff.text_lines import has_lines as has_lines, read_text_lines as read_text_lines
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "diff_page": ("render_diff_page",),
            "site_as_of": ("TimeTravelResult", "find_capture", "find_observations"),
            "site_diff": ("ChangeKind", "PageChange", "compare_states", "diff_text"),
            "site_snapshot": ("SiteSnapshot", "snapshot_at", "snapshot_of_capture"),
            "site_state": ("SiteState", "state_at", "state_in_captures"),
            "text_lines": ("has_lines", "read_text_lines"),
        },
    )
