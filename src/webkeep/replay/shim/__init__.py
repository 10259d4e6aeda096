"""What the server, the rewriting and the script in the page agree on; `README.md` has it in words."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.replay.shim.replay_host import ReplayNaming as ReplayNaming, hash_origin as hash_origin
    from webkeep.replay.shim.scripts import OWN_PATH as OWN_PATH, host_names_script as host_names_script
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "replay_host": ("ReplayNaming", "hash_origin"),
            "scripts": ("OWN_PATH", "host_names_script"),
        },
    )
