"""What evidence.json says was asked for, and how: held against the plans that the captures themselves keep in their
records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from webkeep.errors import UsageError
from webkeep.formats import Flaws, read_json
from webkeep.model import Capture, Moment
from webkeep.store.jobs import PLAN_FACT

_MAX_CLOCK_STEP_SECONDS = 3600
"""By which a clock may be put right while a package is made: zones are whole hours or less."""
_CODE, _PLACE = "evidence-facts", "evidence/evidence.json"


def check_plans(facts: Mapping[str, Any], captures: Mapping[str, Capture], source: str, flaws: Flaws) -> None:
    """Report seeds and options that are not those of the captures."""
    vantages = facts.get("vantages")
    for vantage in vantages if isinstance(vantages, list) else []:
        for capture in _captures_of(vantage, captures):
            kept = read_json(capture.facts.get(PLAN_FACT, ""))
            if "plan" in vantage and vantage["plan"] != kept:
                name = str(vantage.get("name"))[:80]
                message = f"{_PLACE} says that {name} was captured in another way than its records do"
                flaws.report(_CODE, source, 0, message)
    if not all(_are_seeds(facts.get("seeds"), each) for each in _first_captures(vantages, captures)):
        flaws.report(_CODE, source, 0, f"{_PLACE} says that something else was asked for than its records do")
    for name, moment in (("began", _first_start(captures)), ("ended", _last_end(captures))):
        if moment is not None and not _is_near(facts.get(name), moment, is_end=name == "ended"):
            flaws.report(_CODE, source, 0, f"{_PLACE} says under {name!r} what its records do not say")


def _first_start(captures: Mapping[str, Capture]) -> Moment | None:
    return min((each.started for each in captures.values()), default=None)


def _last_end(captures: Mapping[str, Capture]) -> Moment | None:
    return max((each.finished for each in captures.values() if each.finished is not None), default=None)


def _is_near(stated: object, moment: Moment, is_end: bool) -> bool:
    """Whether captures began when a package says that it did, or ended before: as far as a clock is set meanwhile."""
    if stated is None:
        return True
    try:
        apart = Moment.parse(str(stated)).seconds_since(moment)
    except UsageError:
        return False
    return apart >= -_MAX_CLOCK_STEP_SECONDS and (is_end or apart <= _MAX_CLOCK_STEP_SECONDS)


def check_title(facts: Mapping[str, Any], title: str, source: str, flaws: Flaws) -> None:
    """Report a package that viewers call by something else than what was asked for."""
    seeds = facts.get("seeds")
    if isinstance(seeds, list) and seeds and not title.endswith(str(seeds[0])):
        flaws.report(_CODE, source, 0, f"it is called {title[:200]!r}, and something else was asked for")


def _captures_of(vantage: object, captures: Mapping[str, Capture]) -> Iterator[Capture]:
    rounds = vantage.get("rounds") if isinstance(vantage, dict) else None
    for each in rounds if isinstance(rounds, list) else []:
        capture = captures.get(str(each.get("capture"))) if isinstance(each, dict) else None
        if capture is not None:
            yield capture


def _first_captures(vantages: object, captures: Mapping[str, Capture]) -> Iterator[Capture]:
    """Those of the first vantage point, whose seeds are those of the package."""
    first = vantages[0] if isinstance(vantages, list) and vantages else None
    return _captures_of(first, captures)


def _are_seeds(stated: object, capture: Capture) -> bool:
    """Whether seeds are those of a capture, which keeps the first of a great many."""
    if not isinstance(stated, list):
        return False
    kept = read_json(capture.facts.get(PLAN_FACT, ""))
    all_seeds = kept.get("all_seeds") if isinstance(kept, dict) else None
    count = all_seeds[0] if isinstance(all_seeds, list) and all_seeds else len(capture.seeds)
    return len(stated) == count and tuple(stated[: len(capture.seeds)]) == capture.seeds
