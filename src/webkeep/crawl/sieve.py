"""The sieve: rules by media type and size, which can only be held against a response that has begun to come."""

from __future__ import annotations

from collections.abc import Callable

from webkeep.fetch.request import Turn
from webkeep.formats.content_type import media_type
from webkeep.formats.http1 import ResponseHead, parse_response
from webkeep.frontier.admission import decide
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.policy import Policy
from webkeep.url import Verdict

_LONGEST_NUMBER = 18


class Sieve:
    """Says which responses the rules of a capture do not want; the policy is asked for anew each time."""

    def __init__(self, policy: Callable[[], Policy]) -> None:
        self._policy = policy
        self._known: Policy | None = None
        self._is_needed = False

    def turning(self, candidate: Candidate) -> Turn | None:
        """What a request is given to be ended by its head; None where no rule waits for that."""
        policy = self._policy()
        if policy is not self._known:
            self._known, self._is_needed = policy, policy.scope.looks_at_answers
        if not self._is_needed or candidate.role is Role.ROBOTS:
            return None
        if decide(policy, candidate).verdict is not Verdict.OPEN:
            return None

        def turns_away(head: bytes) -> str:
            parsed = parse_response(head)
            return self.reason(candidate, parsed, _announced(parsed))

        return turns_away

    def reason(self, candidate: Candidate, head: ResponseHead, size: int | None) -> str:
        """Why a response is not wanted; nothing where it is.

        What the body of a redirect, or of a demand for credentials, is made of says nothing about its URL.
        """
        status = head.status or 0
        if candidate.role is Role.ROBOTS or not status or 300 <= status < 400 or status in (401, 407):
            return ""
        decision = decide(self._policy(), candidate, media_type(head.headers), size)
        return "" if decision.allowed else decision.reason


def _announced(head: ResponseHead) -> int | None:
    """How long the body will be, as the server says."""
    text = head.headers.get("content-length").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER else None
