"""Misbehaviours of servers, each by name, with what must become of the URL that shows it.

Every fault has a host name of its own, so that one cannot hide another. Answers that are always the same bytes stand
here; those that need to do something are in `fault_server`.
"""

import enum
import gzip
import random
from dataclasses import dataclass

from webkeep.model import UrlOutcome

STORED, DUPLICATE, FAILED, OUT = UrlOutcome.STORED, UrlOutcome.DUPLICATE, UrlOutcome.FAILED, UrlOutcome.OUT_OF_SCOPE

LINKS = 200_000
"""How many links the page with too many of them has."""


class Ending(enum.Enum):
    """What a server does once it has sent its answer."""

    KEEP = "keep"
    CLOSE = "close"
    RESET = "reset"
    STALL = "stall"


class Recorded(enum.Enum):
    """What the archive must hold of an answer."""

    WHOLE = "whole"
    """A response that is not marked as cut off."""
    TRUNCATED = "truncated"
    """A response that is."""
    SOMEHOW = "somehow"
    """Something, for the bytes came, whether or not they make a response."""
    NOTHING = "nothing"
    EITHER = "either"
    """Too little came to ask for a record of it."""


class Place(enum.Enum):
    """Where a fault is met."""

    WEB = "http"
    SECURE = "https"
    REFUSED_PORT = "refused port"
    TLS_GARBAGE = "tls garbage"
    TLS_HANG_UP = "tls hang-up"
    SIXTH = "IPv6 address without a server"
    NO_NAME = "name that does not exist"


@dataclass(frozen=True, slots=True)
class Fault:
    """One misbehaviour, and what is right to make of it."""

    name: str
    fates: tuple[UrlOutcome, ...]
    """The outcomes that are right; more than one where the answer can be read in more than one way."""
    recorded: Recorded
    answer: bytes = b""
    """What is sent; nothing where the server acts on its own."""
    ending: Ending = Ending.KEEP
    reason: str = ""
    """A word that the fate's reason must have."""
    status: int = 0
    """The status that must be among the recorded ones; 0 for any."""
    leads_to: tuple[tuple[str, UrlOutcome], ...] = ()
    """What must become of the URLs it leads to: paths of the same host, or whole URLs."""
    most_requests: int = 0
    """How often its host may be asked at most, robots.txt aside; 0 for any."""
    place: Place = Place.WEB


def _head(*lines: str, status: str = "200 OK") -> bytes:
    return "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status}", *lines, "")).encode("latin-1")


def _page(body: bytes, *lines: str, status: str = "200 OK", media_type: str = "text/html") -> bytes:
    return _head(f"Content-Type: {media_type}", f"Content-Length: {len(body)}", *lines, status=status) + body


def _ok(
    name: str,
    answer: bytes = b"",
    ending: Ending = Ending.KEEP,
    status: int = 0,
    leads_to: tuple[tuple[str, UrlOutcome], ...] = (),
    most_requests: int = 0,
) -> Fault:
    return Fault(name, (STORED,), Recorded.WHOLE, answer, ending, "", status, leads_to, most_requests)


def _bodiless(name: str, answer: bytes) -> Fault:
    """An answer that has no body whatever it says; one that has none is like another."""
    return Fault(name, (STORED, DUPLICATE), Recorded.WHOLE, answer, Ending.CLOSE, status=int(answer[9:12]))


def _moved(location: str) -> bytes:
    return _page(f"to {location}".encode(), f"Location: {location}", status="302 Found")


def _linking(name: str) -> str:
    return f'<!doctype html><title>{name}</title><p>Grüße <a href="/found">found</a>'


_NOISE = random.Random(5).randbytes(20_000)
_FOUND = (("/found", STORED),)
_LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(12))
    + b"]><l>&m;</l>"
)

LENGTHS = (
    Fault(
        "length-too-long",
        (FAILED,),
        Recorded.TRUNCATED,
        _head("Content-Length: 1000") + b"ten bytes.",
        Ending.CLOSE,
        "disconnected",
    ),
    Fault(
        "length-too-short",
        (STORED,),
        Recorded.SOMEHOW,
        _head("Content-Length: 5") + b"amber, and there is more",
        Ending.CLOSE,
    ),
    Fault(
        "length-twice-different",
        (STORED, FAILED),
        Recorded.SOMEHOW,
        _head("Content-Length: 5", "Content-Length: 7") + b"birch..",
        Ending.CLOSE,
    ),
    _ok("length-twice-the-same", _head("Content-Length: 5", "Content-Length: 5") + b"cedar"),
    Fault(
        "length-in-words", (STORED, FAILED), Recorded.SOMEHOW, _head("Content-Length: many") + b"daisy", Ending.CLOSE
    ),
    Fault("length-negative", (STORED, FAILED), Recorded.SOMEHOW, _head("Content-Length: -5") + b"ebony", Ending.CLOSE),
    Fault(
        "length-beyond-numbers",
        (STORED, FAILED),
        Recorded.SOMEHOW,
        _head(f"Content-Length: {'9' * 30}") + b"finch",
        Ending.CLOSE,
    ),
    Fault("endless-body", (STORED,), Recorded.TRUNCATED, reason="cut off at"),
    Fault("endless-chunks", (STORED,), Recorded.TRUNCATED, reason="cut off at"),
    Fault("slow-drip", (FAILED,), Recorded.TRUNCATED, reason="timeout"),
)

HEADS = (
    Fault("no-status-line", (STORED, FAILED), Recorded.SOMEHOW, b"Content-Type: text/plain\r\n\r\ngrape", Ending.CLOSE),
    Fault("http-0.9", (STORED, FAILED), Recorded.SOMEHOW, b"<title>old</title><p>no head at all", Ending.CLOSE),
    Fault("noise", (STORED, FAILED), Recorded.SOMEHOW, _NOISE, Ending.CLOSE),
    Fault(
        "noise-before-the-head", (STORED, FAILED), Recorded.SOMEHOW, b"\x00\x01oops\r\n" + _page(b"hazel"), Ending.CLOSE
    ),
    Fault("nul-in-head", (STORED,), Recorded.SOMEHOW, _page(b"irish", "X-Odd: a\x00b"), Ending.CLOSE),
    Fault("line-without-colon", (STORED,), Recorded.SOMEHOW, _page(b"jolly", "what is this"), Ending.CLOSE),
    Fault(
        "head-of-400-kb",
        (STORED,),
        Recorded.SOMEHOW,
        _page(b"koala", *(f"X-{n}: {'v' * 990}" for n in range(400))),
        Ending.CLOSE,
    ),
    Fault("line-of-120-kb", (STORED,), Recorded.SOMEHOW, _page(b"lemon", "X-Long: " + "v" * 120_000), Ending.CLOSE),
    _ok("folded-lines", _page(b"maple", "X-Folded: one\r\n two\r\n\tthree")),
    Fault("bare-line-feeds", (STORED,), Recorded.SOMEHOW, b"HTTP/1.1 200 OK\nContent-Length: 5\n\nnight", Ending.CLOSE),
    _ok("status-without-reason", b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nolive"),
    _ok("status-unknown", _page(b"peach", status="299 Odd"), status=299),
    Fault(
        "status-with-five-digits", (STORED, FAILED), Recorded.SOMEHOW, _page(b"quilt", status="20000 OK"), Ending.CLOSE
    ),
    Fault(
        "version-unknown",
        (STORED, FAILED),
        Recorded.SOMEHOW,
        b"HTTP/7.3 200 OK\r\nContent-Length: 5\r\n\r\nraven",
        Ending.CLOSE,
    ),
    Fault("endless-head", (FAILED,), Recorded.EITHER),
    _ok("informed-a-hundred-times", _head(status="103 Early Hints") * 100 + _page(b"sugar"), status=200),
)

CHUNKS = (
    Fault(
        "chunk-size-wrong",
        (STORED, FAILED),
        Recorded.SOMEHOW,
        _head("Transfer-Encoding: chunked") + b"zz\r\ntulip\r\n0\r\n\r\n",
        Ending.CLOSE,
    ),
    Fault(
        "chunk-size-huge",
        (STORED, FAILED),
        Recorded.SOMEHOW,
        _head("Transfer-Encoding: chunked") + b"f" * 20 + b"\r\numbra",
        Ending.CLOSE,
    ),
    Fault(
        "chunks-without-end",
        (FAILED,),
        Recorded.TRUNCATED,
        _head("Transfer-Encoding: chunked") + b"5\r\nviola\r\n",
        Ending.CLOSE,
        "disconnected",
    ),
    _ok("chunks-with-trailer", _head("Transfer-Encoding: chunked") + b"5;a=b\r\nwheat\r\n0\r\nX-After: yes\r\n\r\n"),
    _ok(
        "chunks-and-length",
        _head("Transfer-Encoding: chunked", "Content-Length: 3") + b"5\r\nxenon\r\n0\r\n\r\n",
        ending=Ending.CLOSE,
    ),
)

CODINGS = (
    _ok("gzip-bomb"),
    _ok("gzip-that-is-none", _page(b"plain text", "Content-Encoding: gzip")),
    _ok("gzip-cut-short", _page(gzip.compress(_linking("cut").encode() * 50, mtime=0)[:-20], "Content-Encoding: gzip")),
    _ok(
        "gzip-in-gzip",
        _page(gzip.compress(gzip.compress(_linking("twice").encode())), "Content-Encoding: gzip, gzip"),
        leads_to=_FOUND,
    ),
    _ok("coding-unknown", _page(b"uryyb", "Content-Encoding: rot13")),
)

REDIRECTS = (
    _ok(
        "redirect-to-itself",
        _moved("/redirect-to-itself"),
        most_requests=2,
    ),
    _ok("redirect-in-a-ring", leads_to=(("/redirect-in-a-ring/half", STORED),), most_requests=4),
    _ok("redirect-without-end", most_requests=30),
    _ok("redirect-with-cookie", status=200, most_requests=4),
    _ok("location-malformed", _moved("http://[::bad/")),
    _ok("location-missing", _page(b"to nowhere", status="302 Found")),
    _ok(
        "redirect-to-link-local",
        _moved("http://169.254.169.254/latest/"),
        leads_to=(("http://169.254.169.254/latest/", OUT),),
    ),
    _ok(
        "redirect-to-file",
        _moved("file:///etc/hostname"),
        leads_to=(("file:///etc/hostname", OUT),),
    ),
)

STATUSES = (
    _bodiless("no-content-with-content", _page(b"yeast", status="204 No Content")),
    _bodiless("reset-content-with-content", _page(b"zebra", status="205 Reset Content")),
    _bodiless("not-modified-unasked", _page(b"acorn", status="304 Not Modified")),
    _ok("partial-unasked", _page(b"bloom", "Content-Range: bytes 0-4/10", status="206 Partial Content"), status=206),
    _ok("unauthorized", _page(b"who?", 'WWW-Authenticate: Basic realm="x"', status="401 Unauthorized"), status=401),
    _ok("too-many-requests-once", status=200),
    _ok("unavailable-once", status=200),
    _ok("broken-once", status=200),
    Fault(
        "broken-always",
        (STORED, FAILED),
        Recorded.WHOLE,
        _page(b"sorry", status="500 Broken"),
        status=500,
        most_requests=2,
    ),
)

CONNECTIONS = (
    Fault("closed-without-answer", (FAILED,), Recorded.NOTHING, ending=Ending.CLOSE, reason="disconnected"),
    Fault("reset-without-answer", (FAILED,), Recorded.NOTHING, ending=Ending.RESET, reason="disconnected"),
    Fault("reset-in-head", (FAILED,), Recorded.EITHER, b"HTTP/1.1 200 OK\r\nContent-Ty", Ending.RESET, "disconnected"),
    Fault(
        "reset-in-body",
        (FAILED,),
        Recorded.TRUNCATED,
        _head("Content-Length: 1000") + b"part",
        Ending.RESET,
        "disconnected",
    ),
    Fault("stalled-before-head", (FAILED,), Recorded.NOTHING, ending=Ending.STALL, reason="timeout"),
    Fault(
        "stalled-in-body",
        (FAILED,),
        Recorded.TRUNCATED,
        _head("Content-Length: 1000") + b"half",
        Ending.STALL,
        "timeout",
    ),
    Fault("port-refused", (FAILED,), Recorded.NOTHING, reason="cannot-connect", place=Place.REFUSED_PORT),
    Fault("address-unreachable", (FAILED,), Recorded.NOTHING, reason="cannot-connect", place=Place.SIXTH),
    Fault("name-unknown", (FAILED,), Recorded.NOTHING, reason="name-not-resolved", place=Place.NO_NAME),
    Fault(
        "certificate-of-nobody", (FAILED,), Recorded.NOTHING, _page(b"coral"), reason="certificate", place=Place.SECURE
    ),
    Fault("tls-garbage", (FAILED,), Recorded.NOTHING, reason="tls", place=Place.TLS_GARBAGE),
    Fault("tls-hang-up", (FAILED,), Recorded.NOTHING, place=Place.TLS_HANG_UP),
)

CONTENTS = (
    _ok("page-in-utf-16", _page(_linking("wide").encode("utf-16")), leads_to=_FOUND),
    _ok(
        "charset-mislabelled",
        _page(_linking("cyrillic").encode(), media_type="text/html; charset=koi8-r"),
        leads_to=_FOUND,
    ),
    _ok(
        "charset-unknown", _page(_linking("klingon").encode(), media_type="text/html; charset=klingon"), leads_to=_FOUND
    ),
    _ok(
        "nul-bytes-in-page",
        _page(_linking("nul").replace(" ", "\x00 \x00").replace("<a\x00 \x00", "<a ").encode()),
        leads_to=_FOUND,
    ),
    _ok("noise-as-page", _page(_NOISE[::-1])),
    _ok("page-as-picture", _page(_linking("picture").encode(), media_type="image/png")),
    _ok("type-malformed", _page(_linking("untyped").encode(), media_type=";;/=,")),
    _ok("tags-in-tags", leads_to=_FOUND),
    _ok("laughs-by-the-billion", _page(_LAUGHS, media_type="application/xml")),
    _ok("links-without-number"),
    _ok("cookies-on-every-page", leads_to=(("/cookies-on-every-page/19", STORED),)),
)

FAULTS = (*LENGTHS, *HEADS, *CHUNKS, *CODINGS, *REDIRECTS, *STATUSES, *CONNECTIONS, *CONTENTS)
"""Every fault."""
