"""What an archive holds, seen from one side each: states of pages, histories, outlines, sums, tombstones."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.views.archive_overview import (
        ArchiveOverview as ArchiveOverview,
        read_file_overviews as read_file_overviews,
        read_overview as read_overview,
    )
    from webkeep.store.views.observation_outlines import (
        ObservationOutline as ObservationOutline,
        read_outlines as read_outlines,
    )
    from webkeep.store.views.served_history import (
        MIDDLEWARE_FACTS as MIDDLEWARE_FACTS,
        ServedHistory as ServedHistory,
        is_self_recorded as is_self_recorded,
        read_histories as read_histories,
        read_history as read_history,
    )
    from webkeep.store.views.state_notes import (
        expand_document as expand_document,
        find_state_entries as find_state_entries,
        read_state_note as read_state_note,
        read_state_notes as read_state_notes,
        read_walk as read_walk,
        select_states as select_states,
    )
    from webkeep.store.views.tombstone_lookup import (
        RESTORE_ADVICE as RESTORE_ADVICE,
        find_tombstones as find_tombstones,
        latest_tombstones as latest_tombstones,
        read_taken_down as read_taken_down,
    )
    from webkeep.store.views.url_looks import (
        ObservedSpan as ObservedSpan,
        UrlLook as UrlLook,
        count_fates as count_fates,
        read_capture_numbers as read_capture_numbers,
        read_capture_spans as read_capture_spans,
        read_unstored_fates as read_unstored_fates,
        read_url_looks as read_url_looks,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "archive_overview": ("ArchiveOverview", "read_file_overviews", "read_overview"),
            "observation_outlines": ("ObservationOutline", "read_outlines"),
            "served_history": (
                "MIDDLEWARE_FACTS",
                "ServedHistory",
                "is_self_recorded",
                "read_histories",
                "read_history",
            ),
            "state_notes": (
                "expand_document",
                "find_state_entries",
                "read_state_note",
                "read_state_notes",
                "read_walk",
                "select_states",
            ),
            "tombstone_lookup": ("RESTORE_ADVICE", "find_tombstones", "latest_tombstones", "read_taken_down"),
            "url_looks": (
                "ObservedSpan",
                "UrlLook",
                "count_fates",
                "read_capture_numbers",
                "read_capture_spans",
                "read_unstored_fates",
                "read_url_looks",
            ),
        },
    )
