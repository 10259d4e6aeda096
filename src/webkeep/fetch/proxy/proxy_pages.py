"""What the proxy itself says to clients: errors on a page that a person understands."""

from __future__ import annotations

import html
from http import HTTPStatus

from webkeep.fetch.request import FetchFailure

_FAILURE_STATUSES = {
    FetchFailure.FORBIDDEN_ADDRESS: 403,
    FetchFailure.TIMEOUT: 504,
    FetchFailure.STALLED: 504,
}
_ADVICE = {
    FetchFailure.FORBIDDEN_ADDRESS: "Private addresses are closed unless webkeep record is started with --private.",
    FetchFailure.CERTIFICATE: (
        "The server's certificate is not valid. --insecure passes such servers, and records that."
    ),
    FetchFailure.NAME: "The host name does not resolve.",
}


def failure_page(failure: FetchFailure, detail: str) -> bytes:
    """The answer to a request that the server did not answer."""
    return error_page(_FAILURE_STATUSES.get(failure, 502), f"{failure}: {detail}", _ADVICE.get(failure, ""))


def error_page(status: int, reason: str, advice: str = "") -> bytes:
    """An answer that ends the connection."""
    phrase = HTTPStatus(status).phrase
    said = f"<p>{html.escape(reason)}</p>" + (f"<p>{html.escape(advice)}</p>" if advice else "")
    text = f"<!doctype html><meta charset=utf-8><title>{status} {phrase}</title><h1>webkeep record: {phrase}</h1>{said}"
    return response_document(status, "text/html; charset=utf-8", f"{text}\n".encode())


def response_document(status: int, media_type: str, content: bytes) -> bytes:
    """A whole answer."""
    phrase = HTTPStatus(status).phrase
    head = (
        f"HTTP/1.1 {status} {phrase}\r\nContent-Type: {media_type}\r\nContent-Length: {len(content)}\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + content


WELCOME_PAGE = (
    b"<!doctype html><meta charset=utf-8><title>webkeep record</title><h1>webkeep record</h1>"
    b"<p>This is a recording proxy. Set it as the HTTP and HTTPS proxy of your browser.</p>"
    b"<p><a href=/webkeep-authority.pem>Its certificate</a> is what a browser must trust for https.</p>\n"
)
