"""As whom Chromium runs, and whether it keeps pages in its sandbox: they may be hostile, and it has none for root."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from dataclasses import dataclass

_NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Account:
    """A user of this machine; 0 stands for whoever we are."""

    user: int = 0
    group: int = 0
    is_sandboxed: bool = True
    """Whether Chromium keeps its pages in a sandbox there."""

    @property
    def is_another(self) -> bool:
        """Whether it is somebody else's."""
        return self.user != 0

    def rights(self) -> dict[str, object]:
        """What a process is started with in order to be of this user."""
        return {"user": self.user, "group": self.group, "extra_groups": []} if self.is_another else {}

    def give(self, path: str, *descriptors: int) -> None:
        """Let the user have a folder and open pipes."""
        if self.is_another:
            os.chown(path, self.user, self.group)
            for each in descriptors:
                os.fchown(each, self.user, self.group)


def accounts(is_root: bool, has_window: bool = False) -> Iterator[Account]:
    """As whom Chromium is started, the best first; a window for a person can only be shown by that person."""
    if not is_root:
        yield Account()
        return
    if not has_window and (nobody := _nobody()) is not None:
        yield nobody
        yield nobody  # on a busy machine a start may fail for nothing
        yield Account(nobody.user, nobody.group, is_sandboxed=False)
    yield Account(is_sandboxed=False)


def _nobody() -> Account | None:
    try:
        entry = pwd.getpwnam(_NOBODY)
    except KeyError:
        return None
    return Account(entry.pw_uid, entry.pw_gid) if entry.pw_uid else None


NO_SANDBOX = "Chromium runs without its sandbox, as it has none for root; run webkeep as another user to have one"
"""What is said where pages are not kept in."""
