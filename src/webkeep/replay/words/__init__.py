"""The words of archived pages: read, indexed beside the archive, found again."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.replay.words.search_text import extract_search_text as extract_search_text
    from webkeep.replay.words.text_index import TextHit as TextHit, TextIndex as TextIndex, words_path as words_path
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "search_text": ("extract_search_text",),
            "text_index": ("TextHit", "TextIndex", "words_path"),
        },
    )
