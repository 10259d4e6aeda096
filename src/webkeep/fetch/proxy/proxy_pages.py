"""What the proxy itself says to clients: errors on a page that a person understands, with their status and advice, and
a welcome page with its certificate.
"""

from __future__ import annotations

from webkeep.fetch.request import FetchFailure
from webkeep.formats.status import build_status_line, reason_phrase
from webkeep.presentation.pages import element, render_page

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
    phrase = reason_phrase(status)
    said = [element("p", each) for each in (reason, advice) if each]
    page = render_page(f"{status} {phrase}", element("main", element("h1", f"webkeep record: {phrase}"), said))
    return response_document(status, "text/html; charset=utf-8", page)


def response_document(status: int, media_type: str, content: bytes) -> bytes:
    """A whole answer."""
    head = (
        f"{build_status_line(status)}\r\nContent-Type: {media_type}\r\nContent-Length: {len(content)}\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + content


def welcome_page() -> bytes:
    """What a browser is shown that asks the proxy for a page of its own."""
    authority = element("a", "Its certificate", href="/webkeep-authority.pem")
    return render_page(
        "webkeep record",
        element(
            "main",
            element("h1", "webkeep record"),
            element("p", "This is a recording proxy. Set it as the HTTP and HTTPS proxy of your browser."),
            element("p", authority, " is what a browser must trust for https."),
        ),
    )
