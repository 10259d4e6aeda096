"""Names in a copy: what a URL's file is called on which file system, who has a contested name, and how files refer to
one another.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.mirror.names.copy_layout import (
        GAPS_FILE as GAPS_FILE,
        GONE_FILE as GONE_FILE,
        NEEDS_SERVING_FILE as NEEDS_SERVING_FILE,
    )
    from webkeep.mirror.names.file_system_profile import PROFILES as PROFILES
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "copy_layout": ("GAPS_FILE", "GONE_FILE", "NEEDS_SERVING_FILE"),
            "file_system_profile": ("PROFILES",),
        },
    )
