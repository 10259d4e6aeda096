"""The process of a job: called by the service with the job's folder, calls the command whose words lie there, and keeps
what that came to.

It has its lock from the service, and the lock ends with it. Where it is killed before it could keep the result, the
same words are called again, and find done what was done.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from webkeep.cli.main import main as run_command
from webkeep.service.run import LOCK_VARIABLE, JobWorkspace, identify_process

_STANDARD_STREAMS = 2
"""The highest number of those that every process has."""


def main(folder: Path) -> int:
    """Do a job."""
    workspace = JobWorkspace(folder)
    lock = int(os.environ.pop(LOCK_VARIABLE))
    _keep_descriptors()
    process = identify_process(os.getpid())
    if process is not None:
        workspace.write_holder(lock, process)
    code = run_command(json.loads(workspace.call_path.read_text("utf-8")))
    workspace.write_result(code)
    return code


def _keep_descriptors() -> None:
    """Have nothing that is started from here be given the lock, or the login."""
    for entry in list(Path("/proc/self/fd").iterdir()):
        with suppress(OSError):  # the one that the list itself was read by
            if int(entry.name) > _STANDARD_STREAMS:
                os.set_inheritable(int(entry.name), False)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
