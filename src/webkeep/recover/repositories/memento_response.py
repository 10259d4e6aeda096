"""What an archive answers for a memento, made into what the lost server once answered: its moment, URL and coding,
whether its end is missing, and what is odd about it.
"""

from __future__ import annotations

import re
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.formats.codings import CODING_BOMB
from webkeep.formats.http import declared_length, declared_media_type, parse_http_date
from webkeep.memento import parse_accept_datetime, parse_links
from webkeep.model import Body, BytesBody, Exchange, Finding, Headers, Moment
from webkeep.recover.repositories import banner_removal as banners
from webkeep.recover.repositories.digest_check import has_digest, matches_digest
from webkeep.recover.repositories.original_head import build_head, original_fields
from webkeep.recover.repositories.repository import FetchedVersion, ListedVersion, VersionFidelity
from webkeep.recover.repositories.repository_traits import KeptForm, RepositoryTraits
from webkeep.recover.repositories.repository_transport import RepositoryResponse
from webkeep.recover.repositories.spooled_body import content_start, decode_content, spool_body, undo_transfer_coding
from webkeep.recover.repositories.uri_m import moment_in, url_in
from webkeep.url import normalize_url, surt

_MAX_PAGE_BYTES = 32 << 20
"""Larger pages are kept as the archive sends them, with its banner."""
_SECOND_MICROS = 1_000_000
_COMMON_ORIGINAL = re.compile(r'<([^<>"]+)>; rel="original"').match
"""As nearly all archives begin the field: told in 0.2 µs, where `parse_links` takes 3.8 (`bench.quick_paths`).
`test_the_original_is_the_link_it_is` holds both to the same."""
"""As most archives write it, first of all."""


def unwrap_memento(
    response: RepositoryResponse, asked: ListedVersion, traits: RepositoryTraits, folder: Path, is_raw: bool
) -> FetchedVersion:
    """The version that a reply brings, with everything that is odd about it."""
    return _MementoUnwrapper(response, asked, traits, folder).unwrap(is_raw)


class _MementoUnwrapper:
    """Takes one reply apart."""

    def __init__(
        self, response: RepositoryResponse, asked: ListedVersion, traits: RepositoryTraits, folder: Path
    ) -> None:
        self._response = response
        self._asked = asked
        self._traits = traits
        self._folder = folder
        self._original_fields = original_fields(response.head.headers)
        self._findings: list[Finding] = []
        self._is_bomb = False

    def unwrap(self, is_raw: bool) -> FetchedVersion:
        response, headers = self._response, self._response.head.headers
        moment, url = self._capture_moment(), self._original_url()
        body = undo_transfer_coding(headers, response.exchange.body, self._folder)
        fields, body = self._restore_coding(self._original_fields, body)
        truncated = self._truncation_reason(fields, body)
        if self._asked.digest is not None and not truncated:
            self._check_digest(fields, body)
        kind, fidelity = declared_media_type(fields), VersionFidelity.RAW
        if banners.is_textual(kind) and (not is_raw or banners.has_banner(_first_chunk(body))):
            fields, body, fidelity = self._remove_banner(fields, body, is_raw)
        if self._traits.kept_form(self._asked.media_type or kind) is KeptForm.CONVERTED:
            fidelity = VersionFidelity.CONVERTED
        asked = self._asked
        held = ListedVersion(
            asked.repository, url, moment, response.url, response.status, kind, asked.digest, asked.length, asked.dates,
            place=asked.place,
        )  # fmt: skip
        exchange = Exchange(
            url, moment or Moment(0), build_head(response.head, fields, body.size), body, truncated=truncated
        )
        return FetchedVersion(
            held, exchange, fidelity, response.received, response.requests, bool(truncated), tuple(self._findings)
        )

    def _capture_moment(self) -> Moment | None:
        """When it was captured: as the answer says, as its address says, as it was listed."""
        told = self._response.head.headers.get("memento-datetime")
        moment = _parse_date(told) if told else None
        if told and moment is None:
            self._note("memento-datetime", f"Memento-Datetime {told[:60]!r} is no date")
        moment = moment or moment_in(self._response.url) or self._asked.moment
        wanted = self._asked.moment
        if moment and wanted and moment.micros // _SECOND_MICROS != wanted.micros // _SECOND_MICROS:
            self._note("other-moment", f"the version of {moment} came in place of that of {wanted}")
        return moment

    def _original_url(self) -> str:
        told = _original_link(self._response.head.headers)
        url = self._asked.url or told or url_in(self._response.url)
        if told and told != url and normalize_url(told) is not None and surt(told) != surt(url):
            self._note("other-url", f"a version of {told[:200]} came in place of one of {url[:200]}")
            return told
        return url

    def _restore_coding(self, fields: Headers, body: Body) -> tuple[Headers, Body]:
        """The body in the coding it was recorded in, and fields that say so."""
        coding = self._response.head.headers.get("content-encoding")
        if not coding:
            return fields.without("content-encoding"), body
        coded = Headers((("Content-Encoding", coding),))
        digest = self._asked.digest
        prefixed = "x-archive-orig-content-type" in self._response.head.headers
        recorded = "content-encoding" in fields
        for_us = prefixed and not recorded
        if not for_us and digest is not None and not matches_digest(digest, body.chunks()):
            for_us = matches_digest(digest, decode_content(coded, body))
        if not for_us:
            return fields.with_field("Content-Encoding", coding), body
        return fields.without("content-encoding"), spool_body(
            decode_content(coded, body, self._note_bomb), self._folder
        )

    def _note_bomb(self, code: str, message: str) -> None:
        if code == CODING_BOMB:
            self._is_bomb = True
            self._note(code, message)

    def _truncation_reason(self, fields: Headers, body: Body) -> str:
        """Why the end is missing, as WARC-Truncated names it; "" where it is not."""
        if self._response.cut:
            self._note("cut-off", f"the response breaks off ({self._response.cut})")
            return self._response.truncation or "disconnect"
        if self._is_bomb:
            return "length"
        if self._traits.size_cap is not None and body.size == self._traits.size_cap:
            self._note("size-cap", f"it has exactly the {body.size} bytes that {self._traits.name} keeps at most")
            return "length"
        told = declared_length(fields)
        recoded = ("content-encoding" in self._original_fields) != ("content-encoding" in fields)
        if told is not None and told > body.size and not recoded:
            self._note("short-copy", f"it has {body.size} of the {told} bytes that its server announced")
            return "unspecified"
        return ""

    def _check_digest(self, fields: Headers, body: Body) -> None:
        digest = self._asked.digest
        was_coded = "content-encoding" in self._original_fields
        if digest is None or "transfer-encoding" in fields or (was_coded and "content-encoding" not in fields):
            return  # what was recorded in chunks or compressed came without, and cannot be compared
        if not has_digest(digest, fields, body):
            self._note("digest-contradicted", f"its bytes are not those of {digest}, by which it is listed")

    def _remove_banner(self, fields: Headers, body: Body, is_raw: bool) -> tuple[Headers, Body, VersionFidelity]:
        """A page made for showing without what the archive put in."""
        if body.size > _MAX_PAGE_BYTES:
            return fields, body, VersionFidelity.RAW
        if is_raw:
            self._note("banner", f"{self._traits.name} sent a page with its own additions, which were taken out")
        plain = banners.remove_banner(content_start(fields, body, _MAX_PAGE_BYTES))
        return fields.without("content-encoding"), BytesBody(plain), VersionFidelity.REBUILT

    def _note(self, code: str, message: str) -> None:
        self._findings.append(Finding(code, self._response.url, 0, message))


def _original_link(headers: Headers) -> str:
    """The URL whose version an answer says it is; "" where it does not say."""
    if "link" not in headers:
        return ""
    usual = _COMMON_ORIGINAL(headers.get("link"))
    if usual is not None:
        return usual[1]
    links = (link for value in headers.all("link") for link in parse_links(value))
    return next((link.target for link in links if "original" in link.relations), "")


def _parse_date(text: str) -> Moment | None:
    try:
        return parse_accept_datetime(text)
    except UsageError:  # not in the one form of the standard
        return parse_http_date(text)


def _first_chunk(body: Body) -> bytes:
    return next(body.chunks(), b"")
