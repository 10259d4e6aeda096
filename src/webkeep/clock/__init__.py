"""The machine's clock: the one place that asks what time it is."""

import time

from webkeep.model import Moment


class SystemClock:
    """Tells the present moment by the machine's clock."""

    def now(self) -> Moment:
        """The present moment."""
        return Moment(time.time_ns() // 1000)
