"""Going on where a transfer broke off: the rest is asked for, and what comes is kept beside what came."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from webkeep.fetch.request import Failure, Fetched, Request
from webkeep.formats.http1 import ResponseHead, parse_response
from webkeep.formats.http_date import read_date
from webkeep.formats.ranges import Joined, joined
from webkeep.model import Exchange

CONTINUATIONS = 2
"""How often the rest of a response is asked for."""

Ask = Callable[[Request], Awaitable[Fetched]]


async def continued(fetched: Fetched, ask: Ask) -> Fetched:
    """The same response with its rest, as far as the server is able and willing to give it."""
    for _ in range(CONTINUATIONS):
        request = continuation(fetched)
        if request is None:
            break
        if request.before_more is not None:
            await request.before_more()
        more = await ask(request)
        parts = len(fetched.parts)
        fetched = _with_more(fetched, more)
        if len(fetched.parts) == parts:
            break
    return fetched


def continuation(fetched: Fetched) -> Request | None:
    """The request for the rest, or None where there is no use in one."""
    request = fetched.request
    if fetched.failure is not Failure.DISCONNECTED or fetched.exchange is None or request.method != "GET":
        return None
    if request.body.size or any(name.lower() in ("range", "if-range") for name, _ in request.headers):
        return None
    head = parse_response(fetched.exchange.response)
    had = joined(_parts_that_count(fetched))
    validator = _validator(head)
    if head.status != 200 or not validator or head.headers.get("accept-ranges").lower() == "none":
        return None
    if had is None or not 0 < had.body.size < (had.length or 0):
        return None
    return _rest_of(request, had, validator)


def _rest_of(request: Request, had: Joined, validator: str) -> Request:
    size = had.body.size
    limits = request.limits
    if limits.size:
        limits = replace(limits, size=max(limits.size - size, 1))
    headers = (*request.headers, ("Range", f"bytes={size}-"), ("If-Range", validator))
    return replace(request, headers=headers, limits=limits)


def _validator(head: ResponseHead) -> str:
    """What tells one version of a page from the next for certain (RFC 9110, 8.8): "" where nothing does."""
    etag = head.headers.get("etag")
    if etag:
        return etag if etag.startswith('"') else ""
    modified = head.headers.get("last-modified")
    sent, changed = read_date(head.headers.get("date")), read_date(modified)
    return modified if sent and changed and sent.seconds_since(changed) >= 1 else ""


def _parts_that_count(fetched: Fetched) -> tuple[Exchange, ...]:
    """The last response that began at the first byte, and what continued it."""
    parts = fetched.parts
    start = next((at for at, part in enumerate(parts) if part is fetched.exchange), 0)
    return parts[start:]


def _with_more(fetched: Fetched, more: Fetched) -> Fetched:
    both = replace(
        fetched,
        ended=more.ended,
        seconds=fetched.seconds + more.seconds,
        spans=fetched.spans + more.spans,
    )
    part = more.exchange
    status = parse_response(part.response).status if part is not None else None
    if part is None or status not in (200, 206):
        said = f"status {status}" if status else more.detail
        return replace(both, detail=f"{fetched.detail}; not continued: {said}")
    if status == 200:
        parts = (*fetched.parts, part)
        return replace(both, exchange=part, parts=parts, failure=more.failure, detail=more.detail)
    return _with_rest(both, more, part)


def _with_rest(both: Fetched, more: Fetched, part: Exchange) -> Fetched:
    whole = joined((*_parts_that_count(both), part))
    if whole is None:
        return replace(both, detail=f"{both.detail}; not continued: another version came")
    parts = (*both.parts, part)
    if whole.is_whole:
        return replace(both, parts=parts, failure=None, detail=f"came in {len(_parts_that_count(both)) + 1} parts")
    return replace(both, parts=parts, failure=more.failure or both.failure, detail=more.detail or both.detail)
