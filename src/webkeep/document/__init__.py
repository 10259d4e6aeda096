"""What bytes mean: their charset and text, the parts of markup, styles and scripts, and what a page says of itself."""

from webkeep.document.charset import charset_of, text_of
from webkeep.document.css import CssReference, css_references, unescape_css
from webkeep.document.frameset import is_frameset
from webkeep.document.markup import Attributes, Part, html_parts, streamed_parts, tree_parts
from webkeep.document.reading import Reading, read_text, wide_charset
from webkeep.document.script import ScriptString, script_strings, unescape_script
from webkeep.document.title import page_title

__all__ = [
    "Attributes",
    "CssReference",
    "Part",
    "Reading",
    "ScriptString",
    "charset_of",
    "css_references",
    "html_parts",
    "is_frameset",
    "page_title",
    "read_text",
    "script_strings",
    "streamed_parts",
    "text_of",
    "tree_parts",
    "unescape_css",
    "unescape_script",
    "wide_charset",
]
