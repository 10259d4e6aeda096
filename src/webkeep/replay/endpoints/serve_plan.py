"""The plan of a server (`webkeep serve`), as its processes are given it in JSON: archives, base address, access rules,
password, the moment of a proxy, other archives.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ServePlan:
    """What is served, and how."""

    archives: tuple[str, ...]
    """Where the archives lie."""
    names: tuple[str, ...]
    """What people call them: what was named on the command line."""
    base: str
    """The address that people reach the server at."""
    access_file: str = ""
    access: tuple[str, ...] = ()
    password: str = ""
    secret: str = ""
    """The label in the names of replay hosts that only those know who gave the password."""
    proxy_moment: str = ""
    """As of when a proxy shows the web; the latest where nothing is said."""
    authority: str = ""
    """Where the certificate authority of a proxy is kept."""
    elsewhere: tuple[str, ...] = ()
    """Other archives: what stands there before the moment and the URL of a memento."""

    def to_json(self) -> str:
        """The plan as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> ServePlan:
        """The plan in a text that `to_json` gave."""
        values = json.loads(text)
        told: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in values.items()}
        return cls(**told)
