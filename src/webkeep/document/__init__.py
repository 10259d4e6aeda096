"""What bytes mean: their charset, and what a page says of itself."""

from webkeep.document.charset import charset_of, text_of
from webkeep.document.title import page_title

__all__ = ["charset_of", "page_title", "text_of"]
