"""What became of a live page since it was captured: its document by the verdicts of change detection, its parts by
their digests; and what is noise on it, by two looks at it seconds apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from webkeep.change.detection import (
    ChangeEvidence,
    ComparedPage,
    NoiseModel,
    VersionPair,
    compare_pages,
    learn_noise,
)
from webkeep.document import read_text_blocks
from webkeep.model import Moment, Observation
from webkeep.quality.changes import ChangeJudge, read_hand_rules
from webkeep.quality.damage import SampledPage
from webkeep.quality.fidelity.page_rendering import PageRendering
from webkeep.quality.fidelity.rendering_comparison import ChangeSince
from webkeep.store.archive import Archive

_MAX_PARTS = 500
"""Parts of a page whose digests are compared."""


class LiveChanges:
    """Compares archived pages with the same pages in an archive of live ones."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._judge = ChangeJudge(archive)
        self._by_hand = read_hand_rules(archive)

    def find(
        self, page: SampledPage, live: Archive, requests: Iterable[str], again: Archive | None = None
    ) -> ChangeSince | None:
        """What changed of a page and of those parts that it asked for in both; None where that cannot be told.

        Parts that another look at the live page (`again`) found to be others once more vary, and need not have changed.
        """
        seen, after = self._archive.observation_at(page.place), live.lookup(page.url)
        if seen is None or after is None:
            return None
        (before,) = self._archive.revisits.resolve_all((seen,))
        others = [
            url for url in sorted(requests)[:_MAX_PARTS] if url != page.url and self._is_changed(url, page.moment, live)
        ]
        varying = [url for url in others if _is_varying(url, live, again)]
        return ChangeSince(
            self._judge.judge(before, after, held_in=live),
            tuple(url for url in others if url not in varying),
            tuple(varying),
        )

    def _is_changed(self, url: str, moment: Moment, live: Archive) -> bool:
        return _differ(self._archive.lookup(url, moment), live.lookup(url))

    def noise_of(self, looks: Iterable[tuple[PageRendering, PageRendering]]) -> NoiseModel:
        """What is noise in the visible text of a page: what people set, and what differs between looks at it."""
        pairs = [pair for one, other in looks if (pair := _text_pair(one, other)) is not None]
        # Learning wants to have seen everything twice, lest the page was changed in between; here that is no damage.
        return NoiseModel(self._by_hand, learn_noise([*pairs, *pairs]))


def _text_pair(one: PageRendering, other: PageRendering) -> VersionPair | None:
    before, after = read_text_blocks(one.text), read_text_blocks(other.text)
    return None if before is None or after is None else (before, after)


def _is_varying(url: str, live: Archive, again: Archive | None) -> bool:
    return again is not None and _differ(live.lookup(url), again.lookup(url))


def _differ(one: Observation | None, other: Observation | None) -> bool:
    """Whether two observations are known to hold different things."""
    if one is None or other is None:
        return False
    before, after = (ComparedPage(each.status, each.content_digest or each.payload_digest) for each in (one, other))
    verdict = compare_pages(before, after)
    return verdict.category.is_significant and verdict.evidence is ChangeEvidence.DIGEST
