"""As which user Chromium runs, and whether it keeps pages in its sandbox: they may be hostile, and it has none for
root, so that it runs as nobody instead where it can.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from dataclasses import dataclass

_NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class BrowserAccount:
    """A user of this machine; 0 stands for whoever we are."""

    user: int = 0
    group: int = 0
    is_sandboxed: bool = True
    """Whether Chromium keeps its pages in a sandbox there."""

    @property
    def is_other_user(self) -> bool:
        """Whether it is somebody else's."""
        return self.user != 0

    def process_arguments(self) -> dict[str, object]:
        """What a process is started with in order to be of this user."""
        return {"user": self.user, "group": self.group, "extra_groups": []} if self.is_other_user else {}

    def hand_over(self, path: str, *descriptors: int) -> None:
        """Let the user have a folder and open pipes."""
        if self.is_other_user:
            os.chown(path, self.user, self.group)
            for each in descriptors:
                os.fchown(each, self.user, self.group)


def candidate_accounts(is_root: bool, has_window: bool = False) -> Iterator[BrowserAccount]:
    """As whom Chromium is started, the best first; a window for a person can only be shown by that person."""
    if not is_root:
        yield BrowserAccount()
        return
    if not has_window and (nobody := _nobody_account()) is not None:
        yield nobody
        yield nobody  # on a busy machine a start may fail for nothing
        yield BrowserAccount(nobody.user, nobody.group, is_sandboxed=False)
    yield BrowserAccount(is_sandboxed=False)


def _nobody_account() -> BrowserAccount | None:
    try:
        entry = pwd.getpwnam(_NOBODY)
    except KeyError:
        return None
    return BrowserAccount(entry.pw_uid, entry.pw_gid) if entry.pw_uid else None


NO_SANDBOX_WARNING = (
    "Chromium runs without its sandbox, as it has none for root; run webkeep as another user to have one"
)
"""What is said where pages are not kept in."""
