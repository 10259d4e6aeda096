"""Going on where a transfer broke off: when and how often the rest is asked for (Range and If-Range, with a strong
validator), and whether what comes fits what came.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from webkeep.fetch.request import FetchFailure, FetchRequest, FetchResult
from webkeep.formats.http import (
    JoinedPayload,
    ResponseHead,
    is_strong_etag,
    join_ranges,
    parse_http_date,
    parse_response,
)
from webkeep.formats.status import OK, PARTIAL_CONTENT
from webkeep.model import Exchange

MAX_CONTINUATIONS = 2
"""How often the rest of a response is asked for; a server that breaks off a third time will again."""

FetchMore = Callable[[FetchRequest], Awaitable[FetchResult]]


async def fetch_rest(fetched: FetchResult, ask: FetchMore) -> FetchResult:
    """The same response with its rest, as far as the server is able and willing to give it."""
    for _ in range(MAX_CONTINUATIONS):
        request = continuation_request(fetched)
        if request is None:
            break
        if request.before_next_request is not None:
            await request.before_next_request()
        more = await ask(request)
        parts = len(fetched.parts)
        fetched = _append_result(fetched, more)
        if len(fetched.parts) == parts:
            break
    return fetched


def continuation_request(fetched: FetchResult) -> FetchRequest | None:
    """The request for the rest, or None where there is no use in one."""
    request = fetched.request
    if fetched.failure is not FetchFailure.DISCONNECTED or fetched.exchange is None or request.method != "GET":
        return None
    if request.body.size or any(name.lower() in ("range", "if-range") for name, _ in request.headers):
        return None
    head = parse_response(fetched.exchange.response)
    had = join_ranges(_current_parts(fetched))
    validator = _strong_validator(head)
    if head.status != OK or not validator or head.headers.get("accept-ranges").lower() == "none":
        return None
    if had is None or not 0 < had.body.size < (had.length or 0):
        return None
    return _range_request(request, had, validator)


def _range_request(request: FetchRequest, had: JoinedPayload, validator: str) -> FetchRequest:
    size = had.body.size
    limits = request.limits
    if limits.size:
        limits = replace(limits, size=max(limits.size - size, 1))
    headers = (*request.headers, ("Range", f"bytes={size}-"), ("If-Range", validator))
    return replace(request, headers=headers, limits=limits)


def _strong_validator(head: ResponseHead) -> str:
    """What tells one version of a page from the next for certain (RFC 9110, 8.8): "" where nothing does."""
    etag = head.headers.get("etag")
    if etag:
        return etag if is_strong_etag(etag) else ""
    modified = head.headers.get("last-modified")
    sent, changed = parse_http_date(head.headers.get("date")), parse_http_date(modified)
    return modified if sent and changed and sent.seconds_since(changed) >= 1 else ""


def _current_parts(fetched: FetchResult) -> tuple[Exchange, ...]:
    """The last response that began at the first byte, and what continued it."""
    parts = fetched.parts
    start = next((at for at, part in enumerate(parts) if part is fetched.exchange), 0)
    return parts[start:]


def _append_result(fetched: FetchResult, more: FetchResult) -> FetchResult:
    both = replace(
        fetched,
        ended=more.ended,
        seconds=fetched.seconds + more.seconds,
        spans=fetched.spans + more.spans,
    )
    part = more.exchange
    status = parse_response(part.response).status if part is not None else None
    if part is None or status not in (OK, PARTIAL_CONTENT):
        said = f"status {status}" if status else more.detail
        return replace(both, detail=f"{fetched.detail}; not continued: {said}")
    if status == OK:
        parts = (*fetched.parts, part)
        return replace(both, exchange=part, parts=parts, failure=more.failure, detail=more.detail)
    return _append_part(both, more, part)


def _append_part(both: FetchResult, more: FetchResult, part: Exchange) -> FetchResult:
    whole = join_ranges((*_current_parts(both), part))
    if whole is None:
        return replace(both, detail=f"{both.detail}; not continued: another version came")
    parts = (*both.parts, part)
    if whole.is_whole:
        return replace(both, parts=parts, failure=None, detail=f"came in {len(_current_parts(both)) + 1} parts")
    return replace(both, parts=parts, failure=more.failure or both.failure, detail=more.detail or both.detail)
