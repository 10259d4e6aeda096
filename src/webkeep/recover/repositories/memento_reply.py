"""What an archive answers for a memento, made into what the lost server once answered."""

from __future__ import annotations

import re
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.formats.codings import BOMB
from webkeep.formats.content_type import media_type
from webkeep.formats.http_date import read_date
from webkeep.memento.http_moment import read_accept_datetime
from webkeep.memento.web_link import read_links
from webkeep.model import Body, BytesBody, Exchange, Finding, Headers, Moment
from webkeep.recover.repositories import banners
from webkeep.recover.repositories.checking import is_of, matches
from webkeep.recover.repositories.client import Reply
from webkeep.recover.repositories.gathering import content, gathered, start_of, transferred
from webkeep.recover.repositories.original_head import head_bytes, told_fields
from webkeep.recover.repositories.uri_m import moment_in, url_in
from webkeep.recover.repository import Fidelity, Found, Held
from webkeep.recover.repository_traits import Keeping, Traits
from webkeep.url import normal, surt

_LARGEST_PAGE = 32 << 20
_SECOND = 1_000_000
_MOST_DIGITS = 18
"""Of a length that is announced; what is longer is larger than any."""
_USUAL_ORIGINAL = re.compile(r'<([^<>"]+)>; rel="original"').match
"""As most archives write it, first of all."""


def made_of(reply: Reply, asked: Held, traits: Traits, folder: Path, is_raw: bool) -> Found:
    """The version that a reply brings, with everything that is odd about it."""
    return _Unwrapping(reply, asked, traits, folder).found(is_raw)


class _Unwrapping:
    """Takes one reply apart."""

    def __init__(self, reply: Reply, asked: Held, traits: Traits, folder: Path) -> None:
        self._reply = reply
        self._asked = asked
        self._traits = traits
        self._folder = folder
        self._told = told_fields(reply.head.headers)
        self._findings: list[Finding] = []
        self._is_bomb = False

    def found(self, is_raw: bool) -> Found:
        reply, headers = self._reply, self._reply.head.headers
        moment, url = self._moment(), self._url()
        body = transferred(headers, reply.exchange.body, self._folder)
        fields, body = self._as_recorded(self._told, body)
        truncated = self._truncated(fields, body)
        if self._asked.digest is not None and not truncated:
            self._check_digest(fields, body)
        kind, fidelity = media_type(fields), Fidelity.RAW
        if banners.is_textual(kind) and (not is_raw or banners.has_banner(_start(body))):
            fields, body, fidelity = self._turned_back(fields, body, is_raw)
        if self._traits.keeping(self._asked.media_type or kind) is Keeping.CONVERTED:
            fidelity = Fidelity.CONVERTED
        asked = self._asked
        held = Held(
            asked.repository, url, moment, reply.url, reply.status, kind, asked.digest, asked.length, asked.dates,
            place=asked.place,
        )  # fmt: skip
        exchange = Exchange(
            url, moment or Moment(0), head_bytes(reply.head, fields, body.size), body, truncated=truncated
        )
        return Found(held, exchange, fidelity, reply.received, reply.requests, bool(truncated), tuple(self._findings))

    def _moment(self) -> Moment | None:
        """When it was captured: as the answer says, as its address says, as it was listed."""
        told = self._reply.head.headers.get("memento-datetime")
        moment = _date(told) if told else None
        if told and moment is None:
            self._note("memento-datetime", f"Memento-Datetime {told[:60]!r} is no date")
        moment = moment or moment_in(self._reply.url) or self._asked.moment
        wanted = self._asked.moment
        if moment and wanted and moment.micros // _SECOND != wanted.micros // _SECOND:
            self._note("other-moment", f"the version of {moment} came in place of that of {wanted}")
        return moment

    def _url(self) -> str:
        told = _original(self._reply.head.headers)
        url = self._asked.url or told or url_in(self._reply.url)
        if told and told != url and normal(told) is not None and surt(told) != surt(url):
            self._note("other-url", f"a version of {told[:200]} came in place of one of {url[:200]}")
            return told
        return url

    def _as_recorded(self, fields: Headers, body: Body) -> tuple[Headers, Body]:
        """The body in the coding it was recorded in, and fields that say so."""
        coding = self._reply.head.headers.get("content-encoding")
        if not coding:
            return fields.without("content-encoding"), body
        coded = Headers((("Content-Encoding", coding),))
        digest = self._asked.digest
        prefixed = "x-archive-orig-content-type" in self._reply.head.headers
        recorded = "content-encoding" in fields
        for_us = prefixed and not recorded
        if not for_us and digest is not None and not matches(digest, body.chunks()):
            for_us = matches(digest, content(coded, body))
        if not for_us:
            return fields.with_field("Content-Encoding", coding), body
        return fields.without("content-encoding"), gathered(content(coded, body, self._note_bomb), self._folder)

    def _note_bomb(self, code: str, message: str) -> None:
        if code == BOMB:
            self._is_bomb = True
            self._note(code, message)

    def _truncated(self, fields: Headers, body: Body) -> str:
        """Why the end is missing, as WARC-Truncated names it; "" where it is not."""
        if self._reply.cut:
            self._note("cut-off", f"the answer breaks off ({self._reply.cut})")
            return self._reply.truncation or "disconnect"
        if self._is_bomb:
            return "length"
        if self._traits.size_cap is not None and body.size == self._traits.size_cap:
            self._note("size-cap", f"it has exactly the {body.size} bytes that {self._traits.name} keeps at most")
            return "length"
        told = fields.get("content-length")
        recoded = ("content-encoding" in self._told) != ("content-encoding" in fields)
        if told.isascii() and told.isdigit() and int(told[:_MOST_DIGITS]) > body.size and not recoded:
            self._note("short-copy", f"it has {body.size} of the {told} bytes that its server announced")
            return "unspecified"
        return ""

    def _check_digest(self, fields: Headers, body: Body) -> None:
        digest = self._asked.digest
        was_coded = "content-encoding" in self._told
        if digest is None or "transfer-encoding" in fields or (was_coded and "content-encoding" not in fields):
            return  # what was recorded in chunks or compressed came without, and cannot be compared
        if not is_of(digest, fields, body):
            self._note("digest-contradicted", f"its bytes are not those of {digest}, by which it is listed")

    def _turned_back(self, fields: Headers, body: Body, is_raw: bool) -> tuple[Headers, Body, Fidelity]:
        """A page made for showing without what the archive put in."""
        if body.size > _LARGEST_PAGE:
            return fields, body, Fidelity.RAW
        if is_raw:
            self._note("banner", f"{self._traits.name} sent a page with its own additions, which were taken out")
        plain = banners.turned_back(start_of(fields, body, _LARGEST_PAGE))
        return fields.without("content-encoding"), BytesBody(plain), Fidelity.REBUILT

    def _note(self, code: str, message: str) -> None:
        self._findings.append(Finding(code, self._reply.url, 0, message))


def _original(headers: Headers) -> str:
    """The URL whose version an answer says it is; "" where it does not say."""
    if "link" not in headers:
        return ""
    usual = _USUAL_ORIGINAL(headers.get("link"))
    if usual is not None:
        return usual[1]
    links = (link for value in headers.all("link") for link in read_links(value))
    return next((link.target for link in links if "original" in link.relations), "")


def _date(text: str) -> Moment | None:
    try:
        return read_accept_datetime(text)
    except UsageError:  # not in the one form of the standard
        return read_date(text)


def _start(body: Body) -> bytes:
    return next(body.chunks(), b"")
