"""What the server, the rewriting and the script in the page agree on; `README.md` has it in words."""

from webkeep.replay.shim.policy import replayed_policy
from webkeep.replay.shim.replay_host import Naming, ReplayHost, hash_of
from webkeep.replay.shim.scripts import (
    OWN_PATH,
    shim_script,
    shim_tag,
    shim_version,
    worker_prelude,
    worker_script,
)
from webkeep.replay.shim.settings import replay_edits, replay_renaming

__all__ = [
    "OWN_PATH",
    "Naming",
    "ReplayHost",
    "hash_of",
    "replay_edits",
    "replay_renaming",
    "replayed_policy",
    "shim_script",
    "shim_tag",
    "shim_version",
    "worker_prelude",
    "worker_script",
]
