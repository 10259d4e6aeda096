"""Comments put into pages and taken out again: at the very end, where HTML and XHTML allow them and nothing that is
shown moves, in the page's own encoding; and which pages can carry any.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from itertools import islice

from webkeep.vault.blocks.block_comment import COMMENT
from webkeep.vault.blocks.open_text import is_closed

_WIDE_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
ESCAPE = b"\x1b"
"""With it charsets such as ISO-2022-JP change what bytes mean."""
_DOCUMENT_START = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?[^>]*>|<!--(?:(?!-->).)*-->)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)
_DOCUMENT_END = re.compile(rb"</(?:html|body)\s*>\Z", re.IGNORECASE)
_END_TAG_BYTES = 64
"""Room for the last tag of a page, with some blanks in it."""
_END_WINDOW_BYTES = 64 << 10
"""Of the end of a page, in which its last tag is looked for."""
_BODY_END = re.compile(rb"</body\s*>", re.IGNORECASE)
_MAX_BODY_ENDS = 8
"""Of those that stand in scripts and comments are passed over, from the last one on."""
_MODIFIED_LINE = re.compile(rb'<p class="webkeep-vault-modified">[^<>]*</p>')
_MODIFIED_TEXT = '<p class="webkeep-vault-modified">This page was modified on {when}.</p>'


def strip_blocks(page: bytes) -> bytes:
    """A page as it was before blocks, and the line that tells of them, were put in."""
    return _MODIFIED_LINE.sub(b"", COMMENT.sub(b"", page))


def can_carry(page: bytes) -> bool:
    """Whether a comment at the end of a page would be one: it is HTML, and nothing in it is left open."""
    plain = as_plain(page)
    return plain is not None and is_whole_document(plain) and is_closed(plain)


def as_plain(page: bytes) -> bytes | None:
    """A page with every character of ASCII as one byte: the very same for most; None where its charset has none."""
    wide = _WIDE_MARKS.get(page[:2])
    if wide is not None:
        return page[2:].decode(wide, "replace").encode("ascii", "replace")
    return None if ESCAPE in page else page


def is_whole_document(page: bytes) -> bool:
    """Whether a page is a whole HTML document, and no fragment of one."""
    return begins_document(page) or _ends_document(page[-_END_WINDOW_BYTES:])


def begins_document(page: bytes) -> bool:
    """Whether a page begins as HTML documents do."""
    return _DOCUMENT_START.match(page) is not None


def _ends_document(end: bytes) -> bool:
    """Whether the last tag is one that ends a document; comments may follow it."""
    end = end.rstrip()
    while end.endswith(b"-->") and (comment := end.rfind(b"<!--")) >= 0:
        end = end[:comment].rstrip()
    return _DOCUMENT_END.search(end[-_END_TAG_BYTES:]) is not None


def encode_like(page_start: bytes, text: bytes) -> bytes:
    """ASCII in the encoding of a page that begins so."""
    wide = _WIDE_MARKS.get(page_start[:2])
    return text if wide is None else text.decode("ascii").encode(wide)


def inject_blocks(page: bytes, comments: Sequence[bytes], modified: str = "") -> bytes:
    """A page with comments at its end, and where wanted with a visible line that says when it was modified."""
    if modified:
        page = _insert_line(page, _MODIFIED_TEXT.format(when=modified).encode("ascii"))
    return b"".join([page, *comments]) if page[:2] not in _WIDE_MARKS else page + encode_like(page, b"".join(comments))


def _insert_line(page: bytes, line: bytes) -> bytes:
    if page[:2] in _WIDE_MARKS:
        return page + encode_like(page, line)
    ends = (each.start() for each in reversed(list(_BODY_END.finditer(page))))
    place = next((end for end in islice(ends, _MAX_BODY_ENDS) if is_closed(page[:end])), len(page))
    return page[:place] + line + page[place:]
