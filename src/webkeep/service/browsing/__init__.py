"""Chromium shown in the service's pages: its process, and the sessions of people who look at one."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.browsing.login_check import LoginCheck as LoginCheck, check_login as check_login
    from webkeep.service.browsing.passing_recorder import (
        PassingRecorder as PassingRecorder,
        host_and_port as host_and_port,
    )
    from webkeep.service.browsing.passing_way import build_passing_way as build_passing_way
    from webkeep.service.browsing.recording_way import (
        build_recording_way as build_recording_way,
        cancel_waiting_patch as cancel_waiting_patch,
    )
    from webkeep.service.browsing.shown_browsers import ShownBrowsers as ShownBrowsers
    from webkeep.service.browsing.shown_session import (
        OpenWay as OpenWay,
        ShownLimits as ShownLimits,
        ShownOrder as ShownOrder,
        ShownSession as ShownSession,
        ShownWay as ShownWay,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "login_check": ("LoginCheck", "check_login"),
            "passing_recorder": ("PassingRecorder", "host_and_port"),
            "passing_way": ("build_passing_way",),
            "recording_way": ("build_recording_way", "cancel_waiting_patch"),
            "shown_browsers": ("ShownBrowsers",),
            "shown_session": ("OpenWay", "ShownLimits", "ShownOrder", "ShownSession", "ShownWay"),
        },
    )
