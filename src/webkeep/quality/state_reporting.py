"""From an archive to the report on its client-side states."""

from __future__ import annotations

from webkeep.browser.resources import resource_of
from webkeep.model import Place
from webkeep.quality.coverage import AskCoverage
from webkeep.quality.state_tables import Held, StateReport, Surroundings, state_report
from webkeep.quality.walked import WalkedPage, newest_walks, walked_pages
from webkeep.store.archive import Archive
from webkeep.store.outlines import outlines

_ANSWERS = frozenset({"response", "revisit", "resource"})


def reported(
    archive: Archive, capture: str = "", source: str = "", ask: AskCoverage | None = None
) -> tuple[StateReport, list[WalkedPage]]:
    """The report on one capture or on all, and the pages that it is about."""
    walks = list(walked_pages(archive, capture))
    captures = {page.capture for page in walks}
    pages = newest_walks(walks, {each.id: number for number, each in enumerate(archive.captures())})
    held: dict[str, Held] = {}
    for each in captures:
        for outline in outlines(archive, each):
            if outline.record_type in _ANSWERS and outline.url.startswith(("http:", "https:")):
                held[resource_of(outline.url)] = Held(outline.media_type, _size(archive, outline.place))
    browser_seconds = sum(sum(page.seconds.values()) for page in walks)
    whole = sum(_seconds(archive, each) for each in captures)
    fresh = frozenset().union(*(page.fresh for page in pages))
    elsewhere = None
    if ask is not None:
        elsewhere = ask(sorted(frozenset().union(*(page.resources for page in pages))))
    around = Surroundings(
        held, max(whole - browser_seconds, 0.0), len(held.keys() - fresh), elsewhere, source, len(walks)
    )
    return state_report(pages, around), pages


def _size(archive: Archive, place: Place) -> int:
    observation = archive.observation_at(place)
    return 0 if observation is None else observation.size


def _seconds(archive: Archive, capture_id: str) -> float:
    capture = archive.capture(capture_id)
    return capture.finished.seconds_since(capture.started) if capture.finished is not None else 0.0
