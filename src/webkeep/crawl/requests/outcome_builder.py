"""From how a request ended to what the frontier needs to know of it: which failures may pass, what counts as cut off at
`--max-size`, where redirects lead, and the remark on what a page asks of robots.
"""

from __future__ import annotations

from dataclasses import replace

from webkeep.crawl.links.extracted_links import ExtractedLinks
from webkeep.fetch import FetchFailure, FetchResult, is_loopback
from webkeep.formats.http import ResponseHead, parse_response, parse_retry_after
from webkeep.formats.status import is_redirection, is_successful, status_of
from webkeep.frontier.urls import FetchOutcome, Settled
from webkeep.url import resolve_url

_PASSING_FAILURES = frozenset({FetchFailure.NAME, FetchFailure.CONNECT, FetchFailure.PROXY})
"""Ways of not being reached that may pass; a host that stays away is given up as a whole."""
CUT_OFF_PREFIX = "cut off at "
"""How the reason begins of what is stored only in part, because of a limit that a person set."""
_HEAD_ENDS = (b"\r\n\r\n", b"\n\n", b"\n\r\n")
_THIS_MACHINE = "127.0.0.1"


def response_head_of(fetched: FetchResult) -> ResponseHead:
    """The head of the response, empty where there is none."""
    return parse_response(fetched.exchange.response) if fetched.exchange is not None else ResponseHead()


def outcome_from_result(fetched: FetchResult) -> FetchOutcome:
    """What came of a request."""
    exchange = fetched.exchange
    status = status_of(exchange.response) if exchange is not None and fetched.failure is None else 0
    if exchange is not None and is_successful(status):
        # Nothing else that could matter is in the head of a success, and nearly all are.
        return FetchOutcome(
            fetched.started,
            fetched.ended,
            status,
            address=exchange.address,
            loopback=fetched.is_local or is_loopback(exchange.address),
            first_byte_seconds=fetched.first_byte_seconds,
            size=_received_bytes(fetched),
            spans=fetched.spans if len(fetched.spans) > 1 else (),
        )
    return _outcome_from_other(fetched)


def _outcome_from_other(fetched: FetchResult) -> FetchOutcome:
    exchange, failure, resource, head = fetched.exchange, fetched.failure, fetched.resource, response_head_of(fetched)
    address = exchange.address if exchange is not None else resource.address if resource is not None else ""
    unwanted = fetched.detail if failure is FetchFailure.UNWANTED else ""
    cut = cut_off_reason(fetched.request.limits.size) if _is_cut_off(fetched) else ""
    return FetchOutcome(
        started=fetched.started,
        ended=fetched.ended,
        status=head.status or 0,
        failure=_failure_text(fetched) if failure is not None and not unwanted and not cut else "",
        temporary=failure is not None and (failure.is_interruption or failure in _PASSING_FAILURES),
        connected=failure is None or failure.is_connected,
        resolved=failure is not FetchFailure.NAME,
        address=address,
        loopback=fetched.is_local or (is_loopback(address) if address else fetched.request.url.startswith("file:")),
        first_byte_seconds=fetched.first_byte_seconds,
        retry_after=parse_retry_after(head.headers, fetched.ended),
        size=resource.body.size if resource else _received_bytes(fetched),
        redirect=redirect_target(fetched.request.url, head),
        set_cookie="set-cookie" in head.headers,
        cut=cut,
        excluded=unwanted,
        spans=fetched.spans if len(fetched.spans) > 1 else (),
        is_unsent=failure is FetchFailure.WITHHELD and not fetched.spans,
    )


def _is_cut_off(fetched: FetchResult) -> bool:
    """Whether it is a body that was longer than it might be; a head without an end is the server's fault."""
    if fetched.failure is not FetchFailure.TOO_LARGE:
        return False
    exchange = fetched.exchange
    return fetched.resource is not None or (exchange is not None and exchange.response.endswith(_HEAD_ENDS))


def cut_off_reason(size: int) -> str:
    """What is said of a response that was longer than it might be."""
    return f"{CUT_OFF_PREFIX}{size:,} bytes (max-size); what came is stored"


def _received_bytes(fetched: FetchResult) -> int:
    return sum(part.body.size + len(part.response) for part in fetched.parts)


def add_remarks(verdict: Settled, extracted: ExtractedLinks) -> Settled:
    """A fate that also says what the page asked of robots, which is not obeyed, and why its links are not known."""
    if not extracted.robots_directives and not extracted.error:
        return verdict
    asked = f"asks of robots: {extracted.robots_directives}" if extracted.robots_directives else ""
    return replace(verdict, reason="; ".join(filter(None, (verdict.reason, asked, extracted.error))))


def redirect_target(url: str, head: ResponseHead) -> str:
    """Where a redirect leads, absolute; empty where the response is none."""
    location = head.headers.get("location").strip()
    if not location or not is_redirection(head.status):
        return ""
    return (resolve_url(url, location) or "").partition("#")[0]


def _failure_text(fetched: FetchResult) -> str:
    return f"{fetched.failure}: {fetched.detail}" if fetched.detail else str(fetched.failure)
