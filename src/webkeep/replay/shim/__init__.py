"""What the server, the rewriting and the script in the page agree on; `README.md` has it in words."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.replay.shim.scripts import host_names_script as host_names_script
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "scripts": ("host_names_script",),
        },
    )
