"""Documents with their links renamed: the same links that `extract` finds, in the same places."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.rewrite.document_rewrite import (
        MAX_REWRITTEN_BYTES as MAX_REWRITTEN_BYTES,
        can_rewrite as can_rewrite,
        rewrite_document as rewrite_document,
    )
    from webkeep.rewrite.header_rewrite import rewrite_field as rewrite_field
    from webkeep.rewrite.html_edits import HtmlEdits as HtmlEdits
    from webkeep.rewrite.link_renaming import (
        LinkRenamer as LinkRenamer,
        LinkRenaming as LinkRenaming,
        MissingTarget as MissingTarget,
        ScriptRenaming as ScriptRenaming,
    )
    from webkeep.rewrite.script_wrapper import SHIM_IMPORT as SHIM_IMPORT
    from webkeep.rewrite.tag_recall import LinkPath as LinkPath, TagMemory as TagMemory, TagRecall as TagRecall
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "document_rewrite": ("MAX_REWRITTEN_BYTES", "can_rewrite", "rewrite_document"),
            "header_rewrite": ("rewrite_field",),
            "html_edits": ("HtmlEdits",),
            "link_renaming": ("LinkRenamer", "LinkRenaming", "MissingTarget", "ScriptRenaming"),
            "script_wrapper": ("SHIM_IMPORT",),
            "tag_recall": ("LinkPath", "TagMemory", "TagRecall"),
        },
    )
