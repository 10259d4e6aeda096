"""Collections: what they are called and are for, their seeds, and where seeds come from."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.collections.collection_facts import (
        DEFAULT_ARCHIVES as DEFAULT_ARCHIVES,
        CollectionFacts as CollectionFacts,
        CollectionPurpose as CollectionPurpose,
        CollectionSeed as CollectionSeed,
        SeedEntry as SeedEntry,
        archive_name as archive_name,
        site_of as site_of,
    )
    from webkeep.service.collections.completeness_figure import (
        CompletenessFigure as CompletenessFigure,
        measure_completeness as measure_completeness,
    )
    from webkeep.service.collections.seed_bookmarks import (
        is_bookmark_file as is_bookmark_file,
        read_bookmarks as read_bookmarks,
    )
    from webkeep.service.collections.seed_outline import read_outline as read_outline
    from webkeep.service.collections.seed_table import (
        RefusedLine as RefusedLine,
        check_no_password as check_no_password,
        read_seed_table as read_seed_table,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "collection_facts": (
                "DEFAULT_ARCHIVES",
                "CollectionFacts",
                "CollectionPurpose",
                "CollectionSeed",
                "SeedEntry",
                "archive_name",
                "site_of",
            ),
            "completeness_figure": ("CompletenessFigure", "measure_completeness"),
            "seed_bookmarks": ("is_bookmark_file", "read_bookmarks"),
            "seed_outline": ("read_outline",),
            "seed_table": ("RefusedLine", "check_no_password", "read_seed_table"),
        },
    )
