"""What evidence.json says of pages, held against what the records show of them: when and where each was shown, in which
condition, from which vantage point, and in which files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from webkeep.evidence.package.evidence_facts import plain_values
from webkeep.evidence.verification.portrayed_pages import PortrayedPage
from webkeep.formats import Flaws

PortrayedPages = Mapping[tuple[str, str], PortrayedPage]
"""By capture and URL."""
_CODE, _PLACE, _FOLDER = "evidence-facts", "evidence/evidence.json", "evidence/"
_NAME_ENDS = (".", "-")
"""What follows the name of a page in the names of its files."""


def check_pages(
    facts: Mapping[str, Any], recorded: PortrayedPages, paths: Collection[str], source: str, flaws: Flaws
) -> None:
    """Report each page of which something is stated that its records do not show."""
    shown = shown_captures(facts)
    for page in list_pages(facts):
        known = recorded.get((str(page.get("capture")), str(page.get("page"))))
        for what in ["page"] if known is None else _list_contradictions(page, known, shown, paths):
            name = str(page.get("name"))[:80]
            message = f"{_PLACE} says under {what!r} of {name} what its records do not say"
            flaws.report(_CODE, source, 0, message)


def list_page_doubts(facts: Mapping[str, Any], recorded: PortrayedPages) -> Iterator[str]:
    """Pages that are said to be shown, and look like something else; signs of that change with time, so that it is a
    doubt and no failed check.
    """
    for page in list_pages(facts):
        known = recorded.get((str(page.get("capture")), str(page.get("page"))))
        if known is not None and known.doubts(page.get("condition")):
            yield f"That {str(page.get('name'))[:80]} shows the page: by its records, {known.remark}."


def are_pages_shown(facts: Mapping[str, Any], recorded: PortrayedPages) -> bool:
    """Whether no note of what is shown says that it falls short."""
    shown = set(shown_captures(facts).values())
    return not any(page.falls_short for (capture, _), page in recorded.items() if capture in shown)


def shown_captures(facts: Mapping[str, Any]) -> dict[str, str]:
    """The capture whose pages are shown from each vantage point, by its name."""
    vantages = facts.get("vantages")
    listed = [each for each in vantages if isinstance(each, dict)] if isinstance(vantages, list) else []
    return {str(each.get("name")): _shown_capture(each) for each in listed}


def list_pages(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pages that evidence.json lists."""
    pages = facts.get("pages")
    return [each for each in pages if isinstance(each, dict)] if isinstance(pages, list) else []


def _list_contradictions(
    page: Mapping[str, Any], known: PortrayedPage, shown: Mapping[str, str], paths: Collection[str]
) -> Iterator[str]:
    """The fields of a page that say something else than its records; those that are left out claim nothing."""
    note, held = page.get("note"), plain_values(known.note)
    if note is not None and not (isinstance(note, dict) and all(held.get(name) == note[name] for name in note)):
        yield "note"
    if page.get("moment", known.moment.iso()) != known.moment.iso():
        yield "moment"
    if "troubles" in page and not _are_told(page["troubles"], known.note.troubles):
        yield "troubles"
    if known.contradicts(page.get("condition")):
        yield "condition"
    if "vantage" in page and shown.get(str(page["vantage"])) != page.get("capture"):
        yield "vantage"
    if "files" in page and not _are_files(page["files"], str(page.get("name")), paths):
        yield "files"


def _are_told(stated: object, troubles: Collection[str]) -> bool:
    return isinstance(stated, list) and set(troubles) <= set(map(str, stated))


def _are_files(stated: object, name: str, paths: Collection[str]) -> bool:
    """Whether a list names all files of a page, each once."""
    starts = tuple(f"{_FOLDER}{name}{end}" for end in _NAME_ENDS)
    held = sorted(path.removeprefix(_FOLDER) for path in paths if path.startswith(starts))
    return isinstance(stated, list) and sorted(map(str, stated)) == held


def _shown_capture(vantage: Mapping[str, Any]) -> str:
    match vantage:
        case {"rounds": list() as rounds, "shown_round": int() as number} if 0 < number <= len(rounds):
            shown = rounds[number - 1]
            return str(shown.get("capture")) if isinstance(shown, dict) else ""
    return ""
