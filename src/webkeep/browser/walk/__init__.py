"""The walk through client-side states: what can be tried, trying and confirming it, the graph of views, the state
machine.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.browser.walk.state_machine import (
        PageState as PageState,
        find_states as find_states,
        view_resources as view_resources,
    )
    from webkeep.browser.walk.state_walk import walk_page as walk_page
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "state_machine": ("PageState", "find_states", "view_resources"),
            "state_walk": ("walk_page",),
        },
    )
