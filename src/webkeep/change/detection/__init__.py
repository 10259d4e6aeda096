"""What changed between two looks at a page, and how much it matters: evidence, categories, shingles, edit distance."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.change.detection.shingles import (
        jaccard_similarity as jaccard_similarity,
        word_shingles as word_shingles,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "shingles": ("jaccard_similarity", "word_shingles"),
        },
    )
