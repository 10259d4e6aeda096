"""The navigable copy: a site on disk that any browser opens, with no server and no webkeep."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.mirror.output.atomic_placement import check_file as check_file
    from webkeep.mirror.single_page import write_single_page as write_single_page
    from webkeep.mirror.site_copy import (
        CopyOptions as CopyOptions,
        MirrorResult as MirrorResult,
        check_targets as check_targets,
        mirror as mirror,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "output.atomic_placement": ("check_file",),
            "single_page": ("write_single_page",),
            "site_copy": ("CopyOptions", "MirrorResult", "check_targets", "mirror"),
        },
    )
