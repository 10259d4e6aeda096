"""Chromium shown in the service's pages: its process, and the sessions of people who look at one."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.browsing.passing_recorder import (
        PassingRecorder as PassingRecorder,
        host_and_port as host_and_port,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(__name__, {"passing_recorder": ("PassingRecorder", "host_and_port")})
