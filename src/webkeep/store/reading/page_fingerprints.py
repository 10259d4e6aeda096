"""The fingerprints of records that hold pages: which kinds of content have one, and from which length on none is made.

The same function is called for what is being stored and for what is read again out of WARC files, so that both give
the same. Whoever reads the links of a page has its tree already and hands over what it is to its reader.
"""

from __future__ import annotations

from collections.abc import Iterable

from webkeep.change.detection import fingerprint_page
from webkeep.document import PageContent, read_page_content, read_text_content, sniff_text
from webkeep.extract import MAX_READ_BYTES, DocumentKind, is_opaque_type, read_known_content
from webkeep.formats.http import bare_media_type, declared_charset
from webkeep.model import Headers

_MARKUP_KINDS = frozenset({DocumentKind.HTML, DocumentKind.XML})
_TEXT_KINDS = frozenset({DocumentKind.TEXT, DocumentKind.MARKDOWN, DocumentKind.JSON, DocumentKind.ROBOTS})
_READ_KINDS = _MARKUP_KINDS | _TEXT_KINDS
"""What people read, and so has a fingerprint; of all else the bytes say what there is to say."""


_ROBOTS_NAME = "robots.txt"
"""What is text whatever is said of it."""
NO_FINGERPRINT = b""
"""Of what is no page, or one too long to be read as one."""


def fingerprint_payload(url: str, headers: Headers, content_type: str, size: int, chunks: Iterable[bytes]) -> bytes:
    """The packed fingerprint of a record's payload, of that size with its codings; `NO_FINGERPRINT` where it is nothing
    that people read.
    """
    media_type = bare_media_type(content_type).lower()
    if is_opaque_type(media_type) and _ROBOTS_NAME not in url:
        return NO_FINGERPRINT
    content, kind = read_known_content(url, headers, chunks, media_type, _READ_KINDS)
    return fingerprint_content(content, kind, declared_charset(headers), size=size)


def may_be_page(url: str, headers: Headers, content_type: str, size: int, beginning: Iterable[bytes]) -> bool:
    """Whether a payload that begins like this would have a fingerprint."""
    media_type = bare_media_type(content_type).lower()
    return size < MAX_READ_BYTES and read_known_content(url, headers, beginning, media_type, ())[1] in _READ_KINDS


def fingerprint_content(
    content: bytes, kind: DocumentKind, charset: str, page_content: PageContent | None = None, size: int = 0
) -> bytes:
    """The same of content without codings; `page_content` is what was read of it already, `size` is the payload's."""
    # Of what was cut off here, whether the rest is the same cannot be told.
    if not content or kind not in _READ_KINDS or max(size, len(content)) >= MAX_READ_BYTES:
        return NO_FINGERPRINT
    if page_content is None:
        text = sniff_text(content, charset).text
        page_content = read_page_content(text) if kind in _MARKUP_KINDS else read_text_content(text)
    return NO_FINGERPRINT if page_content is None else fingerprint_page(page_content).pack()
