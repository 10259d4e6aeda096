"""Comments put into pages and taken out again: at the very end, where HTML and XHTML allow them and nothing that is
shown moves, in the page's own encoding; and which pages can carry any.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

from webkeep.vault.blocks.block_comment import COMMENT

_WIDE_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_DOCUMENT_START = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?[^>]*>|<!--(?:(?!-->).)*-->)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)
_DOCUMENT_END = re.compile(rb"</(?:html|body)\s*>\Z", re.IGNORECASE)
_END_TAG_BYTES = 64
"""Room for the last tag of a page, with some blanks in it."""
_END_WINDOW_BYTES = 64 << 10
"""Of the end of a page, in which its last tag is looked for."""
_TEXT_OPENING = re.compile(
    rb"<!--(?:-?>)?|<(script|style|textarea|title|xmp|iframe|noembed|noframes|plaintext)[\s/>]", re.IGNORECASE
)
_COMMENT_END = re.compile(rb"--!?>")
_BODY_END = re.compile(rb"</body\s*>", re.IGNORECASE)
_MODIFIED_LINE = re.compile(rb'<p class="webkeep-vault-modified">[^<>]*</p>')
_MODIFIED_TEXT = '<p class="webkeep-vault-modified">This page was modified on {when}.</p>'


def strip_blocks(page: bytes) -> bytes:
    """A page as it was before blocks, and the line that tells of them, were put in."""
    return _MODIFIED_LINE.sub(b"", COMMENT.sub(b"", page))


def is_document(start: bytes, end: bytes) -> bool:
    """Whether a page that begins and ends so is a whole HTML document, and no fragment of one."""
    if start[:2] in _WIDE_MARKS:
        start, end = start[2:].replace(b"\0", b""), end.replace(b"\0", b"")
    return bool(_DOCUMENT_START.match(start)) or _ends_document(end[-_END_WINDOW_BYTES:])


def _ends_document(end: bytes) -> bool:
    """Whether the last tag is one that ends a document; comments may follow it."""
    end = end.rstrip()
    while end.endswith(b"-->") and (comment := end.rfind(b"<!--")) >= 0:
        end = end[:comment].rstrip()
    return _DOCUMENT_END.search(end[-_END_TAG_BYTES:]) is not None


def can_carry(page: bytes) -> bool:
    """Whether a comment at the end of a page would be one: it is HTML, and nothing in it is left open."""
    if page[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE) or not is_document(page, page):
        return False
    return is_closed(page[2:].replace(b"\0", b"") if page[:2] in _WIDE_MARKS else page)


def is_closed(end: bytes) -> bool:
    """Whether nothing is left open at the end of a page: no tag, comment, script or other text."""
    return not _ends_in_text(end) and end.rfind(b"<") <= end.rfind(b">")


def _ends_in_text(page: bytes) -> bool:
    position = 0
    while opening := _TEXT_OPENING.search(page, position):
        name = opening[1]
        if name is None and opening[0] != b"<!--":
            position = opening.end()
            continue
        closing = _COMMENT_END if name is None else re.compile(rb"</" + name + rb"[\s/>]", re.IGNORECASE)
        end = closing.search(page, opening.end())
        if end is None:
            return True
        position = end.end()
    return False


def encode_like(page_start: bytes, text: bytes) -> bytes:
    """ASCII in the encoding of a page that begins so."""
    wide = _WIDE_MARKS.get(page_start[:2])
    return text.decode("ascii").encode(wide) if wide else text


def inject_blocks(page: bytes, comments: Sequence[bytes], modified: str = "") -> bytes:
    """A page with comments at its end, and where wanted with a visible line that says when it was modified."""
    if modified:
        page = _insert_line(page, _MODIFIED_TEXT.format(when=modified).encode("ascii"))
    return b"".join([page, *comments]) if page[:2] not in _WIDE_MARKS else page + encode_like(page, b"".join(comments))


def _insert_line(page: bytes, line: bytes) -> bytes:
    if page[:2] in _WIDE_MARKS:
        return page + encode_like(page, line)
    ends = list(_BODY_END.finditer(page))
    place = ends[-1].start() if ends else len(page)
    return page[:place] + line + page[place:]
