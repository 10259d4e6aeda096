"""Calls about schedules and watches of a collection: listed, added, switched off and on, deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from webkeep.dashboard.pages import schedules
from webkeep.dashboard.rest.api_call import ApiCall, ApiRequest
from webkeep.dashboard.rest.collection_calls import find_facts
from webkeep.model import Moment
from webkeep.service.accounts import Permission
from webkeep.service.schedules import OverlapPolicy, describe_schedule, write_times
from webkeep.service.store import StoredSchedule
from webkeep.service.watches import StoredWatch, WatchKind


@dataclass(frozen=True, slots=True)
class ScheduleAnswer:
    """A schedule of a collection."""

    id: str
    collection: str
    seed: Annotated[str, "the id of the seed that is captured; empty for all"]
    times: str
    zone: str
    words: Annotated[str, "what it says"]
    is_off: bool
    next: Annotated[Moment | None, "when its next run begins; null where it is off or over"]
    last: Annotated[Moment | None, "when its last run began"]


@dataclass(frozen=True, slots=True)
class SchedulesAnswer:
    """Some schedules."""

    schedules: tuple[ScheduleAnswer, ...]


@dataclass(frozen=True, slots=True)
class NewSchedule:
    """A schedule to add."""

    times: Annotated[str, "every 6h; or cron in five fields; or @daily and the like"]
    seed: Annotated[str, "the URL of one seed; empty for all"] = ""
    zone: str = "UTC"
    jitter: Annotated[str, "up to so much later, as 20m"] = "0"
    blackouts: Annotated[tuple[str, ...], "as mon-fri 08:00-18:00"] = ()
    until: str = ""
    overlap: OverlapPolicy = OverlapPolicy.SKIP


@dataclass(frozen=True, slots=True)
class ScheduleAction:
    """What is to become of a schedule."""

    action: Annotated[str, "on, off or delete"]


@dataclass(frozen=True, slots=True)
class WatchedPlace:
    """A watch of a collection."""

    id: str
    collection: str
    kind: WatchKind
    url: str
    poll_seconds: int
    is_off: bool
    next_look: Moment
    last_look: Moment | None
    told: Annotated[int, "how many pages were new so far"]
    newest: Annotated[str, "the page that was new last"]
    trouble: Annotated[str, "what was wrong at the last look"]


@dataclass(frozen=True, slots=True)
class WatchesAnswer:
    """Some watches."""

    watches: tuple[WatchedPlace, ...]


@dataclass(frozen=True, slots=True)
class NewWatch:
    """Something to look at again and again."""

    kind: WatchKind
    url: str
    poll: Annotated[str, "how often, as 10m"] = "1h"
    scope: Annotated[str, "of what is captured of what is new"] = "page"
    depth: str = ""
    present: Annotated[bool, "whether what it tells of now is captured too"] = False


@dataclass(frozen=True, slots=True)
class WatchAction:
    """What is to become of a watch."""

    action: Annotated[str, "look, on, off or delete"]


def list_schedules(asked: ApiRequest) -> SchedulesAnswer:
    """All schedules of a collection."""
    listed = asked.page.service.schedules.list_schedules(find_facts(asked).name)
    return SchedulesAnswer(tuple(map(_describe_schedule, listed)))


def list_all_schedules(asked: ApiRequest) -> SchedulesAnswer:
    """All schedules that one may see."""
    listed, may = asked.page.service.schedules.list_schedules(), asked.page.visitor.may
    return SchedulesAnswer(tuple(_describe_schedule(each) for each in listed if may(_READ, each.collection)))


def list_all_watches(asked: ApiRequest) -> WatchesAnswer:
    """All watches that one may see."""
    listed, may = asked.page.service.watches.list_watches(), asked.page.visitor.may
    return WatchesAnswer(tuple(_describe_watch(each) for each in listed if may(_READ, each.watch.collection)))


def _describe_schedule(stored: StoredSchedule) -> ScheduleAnswer:
    schedule = stored.schedule
    named = (schedule.id, stored.collection, stored.seed, write_times(schedule), schedule.zone)
    upcoming, last = (None if each is None else each.begins for each in (stored.next, stored.last))
    return ScheduleAnswer(*named, describe_schedule(schedule), stored.is_off, upcoming, last)


def list_watches(asked: ApiRequest) -> WatchesAnswer:
    """All watches of a collection."""
    listed = asked.page.service.watches.list_watches(find_facts(asked).name)
    return WatchesAnswer(tuple(map(_describe_watch, listed)))


def _describe_watch(stored: StoredWatch) -> WatchedPlace:
    watch, state = stored.watch, stored.state
    looked = Moment(state.looked) if state.looked else None
    named = (watch.id, watch.collection, watch.kind, watch.url, watch.poll_seconds, stored.is_off, stored.next_look)
    return WatchedPlace(*named, looked, state.told, state.newest, state.message)


_SCHEDULES, _WATCHES = "/collections/{collection}/schedules", "/collections/{collection}/watches"
_READ, _CURATE = Permission.READ, Permission.CURATE

SCHEDULE_CALLS: tuple[ApiCall, ...] = (
    ApiCall("GET", "/schedules", Permission.SIGNED_IN, "The schedules of all collections.", SchedulesAnswer,
            list_all_schedules, pages=(schedules.list_schedules,)),
    ApiCall("GET", "/watches", Permission.SIGNED_IN, "The watches of all collections.", WatchesAnswer,
            list_all_watches, pages=(schedules.list_schedules,)),
    ApiCall("GET", _SCHEDULES, _READ, "The schedules of a collection.", SchedulesAnswer, list_schedules,
            pages=(schedules.show_collection_schedules,)),
    ApiCall("POST", _SCHEDULES, _CURATE, "Add a schedule.", SchedulesAnswer, list_schedules, body=NewSchedule,
            form=schedules.add_schedule),
    ApiCall("POST", _SCHEDULES + "/{schedule}", _CURATE, "Switch a schedule on or off, or delete it.",
            SchedulesAnswer, list_schedules, body=ScheduleAction, form=schedules.change_schedule),
    ApiCall("GET", _WATCHES, _READ, "The watches of a collection.", WatchesAnswer, list_watches),
    ApiCall("POST", _WATCHES, _CURATE, "Look at a feed, a sitemap or an OAI-PMH set again and again.", WatchesAnswer,
            list_watches, body=NewWatch, form=schedules.add_watch),
    ApiCall("POST", _WATCHES + "/{watch}", _CURATE, "Have a watch look now, switch it on or off, or delete it.",
            WatchesAnswer, list_watches, body=WatchAction, form=schedules.change_watch),
)  # fmt: skip
"""All of them."""
