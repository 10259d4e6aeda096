"""Versions of pages, read out of an archive: what is compared of an observation, and how much of it."""

from __future__ import annotations

from webkeep.change.detection import ComparedPage
from webkeep.document import PageBlock, read_page_blocks, read_text_blocks, sniff_text
from webkeep.errors import FormatError
from webkeep.extract import DocumentKind, detect_kind
from webkeep.formats.http import declared_charset
from webkeep.model import Observation
from webkeep.store.archive import Archive

_MAX_COMPARED_BYTES = 8 << 20
"""A page of more is compared by its fingerprint alone."""
_MARKUP_KINDS = frozenset({DocumentKind.HTML, DocumentKind.XML})
_TEXT_KINDS = frozenset({DocumentKind.TEXT, DocumentKind.MARKDOWN, DocumentKind.JSON, DocumentKind.ROBOTS})


def compared_page(archive: Archive, observation: Observation) -> ComparedPage:
    """What one observation of a page is compared by."""
    return ComparedPage(
        observation.status if observation.status is not None else 200,  # a file that was stored was there
        observation.content_digest or observation.payload_digest,
        observation.etag,
        observation.last_modified,
        archive.catalog.fingerprints.find(observation),
    )


def read_blocks(archive: Archive, observation: Observation) -> list[PageBlock] | None:
    """The blocks of what was observed; None where it is no text, is too long, or is not held."""
    try:
        stored = archive.read(observation)
        content = b"".join(stored.content(_MAX_COMPARED_BYTES))
    except FormatError:
        return None
    if len(content) >= _MAX_COMPARED_BYTES:
        return None
    kind = detect_kind(observation.media_type, content, observation.url)
    charset = declared_charset(stored.head.headers) if stored.head is not None else ""
    if kind in _MARKUP_KINDS:
        return read_page_blocks(sniff_text(content, charset).text)
    return read_text_blocks(sniff_text(content, charset).text) if kind in _TEXT_KINDS else None
