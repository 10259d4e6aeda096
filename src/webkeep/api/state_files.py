"""The client-side states that an archive holds as files, whose format goes by their name; and what to do where there
are none.
"""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.crawl.plan import BrowserMode
from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.formats.states import StateNote
from webkeep.quality.states import group_by_page, machines_graphml, machines_json
from webkeep.store.archive import Archive
from webkeep.store.jobs import PLAN_FACT


def no_states_advice(archive: Archive) -> str:
    """What to do where no page was run, by how the archive was captured."""
    plans = [read_json(text) for each in archive.captures() if (text := each.facts.get(PLAN_FACT))]
    if not any(isinstance(plan, dict) and plan.get("browser", BrowserMode.AUTO) == BrowserMode.AUTO for plan in plans):
        return "webkeep capture --browser auto runs pages that need it"
    return "it was captured with --browser auto, which runs pages with scripts alone; --browser always runs every page"


def render_machines(notes: Iterator[StateNote], name: str) -> Iterator[bytes]:
    """The machines of pages as a file of that name holds them."""
    if name.lower().endswith(".graphml"):
        return machines_graphml(group_by_page(notes))
    if name.lower().endswith(".json") or name == "-":
        return machines_json(group_by_page(notes))
    raise UsageError(f"states go into JSON or GraphML, and {name!r} says neither; end it in .json or .graphml")
