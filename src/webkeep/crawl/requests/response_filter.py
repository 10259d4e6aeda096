"""The response filter: rules by media type and size, applied when the head of a response is there and again to its
whole; redirects and demands for credentials are never turned away.
"""

from __future__ import annotations

from collections.abc import Callable

from webkeep.fetch import HeadFilter
from webkeep.formats.http import ResponseHead, declared_length, declared_media_type, parse_response
from webkeep.formats.status import PROXY_AUTHENTICATION_REQUIRED, UNAUTHORIZED, is_redirection
from webkeep.frontier.admission import judge_scope
from webkeep.frontier.policy import CrawlPolicy
from webkeep.frontier.urls import Candidate, UrlRole
from webkeep.url.scope import ScopeVerdict

_CHALLENGE_STATUSES = frozenset({UNAUTHORIZED, PROXY_AUTHENTICATION_REQUIRED})


class ResponseFilter:
    """Says which responses the rules of a capture do not want; the policy is asked for anew each time."""

    def __init__(self, policy: Callable[[], CrawlPolicy]) -> None:
        self._policy = policy
        self._known: CrawlPolicy | None = None
        self._is_needed = False

    def head_filter_for(self, candidate: Candidate) -> HeadFilter | None:
        """What a request is given to be ended by its head; None where no rule waits for that."""
        policy = self._policy()
        if policy is not self._known:
            self._known, self._is_needed = policy, policy.scope.needs_responses
        if not self._is_needed or candidate.role is UrlRole.ROBOTS:
            return None
        if judge_scope(policy, candidate).verdict is not ScopeVerdict.OPEN:
            return None

        def turns_away(head: bytes) -> str:
            parsed = parse_response(head)
            return self.exclusion_reason(candidate, parsed, declared_length(parsed.headers))

        return turns_away

    def exclusion_reason(self, candidate: Candidate, head: ResponseHead, size: int | None) -> str:
        """Why a response is not wanted; nothing where it is.

        What the body of a redirect, or of a demand for credentials, is made of says nothing about its URL.
        """
        status = head.status or 0
        if candidate.role is UrlRole.ROBOTS or not status or is_redirection(status) or status in _CHALLENGE_STATUSES:
            return ""
        decision = judge_scope(self._policy(), candidate, declared_media_type(head.headers), size)
        return "" if decision.is_allowed else decision.reason
