"""Worker processes: modules of our own that run as programs beside the one that was called, in a session of their own,
and are talked to on their pipes.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence


def start_worker(module: str, arguments: Sequence[str] = (), shared: Sequence[int] = ()) -> subprocess.Popen[bytes]:
    """Run a module as a program that ends when its input does; it keeps the descriptors that are shared with it."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments],  # -P: what lies in the current directory is not ours to run
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=shared,
        start_new_session=True,  # an interrupt at the terminal is for the program that was called, which ends this one
    )
