"""Whether what came is the resource: archives lead elsewhere, servers led in circles, and errors are archived too; when
a body counts as cut off, and the reasons told.
"""

from __future__ import annotations

from webkeep.formats.http import declared_length, parse_content_range, parse_response
from webkeep.formats.status import BODILESS_STATUSES, NOT_MODIFIED, PARTIAL_CONTENT, is_answered, is_redirection
from webkeep.model import Exchange
from webkeep.recover.judging.url_identity import UrlIdentity, toggle_slash
from webkeep.recover.repositories.repository import FetchedVersion
from webkeep.recover.state.recovery_rows import RecoveredResource
from webkeep.url import resolve_url, surt

# Whether all of a resource came, by what the head of the answer says of its body.


HEAD_ONLY = "a response of which only the head is left"


def is_body_missing(exchange: Exchange) -> bool:
    """Whether so much of it is cut off that nothing of its body is left."""
    return not exchange.body.size and is_truncated(exchange)


def is_truncated(exchange: Exchange) -> bool:
    """Whether it says itself that it is, announces more than came, or is only a stretch of the resource."""
    if exchange.truncated:
        return True
    head = parse_response(exchange.response)
    if head.status == PARTIAL_CONTENT:
        held = parse_content_range(head.headers.get("content-range"))
        if held is None or not held.is_whole:
            return True
    if head.status in BODILESS_STATUSES or "transfer-encoding" in head.headers:
        return False
    return (declared_length(head.headers) or 0) > exchange.body.size


ANOTHER_PAGE = "a version of another page"
SELF_REDIRECT = "a redirect to itself"


def mismatch_reason(resource: RecoveredResource, found: FetchedVersion, identity: UrlIdentity) -> str:
    """Why something that came is of another URL, leads to none or is an error; "" where it is the resource."""
    if not _is_of_resource(resource, found.exchange.url, identity):
        return ANOTHER_PAGE
    status = found.listed.status or parse_response(found.exchange.response).status
    if error := describe_error_status(status):
        return error
    if is_redirection(status) and _redirects_to_itself(resource, found.exchange, identity):
        return SELF_REDIRECT
    return ""


def describe_error_status(status: int | None) -> str:
    """What a server answered in place of the resource; "" where it is one that shows it or leads to it."""
    if status == NOT_MODIFIED:
        return "a note that it had not changed (304)"
    return "" if status is None or is_answered(status) else f"an error ({status})"


def _is_of_resource(resource: RecoveredResource, url: str, identity: UrlIdentity) -> bool:
    if url == resource.url:
        return True
    key = identity.key(url)
    # Indexes know neither case nor final slashes, and find one for the other.
    return key in (resource.key, toggle_slash(resource.key)) or surt(url) == surt(resource.url)


def _redirects_to_itself(resource: RecoveredResource, exchange: Exchange, identity: UrlIdentity) -> bool:
    """Whether a redirect ends where it began, be it by way of another scheme or of `www.`."""
    location = parse_response(exchange.response).headers.get("location").strip()
    target = resolve_url(exchange.url, location) if location else None
    return target is not None and identity.key(target.partition("#")[0]) == resource.key
