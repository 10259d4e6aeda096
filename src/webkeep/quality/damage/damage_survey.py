"""Pages of a capture looked at one by one, as many as a budget allows: what each lost with its missing parts, whether
it is a wall or an error in place of a page, and whether scripts in it wanted more than was captured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from webkeep.document import MAX_SCANNED_BYTES, PlaceholderSuspicion, detect_placeholder_page
from webkeep.errors import WebkeepError
from webkeep.extract import MAX_READ_BYTES
from webkeep.formats.http import ResponseHead
from webkeep.formats.states import ROOT_STATE
from webkeep.formats.status import is_successful
from webkeep.model import Moment, RecordPlace
from webkeep.quality.damage.page_damage import HeldPart, PageDamage, measure_damage
from webkeep.quality.damage.page_parts import PagePart, PartKind, read_page_structure
from webkeep.store.archive import Archive
from webkeep.store.views import find_state_entries, read_state_note
from webkeep.url import surt

_MAX_PART_BYTES = 256 * 1024
"""Of a part that is read: style sheets are shorter, and of all else its first bytes are enough."""
_MAX_CACHED_PARTS = 5000
"""Parts that are remembered, for the pages of a site share them."""
_MAX_WORST_PAGES = 50
"""Pages with most damage that are told by name."""
_MAX_PARTS_TOLD = 10
"""Missing parts of a page that are told by name."""


@dataclass(frozen=True, slots=True)
class SampledPage:
    """A page of a capture that is looked at."""

    url: str
    moment: Moment
    place: RecordPlace


@dataclass(frozen=True, slots=True)
class MissingPart:
    """A missing part of a page, what it is and what it takes from the page."""

    kind: PartKind
    url: str
    loss: float


@dataclass(frozen=True, slots=True)
class DamagedPage:
    """A page and what is lost of it."""

    url: str
    damage: float
    parts: int
    missing: int
    worst: tuple[MissingPart, ...]


@dataclass(frozen=True, slots=True)
class StoredPlaceholder:
    """Something stored as a page that is none."""

    url: str
    suspicion: PlaceholderSuspicion


@dataclass(frozen=True, slots=True)
class DamageFigures:
    """What is lost of the pages of a capture."""

    pages: int = 0
    """In the capture."""
    looked_at: int = 0
    unreadable: int = 0
    """Of these, records that could not be read."""
    mean: float | None = None
    """The mean damage of those looked at; None where there were none."""
    damaged: int = 0
    """Those with any damage."""
    missing_by_kind: Mapping[PartKind, int] = field(default_factory=dict)
    worst: tuple[DamagedPage, ...] = ()
    placeholders: tuple[StoredPlaceholder, ...] = ()
    hungry: tuple[str, ...] = ()
    """Pages whose scripts wait for content that the page does not have, and which no browser was run for."""


class DamageSurvey:
    """Looks at pages of an archive."""

    def __init__(self, archive: Archive, capture: str = "") -> None:
        """Of the capture whose pages they are it is asked which of them it ran in a browser."""
        self._archive, self._capture = archive, capture
        self._parts: dict[str, HeldPart | None] = {}

    def measure(self, pages: Sequence[SampledPage], total: int) -> DamageFigures:
        """What the pages come to, given how many the capture has."""
        found: list[DamagedPage] = []
        placeholders: list[StoredPlaceholder] = []
        hungry: list[str] = []
        kinds: Counter[PartKind] = Counter()
        unreadable = 0
        for page in pages:
            try:
                damage, suspicion, is_hungry = self._look_at(page)
            except (WebkeepError, RecursionError):
                unreadable += 1
                continue
            kinds.update(each.part.kind for each in damage.missing)
            found.append(_damaged_page(page.url, damage))
            placeholders += [StoredPlaceholder(page.url, suspicion)] if suspicion else []
            hungry += [page.url] if is_hungry else []
        worst = sorted((each for each in found if each.damage > 0), key=lambda each: (-each.damage, each.url))
        return DamageFigures(
            total,
            len(found),
            unreadable,
            sum(each.damage for each in found) / len(found) if found else None,
            len(worst),
            dict(kinds.most_common()),
            tuple(worst[:_MAX_WORST_PAGES]),
            tuple(placeholders[:_MAX_WORST_PAGES]),
            tuple(hungry[:_MAX_WORST_PAGES]),
        )

    def _look_at(self, page: SampledPage) -> tuple[PageDamage, PlaceholderSuspicion | None, bool]:
        stored = self._archive.read_place(page.place)
        headers = (stored.head or ResponseHead()).headers
        content = b"".join(stored.content(MAX_READ_BYTES))
        structure = read_page_structure(page.url, headers, content)
        damage = measure_damage(structure, lambda part: self._find(part, page.moment))
        is_root = not page.url.partition("://")[2].partition("/")[2]
        has_script = any(part.kind is PartKind.SCRIPT for part in structure.parts)
        return (
            damage,
            detect_placeholder_page(page.url, content[:MAX_SCANNED_BYTES], is_root),
            has_script and structure.is_waiting and not self._was_run(page.url),
        )

    def _was_run(self, url: str) -> bool:
        """Whether the capture ran a page in a browser, so that what its scripts asked for is there."""
        roots = (each for each in find_state_entries(self._archive, url) if each.url.endswith(f":{ROOT_STATE}"))
        return any(read_state_note(self._archive, each.place).capture == self._capture for each in roots)

    def _find(self, part: PagePart, moment: Moment) -> HeldPart | None:
        found = (self._find_url(url, moment) for url in part.urls)
        return next((each for each in found if each is not None), None)

    def _find_url(self, url: str, moment: Moment) -> HeldPart | None:
        if url not in self._parts:
            if len(self._parts) >= _MAX_CACHED_PARTS:
                self._parts.clear()
            self._parts[url] = self._read_part(url, moment)
        return self._parts[url]

    def _read_part(self, url: str, moment: Moment) -> HeldPart | None:
        """What replay would show for a part: what is nearest in time, where that is an answer."""
        entry = self._archive.index.nearest(surt(url), url, moment)
        if entry is None:
            return None
        try:
            stored = self._archive.read_place(entry.place)
            head = stored.head or ResponseHead()
            if stored.head is not None and not is_successful(head.status):
                return HeldPart(head.headers, b"") if head.headers.get("location") else None
            return HeldPart(head.headers, b"".join(stored.content(_MAX_PART_BYTES)))
        except WebkeepError:
            return None


def _damaged_page(url: str, damage: PageDamage) -> DamagedPage:
    worst = tuple(
        MissingPart(each.part.kind, each.part.urls[0], each.loss) for each in damage.missing[:_MAX_PARTS_TOLD]
    )
    return DamagedPage(url, damage.damage, damage.parts, len(damage.missing), worst)
