"""Limits: how much a capture may ask for, and what it has asked for."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from webkeep.errors import StorageError
from webkeep.frontier.policy import Policy


@dataclass(slots=True)
class Totals:
    """What a capture has asked for, robots.txt files apart."""

    urls: int = 0
    """URLs settled by an answer."""
    under_way: int = 0
    """URLs asked for and not settled."""
    bytes: int = 0
    ended: str = ""
    """Why nothing more is asked for, where it was ended."""
    visits_ended: str = ""
    """Why nothing more is visited, though it may be revisited."""

    def allowance(self, policy: Policy, revisiting: bool = False) -> int | None:
        """How many more requests the limit allows at this moment; None for any number.

        Revisits are of URLs that were counted.
        """
        if self.ended or (self.visits_ended and not revisiting):
            return 0
        if policy.max_bytes is not None and self.bytes >= policy.max_bytes:
            return 0
        return None if policy.max_urls is None or revisiting else max(0, policy.max_urls - self.urls - self.under_way)

    def limit_reached(self, policy: Policy, revisiting: bool = False) -> str:
        """Which limit is reached, or nothing."""
        if self.ended:
            return self.ended
        if self.visits_ended and not revisiting:
            return self.visits_ended
        if policy.max_urls is not None and self.urls >= policy.max_urls and not revisiting:
            return f"max-urls: {policy.max_urls}"
        if policy.max_bytes is not None and self.bytes >= policy.max_bytes:
            return f"max-bytes: {policy.max_bytes}"
        return ""

    def to_text(self) -> str:
        """What must outlast the process."""
        return json.dumps({**asdict(self), "under_way": 0, "ended": "", "visits_ended": ""})

    @classmethod
    def from_text(cls, text: str) -> Totals:
        """The totals out of what `to_text` gave."""
        try:
            return cls(**json.loads(text)) if text else cls()
        except (ValueError, TypeError) as error:
            raise StorageError("the counts that the job kept cannot be read; begin the capture anew") from error
