"""What stands at the end of a page: whether a comment that follows it would be one, as a browser reads the page."""

from __future__ import annotations

from turbohtml import Comment, NodeFilter, NodeIterator, parse

from webkeep.document.html_parts import MAX_TREE_CHARS

_PROBE = "webkeep looks where this page ends"


def takes_comment_at_end(content: bytes) -> bool:
    """Whether nothing is left open at the end of a page, so that a comment there is one; told by the page's tree.

    All that matters of a page is ASCII, so its charset does not, as long as ASCII is a part of it. A page too large for
    a tree takes none.
    """
    if len(content) > MAX_TREE_CHARS:
        return False
    text = f"{content.decode('latin-1')}<!--{_PROBE}-->"
    document = parse(text, positions=False, allow_declarative_shadow_roots=False)
    comments = NodeIterator(document, NodeFilter.SHOW_COMMENT)
    return any(isinstance(each, Comment) and each.data == _PROBE for each in comments)
