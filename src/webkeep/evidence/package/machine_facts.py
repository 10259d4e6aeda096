"""By what a package was made: software with versions, and the machine in words."""

from __future__ import annotations

import platform
import sqlite3
import ssl
from dataclasses import dataclass

import pycurl

from webkeep.version import __version__


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """Software and machine."""

    software: dict[str, str]
    machine: str

    def describe(self) -> str:
        """The main of it in words."""
        return f"webkeep {self.software['webkeep']} with {self.software['browser'] or 'no browser'} on {self.machine}"


def read_machine_facts(browser: str) -> MachineFacts:
    """What is at work here; the browser says its version itself."""
    system = _read_system()
    return MachineFacts(
        {
            "webkeep": __version__,
            "browser": browser,
            "python": platform.python_version(),
            "libcurl": pycurl.version,
            "openssl": ssl.OPENSSL_VERSION,
            "sqlite": sqlite3.sqlite_version,
        },
        f"{system}, {platform.system()} {platform.release()}, {platform.machine()}",
    )


def _read_system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "") or platform.system()
    except OSError:
        return platform.system()
