"""Pages as the records of a package show them: the note of each portrait, and what can be told from its words and its
picture, so that nobody has to believe what stands of it elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from webkeep.errors import FormatError
from webkeep.evidence.package.page_condition import PAGE_CONDITIONS, PageCondition, judge_portrait
from webkeep.evidence.package.page_file import find_page_file
from webkeep.formats.states import (
    PORTRAIT_PREFIX,
    RENDERED_PREFIX,
    TEXT_PREFIX,
    WINDOW_PREFIX,
    PortraitNote,
    parse_portrait_note,
)
from webkeep.model import Moment, Observation
from webkeep.store.archive import Archive

_MAX_JUDGED_BYTES = 16 << 20
"""Of a part of a portrait that is looked at here; what a page says of itself stands at its beginning."""
_TOLD_BY_NOTE = frozenset({PageCondition.ERROR, PageCondition.UNSEEN, PageCondition.RESTLESS})
"""Conditions that a note states, whatever signs of walls and the like are known by then."""


@dataclass(frozen=True, slots=True)
class PortrayedPage:
    """What the records say of a page that was asked for."""

    moment: Moment
    note: PortraitNote
    condition: PageCondition
    remark: str = ""

    @property
    def falls_short(self) -> bool:
        """Whether its note says that it is not shown whole, so that nothing can be said to be proven of it."""
        return bool(self.note.troubles) or self.condition in _TOLD_BY_NOTE

    def contradicts(self, stated: object) -> bool:
        """Whether its note says something else than a condition that somebody states."""
        return self.condition in _TOLD_BY_NOTE and _is_page(stated) and stated != self.condition

    def doubts(self, stated: object) -> bool:
        """Whether it looks like no page, by signs that others may see otherwise, and is said to be one."""
        return self.condition not in PAGE_CONDITIONS and _is_page(stated)


def _is_page(condition: object) -> bool:
    return isinstance(condition, str) and condition in PAGE_CONDITIONS


def read_portrayed_pages(archive: Archive, capture: str) -> Iterator[tuple[str, PortrayedPage]]:
    """The pages of a capture that have a portrait, or a note why there is none, by their URLs."""
    parts = {seen.url: seen for seen in archive.observations(capture) if seen.url.startswith("urn:")}
    for urn, seen in parts.items():
        if urn.startswith(PORTRAIT_PREFIX):
            try:
                note = parse_portrait_note(_read_part(archive, seen))
            except FormatError:
                continue  # a note that is none shows no page
            yield urn.removeprefix(PORTRAIT_PREFIX), _judge_page(archive, seen, note, parts)


def _judge_page(
    archive: Archive, seen: Observation, note: PortraitNote, parts: dict[str, Observation]
) -> PortrayedPage:
    text = _read_part(archive, parts.get(f"{TEXT_PREFIX}{note.page}")).decode("utf-8", "replace")
    dom = _read_part(archive, parts.get(f"{RENDERED_PREFIX}{note.page}"))
    picture = b"" if text.strip() else _read_part(archive, parts.get(f"{WINDOW_PREFIX}{note.page}"))
    condition, remark = judge_portrait(note, text, dom, picture)
    if condition is PageCondition.UNSEEN and find_page_file(archive, seen, note.page) is not None:
        condition, remark = PageCondition.FILE, ""
    return PortrayedPage(seen.moment, note, condition, remark)


def _read_part(archive: Archive, seen: Observation | None) -> bytes:
    """The beginning of a part of a portrait; nothing where there is none."""
    held, size = list[bytes](), 0
    for chunk in archive.read(seen).content() if seen is not None else ():
        held.append(chunk)
        size += len(chunk)
        if size >= _MAX_JUDGED_BYTES:
            break
    return b"".join(held)[:_MAX_JUDGED_BYTES]
