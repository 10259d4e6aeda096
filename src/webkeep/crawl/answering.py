"""From how a request ended to what the frontier needs to know of it."""

from __future__ import annotations

from dataclasses import replace

from webkeep.crawl.studied import Studied
from webkeep.fetch.addresses import is_loopback
from webkeep.fetch.request import Failure, Fetched
from webkeep.fetch.status import status_of
from webkeep.formats.http1 import ResponseHead, parse_response
from webkeep.formats.http_date import read_date
from webkeep.frontier.answer import Answer, Settled
from webkeep.model import Moment
from webkeep.url import resolve

_MAY_PASS = frozenset(
    {Failure.NAME, Failure.CONNECT, Failure.TIMEOUT, Failure.STALLED, Failure.DISCONNECTED, Failure.PROXY}
)
_NEVER_CONNECTED = frozenset({Failure.NAME, Failure.CONNECT, Failure.FORBIDDEN_ADDRESS, Failure.PROXY, Failure.SCHEME})
CUT_OFF = "cut off at "
"""How the reason begins of what is stored only in part, because of a limit that a person set."""
_HEAD_ENDS = (b"\r\n\r\n", b"\n\n", b"\n\r\n")
_THIS_MACHINE = "127.0.0.1"
_LONGEST_WAIT = 10 * 365 * 86400.0


def head_of(fetched: Fetched) -> ResponseHead:
    """The head of the response, empty where there is none."""
    return parse_response(fetched.exchange.response) if fetched.exchange is not None else ResponseHead()


def answer_of(fetched: Fetched) -> Answer:
    """What came of a request."""
    exchange = fetched.exchange
    status = status_of(exchange.response) if exchange is not None and fetched.failure is None else 0
    if exchange is not None and 200 <= status < 300:
        # Nothing else that could matter is in the head of a success, and nearly all are.
        return Answer(
            fetched.started,
            fetched.ended,
            status,
            address=exchange.address,
            loopback=is_loopback(exchange.address),
            first_byte_seconds=fetched.first_byte_seconds,
            size=_size(fetched),
            spans=fetched.spans if len(fetched.spans) > 1 else (),
        )
    return _other_answer(fetched)


def _other_answer(fetched: Fetched) -> Answer:
    exchange, failure, resource, head = fetched.exchange, fetched.failure, fetched.resource, head_of(fetched)
    address = exchange.address if exchange is not None else resource.address if resource is not None else ""
    unwanted = fetched.detail if failure is Failure.UNWANTED else ""
    cut = cut_off_at(fetched.request.limits.size) if _is_cut_off(fetched) else ""
    return Answer(
        started=fetched.started,
        ended=fetched.ended,
        status=head.status or 0,
        failure=_words(fetched) if failure is not None and not unwanted and not cut else "",
        temporary=failure in _MAY_PASS,
        connected=failure not in _NEVER_CONNECTED,
        resolved=failure is not Failure.NAME,
        address=address,
        loopback=is_loopback(address) if address else fetched.request.url.startswith("file:"),
        first_byte_seconds=fetched.first_byte_seconds,
        retry_after=_retry_after(head.headers.get("retry-after"), fetched.ended),
        size=resource.body.size if resource else _size(fetched),
        redirect=redirect_of(fetched.request.url, head),
        set_cookie="set-cookie" in head.headers,
        cut=cut,
        excluded=unwanted,
        spans=fetched.spans if len(fetched.spans) > 1 else (),
    )


def _is_cut_off(fetched: Fetched) -> bool:
    """Whether it is a body that was longer than it might be; a head without an end is the server's fault."""
    if fetched.failure is not Failure.TOO_LARGE:
        return False
    exchange = fetched.exchange
    return fetched.resource is not None or (exchange is not None and exchange.response.endswith(_HEAD_ENDS))


def cut_off_at(size: int) -> str:
    """What is said of a response that was longer than it might be."""
    return f"{CUT_OFF}{size:,} bytes (max-size); what came is stored"


def _size(fetched: Fetched) -> int:
    return sum(part.body.size + len(part.response) for part in fetched.parts)


def with_remarks(verdict: Settled, studied: Studied) -> Settled:
    """A fate that also says what the page asked of robots, which is not obeyed, and why its links are not known."""
    if not studied.wishes and not studied.trouble:
        return verdict
    asked = f"asks of robots: {studied.wishes}" if studied.wishes else ""
    return replace(verdict, reason="; ".join(filter(None, (verdict.reason, asked, studied.trouble))))


def redirect_of(url: str, head: ResponseHead) -> str:
    """Where a redirect leads, absolute; empty where the response is none."""
    location = head.headers.get("location").strip()
    if not location or not 300 <= (head.status or 0) < 400:
        return ""
    return (resolve(url, location) or "").partition("#")[0]


def _words(fetched: Fetched) -> str:
    return f"{fetched.failure}: {fetched.detail}" if fetched.detail else str(fetched.failure)


def _retry_after(text: str, now: Moment) -> float | None:
    """The seconds that a Retry-After field asks to wait: a number of them, or a date."""
    said = text.strip()
    if not said:
        return None
    if said.isdecimal():
        return min(float(said[:12]), _LONGEST_WAIT)
    date = read_date(said)
    if date is None:
        return None
    seconds = date.seconds_since(now)
    return min(max(seconds, 0.0), _LONGEST_WAIT)
