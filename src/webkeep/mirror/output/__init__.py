"""The copy on its disk: files and folders, atomic placement, versions, start page, manifest, answers, ZIP file."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.mirror.output.atomic_placement import check_folder as check_folder
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "atomic_placement": ("check_folder",),
        },
    )
