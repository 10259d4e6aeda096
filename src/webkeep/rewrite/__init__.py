"""Documents with their links renamed: the same links that `extract` finds, in the same places."""

from webkeep.rewrite.documents import MOST_REWRITTEN, is_rewritten, rewrite_document
from webkeep.rewrite.edits import HtmlEdits
from webkeep.rewrite.fields import rewrite_field
from webkeep.rewrite.renaming import Missing, Rename, Renaming, Scripts

__all__ = [
    "MOST_REWRITTEN",
    "HtmlEdits",
    "Missing",
    "Rename",
    "Renaming",
    "Scripts",
    "is_rewritten",
    "rewrite_document",
    "rewrite_field",
]
