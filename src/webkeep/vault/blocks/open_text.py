"""What may be left open at the end of a page: a comment, a script, a text field; what is put there would be part of it.

Theory of operation. A page is told by its marks: what opens and closes a comment, a CDATA section or an element whose
content is no markup. If behind the last mark that opens a kind there is one that closes it, then nothing of that kind
is open at the end, however the marks before are read: some may stand in scripts, in attributes or in each other, and
browsers read `noscript` in two ways. One pass finds the marks. Only where they prove nothing, as in a script with
"<textarea>" in a string, the page is parsed.

A script has one way more to stay open: `<script>` behind `<!--` in it takes a closing mark for itself. So the last
script must not stand behind a comment that is open.
"""

from __future__ import annotations

import re

from webkeep.document import takes_comment_at_end

_ELEMENTS = rb"/?(?:script|style|textarea|title|xmp|iframe|noembed|noframes|noscript)|plaintext"
"""Elements whose content is no markup, for some browsers at least; the last one is closed by nothing."""
_COMMENT, _SCRIPT, _NOSCRIPT = b"!--", b"script", b"noscript"
_CLOSINGS = {_COMMENT: b"-->", b"![cdata[": b"]]>"}
_ELEMENT_CLOSING = ord("/")
# Most tags begin otherwise, and are passed over at once.
_MARK = re.compile(
    rb"<(?=[!sStTxXiInN]|/[sStTxXiInN]|[pP][lL])(!--|!\[CDATA\[|(?:" + _ELEMENTS + rb")(?=[\t\n\f\r />]))",
    re.IGNORECASE,
)
# Only the first character is taken, as marks may overlap.
_ANY_MARK = re.compile(
    rb"[-<\]](?:(?<=<)(?=(!--|!\[CDATA\[|(?:" + _ELEMENTS + rb")[\t\n\f\r />]))|(?<=-)(?=(->))|(?<=\])(?=(\]>)))",
    re.IGNORECASE,
)
MAX_MARK_BYTES = len(b"</noframes>")
"""The longest mark, with the character that ends its name."""


def is_closed(page: bytes) -> bool:
    """Whether nothing is left open at the end of a page in any charset that has ASCII: no tag, comment or text."""
    return ends_outside_tag(page) and (are_marks_closed(page) or _is_parsed_closed(page))


def ends_outside_tag(page: bytes) -> bool:
    """Whether no tag is open at the end of a page."""
    return page.rfind(b"<") <= page.rfind(b">")


def are_marks_closed(page: bytes) -> bool:
    """Whether the marks of a page prove that nothing is open at its end; it may be closed where they do not."""
    opened = _find_last_openings(page)
    return opened is not None and all(
        kind in _CLOSINGS and page.find(_CLOSINGS[kind], place) >= 0 for kind, place in opened.items()
    )


def _find_last_openings(page: bytes) -> dict[bytes, int] | None:
    """Kinds that no element's end follows, with where their content begins; None where a script may take its end."""
    opened: dict[bytes, int] = {}
    is_hidden = False
    for mark in _MARK.finditer(page):
        kind = mark[1].lower()
        if kind[0] == _ELEMENT_CLOSING:
            opened.pop(kind[1:], None)
            continue
        if kind == _SCRIPT:
            comment = opened.get(_COMMENT)
            is_hidden = comment is not None and page.find(_CLOSINGS[_COMMENT], comment, mark.start()) < 0
        # "<!-->" is a comment already: its hyphens are of both marks.
        opened[kind] = mark.end() - 2 if kind == _COMMENT else mark.end()
    return None if is_hidden else opened


def _is_parsed_closed(page: bytes) -> bool:
    """The same by the page's tree, which has one way to read `noscript`: that must be closed by its marks."""
    noscript = [mark[1].lower() for mark in _MARK.finditer(page) if mark[1].lower().endswith(_NOSCRIPT)]
    return (not noscript or noscript[-1] != _NOSCRIPT) and takes_comment_at_end(page)


def has_mark_between(page: bytes, start: int, end: int) -> bool:
    """Whether any mark of a page reaches into what is between two places, or over one place."""
    last = end + MAX_MARK_BYTES - 1
    mark = _ANY_MARK.search(page, max(start - MAX_MARK_BYTES + 1, 0), last)
    while mark is not None and mark.start() < end:
        if mark.end(mark.lastindex or 0) > start:
            return True
        mark = _ANY_MARK.search(page, mark.end(), last)
    return False
