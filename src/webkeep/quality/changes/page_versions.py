"""Versions of pages, read out of an archive: what is compared of an observation, and how much of it."""

from __future__ import annotations

from typing import NamedTuple

from webkeep.change.detection import ComparedPage
from webkeep.document import PageBlock, read_page_blocks, read_text_blocks, sniff_text
from webkeep.errors import FormatError
from webkeep.extract import DocumentKind, detect_kind
from webkeep.formats.http import declared_charset, parse_http_date
from webkeep.model import Headers, Moment, Observation
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


class PageVersion(NamedTuple):
    """A page as it was observed."""

    blocks: list[PageBlock]
    served: Moment
    """When, by its server's clock where that says so."""


def read_blocks(archive: Archive, observation: Observation) -> list[PageBlock] | None:
    """The blocks of what was observed; None where it is no text, is too long, or is not held."""
    version = read_version(archive, observation)
    return None if version is None else version.blocks


def read_version(archive: Archive, observation: Observation) -> PageVersion | None:
    """The same with the moment at which it was served."""
    try:
        stored = archive.read(observation)
        content = b"".join(stored.content(_MAX_COMPARED_BYTES))
    except FormatError:
        return None
    if len(content) >= _MAX_COMPARED_BYTES:
        return None
    kind = detect_kind(observation.media_type, content, observation.url)
    headers = stored.head.headers if stored.head is not None else Headers()
    if kind not in _MARKUP_KINDS | _TEXT_KINDS:
        return None
    text = sniff_text(content, declared_charset(headers)).text
    blocks = read_page_blocks(text) if kind in _MARKUP_KINDS else read_text_blocks(text)
    served = parse_http_date(headers.get("date"))
    return None if blocks is None else PageVersion(blocks, served or observation.moment)
