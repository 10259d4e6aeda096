"""From what an archive holds to the files of a copy: renamed links, inlined graphics and modules, answers for
scripts, frozen pages.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.mirror.rendering.frozen_pages import (
        FrozenPages as FrozenPages,
        check_state_addresses as check_state_addresses,
        find_states as find_states,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "frozen_pages": ("FrozenPages", "check_state_addresses", "find_states"),
        },
    )
