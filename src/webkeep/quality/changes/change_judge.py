"""Verdicts on how pages of an archive changed: the cascade over two observations, whose content is read only where
everything cheaper leaves it open.
"""

from __future__ import annotations

from webkeep.change.detection import ChangeVerdict, compare_blocks, compare_pages
from webkeep.model import Observation
from webkeep.quality.changes.page_versions import compared_page, read_blocks
from webkeep.quality.changes.site_noise import SiteNoise
from webkeep.store.archive import Archive


class ChangeJudge:
    """Says how pages changed; whoever asks for a verdict on the same two observations is told the same."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._noise = SiteNoise(archive)

    def judge(self, before: Observation, after: Observation, *, held_in: Archive | None = None) -> ChangeVerdict:
        """What happened to a page from one observation to another; a revisit is what it refers to.

        The later one may be of another archive, in which it is `held_in`.
        """
        later = held_in or self._archive

        def compare_content() -> ChangeVerdict | None:
            one, other = read_blocks(self._archive, before), read_blocks(later, after)
            if one is None or other is None:
                return None
            return compare_blocks(one, other, self._noise.model_of(after.url))

        return compare_pages(compared_page(self._archive, before), compared_page(later, after), compare_content)

    def judge_quickly(self, before: Observation, after: Observation) -> ChangeVerdict:
        """The same by what the catalog has alone: noise is not told from small edits, and nothing is read."""
        return compare_pages(compared_page(self._archive, before), compared_page(self._archive, after))
