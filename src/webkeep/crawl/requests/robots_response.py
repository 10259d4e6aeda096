"""What came of asking for a robots.txt, for captures and recordings alike: how many redirects are followed (RFC 9309),
and how much of it is taken whatever limit holds for others.
"""

from __future__ import annotations

from webkeep.crawl.requests.outcome_builder import outcome_from_result
from webkeep.fetch import FetchResult
from webkeep.formats.codings import decode_body
from webkeep.formats.http import parse_response
from webkeep.formats.site import MAX_ROBOTS_BYTES
from webkeep.frontier.hosts import RobotsResult, interpret_robots

MAX_ROBOTS_REDIRECTS = 5
"""So many redirects of a robots.txt are followed, by RFC 9309."""
MAX_ROBOTS_RESPONSE_BYTES = 2 * MAX_ROBOTS_BYTES
"""What is taken of a robots.txt as it comes, whatever limit holds for others: rules that are cut off would allow what
they forbid further down.
"""


def robots_from_result(fetched: FetchResult) -> RobotsResult:
    """What a host's robots.txt allows, or why that is not known."""
    answer = outcome_from_result(fetched)
    return interpret_robots(answer.status, _robots_content(fetched), answer.failure, answer.temporary)


def _robots_content(fetched: FetchResult) -> bytes:
    exchange = fetched.exchange
    if exchange is None:
        return b""
    return b"".join(decode_body(parse_response(exchange.response).headers, exchange.body.chunks(), MAX_ROBOTS_BYTES))
