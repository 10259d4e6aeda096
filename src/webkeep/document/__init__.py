"""What bytes mean: their charset and text, the parts of markup, styles and scripts, and what a page says of itself."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.document.charset import (
        SNIFFED_BYTES as SNIFFED_BYTES,
        DecodedText as DecodedText,
        decode_text as decode_text,
        detect_charset as detect_charset,
        sniff_text as sniff_text,
        sniff_utf16 as sniff_utf16,
    )
    from webkeep.document.css_references import find_css_references as find_css_references
    from webkeep.document.forms import FormChoice as FormChoice, read_form_choices as read_form_choices
    from webkeep.document.html_parts import (
        MAX_TREE_CHARS as MAX_TREE_CHARS,
        RAW_TEXT_ELEMENTS as RAW_TEXT_ELEMENTS,
        MarkupAttributes as MarkupAttributes,
        MarkupPart as MarkupPart,
        is_frameset as is_frameset,
        read_html_parts as read_html_parts,
        read_tree_parts as read_tree_parts,
    )
    from webkeep.document.inert_script import MAX_INERT_CHARS as MAX_INERT_CHARS, is_inert_script as is_inert_script
    from webkeep.document.page_blocks import (
        BlockRole as BlockRole,
        PageBlock as PageBlock,
        read_page_blocks as read_page_blocks,
        read_text_blocks as read_text_blocks,
    )
    from webkeep.document.page_content import (
        PageContent as PageContent,
        PageContentSink as PageContentSink,
        read_page_content as read_page_content,
        read_text_content as read_text_content,
    )
    from webkeep.document.page_end import takes_comment_at_end as takes_comment_at_end
    from webkeep.document.page_template import (
        PageTemplate as PageTemplate,
        TemplateHook as TemplateHook,
        read_template as read_template,
    )
    from webkeep.document.page_text import (
        read_page_title as read_page_title,
        read_visible_lines as read_visible_lines,
        read_visible_words as read_visible_words,
    )
    from webkeep.document.page_values import PageValue as PageValue, read_page_values as read_page_values
    from webkeep.document.placeholder_page import (
        MAX_SCANNED_BYTES as MAX_SCANNED_BYTES,
        PlaceholderSuspicion as PlaceholderSuspicion,
        detect_placeholder_page as detect_placeholder_page,
    )
    from webkeep.document.script_strings import ScriptString as ScriptString, find_script_strings as find_script_strings
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "charset": ("DecodedText", "SNIFFED_BYTES", "decode_text", "detect_charset", "sniff_text", "sniff_utf16"),
            "css_references": ("find_css_references",),
            "forms": ("FormChoice", "read_form_choices"),
            "html_parts": (
                "MAX_TREE_CHARS",
                "MarkupAttributes",
                "MarkupPart",
                "RAW_TEXT_ELEMENTS",
                "is_frameset",
                "read_html_parts",
                "read_tree_parts",
            ),
            "inert_script": ("MAX_INERT_CHARS", "is_inert_script"),
            "page_blocks": ("BlockRole", "PageBlock", "read_page_blocks", "read_text_blocks"),
            "page_content": ("PageContent", "PageContentSink", "read_page_content", "read_text_content"),
            "page_end": ("takes_comment_at_end",),
            "page_template": ("PageTemplate", "TemplateHook", "read_template"),
            "page_text": ("read_page_title", "read_visible_lines", "read_visible_words"),
            "page_values": ("PageValue", "read_page_values"),
            "placeholder_page": ("MAX_SCANNED_BYTES", "PlaceholderSuspicion", "detect_placeholder_page"),
            "script_strings": ("ScriptString", "find_script_strings"),
        },
    )
