"""The unit by which systemd runs a service: jobs outlive its restart, and Chromium keeps the sandbox it brings along.

Theory of operation. `KillMode=process` ends the service and none of its jobs. Their files in /tmp would go with a
private one, so there is none. Whatever implies `NoNewPrivileges` (filters of system calls, namespaces that are closed)
would take Chromium's own sandbox away, which guards more than it would; so the unit has what does not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.process import write_atomically

_STOP_SECONDS = 60
"""So long the service may take to end before it is killed; it waits for no job."""
_MAX_OPEN_FILES = 65536
"""That it and each of its jobs may have open."""
_CHECK_SECONDS = 60
"""So long systemd may take to look at a unit, which it does in one."""
_HARDENING = ("ProtectSystem=full", "ProtectControlGroups=yes", "ProtectHostname=yes", "KeyringMode=private")
"""None of these implies NoNewPrivileges, and none takes a file away from jobs that outlive the service."""


@dataclass(frozen=True, slots=True)
class SystemdUnit:
    """A service as systemd knows it."""

    folder: Path
    command: Sequence[str]
    """What is started, with an absolute path first."""
    account: str = ""
    """The user that it runs as; empty for a unit of a user's own."""

    def render(self) -> str:
        """The text of the unit."""
        own = [] if not self.account else [f"User={self.account}", *_HARDENING]
        target = "multi-user.target" if self.account else "default.target"
        service = [
            "Type=exec",
            f"ExecStart={' '.join(map(_quote, self.command))}",
            f"WorkingDirectory={_escape_path(self.folder)}",
            "Restart=on-failure",
            "RestartSec=2",
            "KillMode=process",
            f"TimeoutStopSec={_STOP_SECONDS}",
            "OOMPolicy=continue",
            f"LimitNOFILE={_MAX_OPEN_FILES}",
            "UMask=0077",
            *own,
        ]
        about = [f"Description=webkeep service of {_escape(str(self.folder))}"]
        about += ["Wants=network-online.target", "After=network-online.target"] if self.account else []
        parts = {"Unit": about, "Service": service, "Install": [f"WantedBy={target}"]}
        return "\n\n".join("\n".join([f"[{name}]", *lines]) for name, lines in parts.items()) + "\n"


def _escape(text: str) -> str:
    if any(ord(character) < 32 for character in text):
        raise UsageError(f"a unit cannot name {text[:200]!r}, which has control characters; choose another name")
    return text.replace("%", "%%")


def _escape_path(path: Path) -> str:
    """A path in a setting that takes the rest of its line."""
    return _escape(str(path))


def _quote(word: str) -> str:
    """A word of a command, whatever is in it."""
    escaped = _escape(word).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{escaped}"'


def check_unit(name: str, text: str, for_user: bool) -> bool:
    """Have `systemd-analyze verify` look at a unit; False where it is not installed, UsageError has what it says."""
    tool = shutil.which("systemd-analyze")
    if tool is None:
        return False
    with tempfile.TemporaryDirectory(prefix="webkeep-unit-") as folder:
        path = Path(folder, name)
        write_atomically(path, text.encode())
        scope = "--user" if for_user else "--system"
        call = [tool, scope, "--man=no", "--recursive-errors=no", "verify", str(path)]
        # Where nobody is logged in, as in a container, the manager of a user's units has no place for itself.
        place = {"XDG_RUNTIME_DIR": os.environ.get("XDG_RUNTIME_DIR") or folder}
        done = subprocess.run(
            call, capture_output=True, text=True, timeout=_CHECK_SECONDS, check=False, env={**os.environ, **place}
        )
    if done.returncode:
        said = " ".join(done.stderr.split())[:500]
        raise UsageError(f"systemd would not take the unit ({said}); look at it with --print")
    return True
