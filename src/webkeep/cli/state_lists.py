"""The client-side states that an archive holds, as rows for people and facts for programs, and as files."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.cli import measure
from webkeep.cli.facts import SHORT
from webkeep.crawl.jobs import PLAN_FACT
from webkeep.crawl.plan import Browsing
from webkeep.errors import UsageError
from webkeep.formats.json_value import read_json
from webkeep.formats.state_note import Deed, StateNote, deed_values
from webkeep.quality.state_machines import by_page, caption_of, machines_graphml, machines_json
from webkeep.store.archive import Archive
from webkeep.store.states import state_notes

_LONGEST = 60


def none_run_words(archive: Archive) -> str:
    """What to do where no page was run, by how the archive was captured."""
    plans = [read_json(text) for each in archive.captures() if (text := each.facts.get(PLAN_FACT))]
    if not any(isinstance(plan, dict) and plan.get("browser", Browsing.AUTO) == Browsing.AUTO for plan in plans):
        return "webkeep capture --browser auto runs pages that need it"
    return "it was captured with --browser auto, which runs pages with scripts alone; --browser always runs every page"


def state_cells(note: StateNote) -> tuple[str, ...]:
    """A state as a person reads it."""
    caption = "as it loads" if not note.script else caption_of(note)
    return (
        measure.date(note.moment),
        note.capture[:SHORT],
        f"{note.level}",
        f"{note.state}",
        f"{len(note.resources):,}",
        f"{len(note.moves):,}",
        caption if len(caption) <= _LONGEST else f"{caption[:_LONGEST]}…",
        note.page,
    )


def state_facts(note: StateNote) -> dict[str, object]:
    """A state as programs are told of it."""
    return {
        "page": note.page,
        "id": note.id,
        "address": note.address,
        "title": note.title,
        "moment": note.moment.iso(),
        "capture": note.capture,
        "level": note.level,
        "state": note.state,
        "script": [deed_values(deed) for deed in note.script],
        "resources": list(note.resources),
        "moves": len(note.moves),
    }


def revealed(archive: Archive, capture: str, page: str, url: str) -> str:
    """What had to be done to a page before it asked for a URL or showed a link to it; nothing where none is known."""
    for note in sorted(state_notes(archive, capture, page), key=lambda note: note.level):
        shown = {link.partition("#")[0] for link in note.comment.get("links", ())}
        if url in shown or (not note.script and url in note.comment.get("fresh", ()) and url in note.resources):
            return f", {_after(note.script)}"
        for move in note.moves:
            if url in move.fresh:
                return f", {_after((*note.script, move.deed))}"
    return ""


def _after(script: tuple[Deed, ...]) -> str:
    deeds = ", then ".join(f"{deed.event} {deed.label or deed.target}" for deed in script)
    return f"after {deeds}" if deeds else "as it ran in a browser"


def machine_pieces(notes: Iterator[StateNote], name: str) -> Iterator[bytes]:
    """The machines of pages as a file of that name holds them."""
    if name.lower().endswith(".graphml"):
        return machines_graphml(by_page(notes))
    if name.lower().endswith(".json") or name == "-":
        return machines_json(by_page(notes))
    raise UsageError(f"states go into JSON or GraphML, and {name!r} says neither; end it in .json or .graphml")
