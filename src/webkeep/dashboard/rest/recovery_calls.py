"""Calls about recoveries for visitors: what anybody may ask for where they may, and what administrators do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from starlette.exceptions import HTTPException

from webkeep.dashboard.recoveries import recovery_desk, usage_page, visitor_form, visitor_results, visitor_status
from webkeep.dashboard.rest.api_call import ApiCall, ApiRequest
from webkeep.model import Moment
from webkeep.service.accounts import Permission
from webkeep.service.recoveries import (
    LostExtent,
    RecoveryYield,
    UsageStatistics,
    VisitorRecovery,
    VisitorRecoveryState,
    compute_usage,
)
from webkeep.service.store import BlockedAddress

_MAX_LISTED_RECOVERIES = 1000
"""Told at once; the history has all."""


@dataclass(frozen=True, slots=True)
class RecoveryWish:
    """A lost site to recover, or a page of it."""

    url: str
    repository: Annotated[tuple[str, ...], "names of those that are offered"]
    extent: Annotated[str, "site or page"] = LostExtent.SITE.value
    since: Annotated[str, "a day, as 2004-02-01; empty for any"] = ""
    until: str = ""
    mail: Annotated[str, "where mail is sent, the address to confirm by"] = ""
    windows_names: bool = False


@dataclass(frozen=True, slots=True)
class RecoveryAnswer:
    """A recovery as whoever has its link is told of it."""

    link: Annotated[str, "what nobody can guess"]
    state: VisitorRecoveryState
    url: str
    extent: LostExtent
    repositories: tuple[str, ...]
    created: Moment
    confirmed: Moment | None
    ended: Moment | None
    deleted: Annotated[Moment | None, "when it will be, if nothing happens before"]
    survey: Annotated[Mapping[str, Any] | None, "what is held; null while that is asked"]
    ahead: Annotated[int, "how many have their turn before it"]
    processed: int
    queued: Annotated[int, "resources that are known and wait"]
    outcome: RecoveryYield | None
    message: str


@dataclass(frozen=True, slots=True)
class RecoveryRow:
    """A recovery as administrators are told of it."""

    id: str
    state: VisitorRecoveryState
    url: str
    extent: LostExtent
    repositories: tuple[str, ...]
    mail: str
    created: Moment
    confirmed: Moment | None
    started: Moment | None
    ended: Moment | None
    picked_up: Moment | None
    reminders: int
    job: str
    outcome: RecoveryYield | None
    message: str


@dataclass(frozen=True, slots=True)
class RecoverySelection:
    """Which recoveries are meant."""

    state: Annotated[VisitorRecoveryState | None, "those in one state; those that are queued in their order"] = None
    q: Annotated[str, "stands in the address, the mail address or the id"] = ""


@dataclass(frozen=True, slots=True)
class RecoveryPiece:
    """Recoveries of visitors, a thousand at most."""

    recoveries: tuple[RecoveryRow, ...]


@dataclass(frozen=True, slots=True)
class QueueStep:
    """A step in the queue."""

    step: Annotated[str, "first, up, down or last"]


@dataclass(frozen=True, slots=True)
class BlockOrder:
    """An address to block."""

    address: Annotated[str, "of mail, or on the network"]


@dataclass(frozen=True, slots=True)
class BlockedPiece:
    """All addresses that are blocked."""

    blocked: tuple[BlockedAddress, ...]


def describe_recovery(asked: ApiRequest) -> RecoveryAnswer:
    """How one is, for whoever has its link."""
    view = visitor_status.read_view(asked.page.service, asked.path["link"])
    if view is None:
        raise HTTPException(404)
    each = view.recovery
    said = (each.state, each.order.url, each.order.extent, each.order.repositories)
    moments = (each.created, each.confirmed, each.ended, view.end)
    progress = (view.ahead, view.processed, view.queued)
    return RecoveryAnswer(each.link, *said, *moments, each.survey, *progress, each.outcome, each.message)


def list_recoveries(asked: ApiRequest) -> RecoveryPiece:
    """Those that are meant."""
    selection, store = asked.query, asked.page.service.recoveries
    found = store.search(selection.q, [] if selection.state is None else [selection.state])
    return RecoveryPiece(tuple(map(_row_of, found[:_MAX_LISTED_RECOVERIES])))


def _row_of(each: VisitorRecovery) -> RecoveryRow:
    said = (each.id, each.state, each.order.url, each.order.extent, each.order.repositories, each.mail)
    moments = (each.created, each.confirmed, each.started, each.ended, each.picked_up)
    return RecoveryRow(*said, *moments, each.reminders, each.job, each.outcome, each.message)


def count_usage(asked: ApiRequest) -> UsageStatistics:
    """The figures over all."""
    return compute_usage(asked.page.service.recoveries.list_recoveries())


def list_blocked(asked: ApiRequest) -> BlockedPiece:
    """Those from which nothing is taken."""
    return BlockedPiece(tuple(asked.page.service.blocks.list_blocked()))


_ANYONE, _ADMINISTER = Permission.ANYONE, Permission.ADMINISTER
_FILE = "application/octet-stream"

RECOVERY_CALLS: tuple[ApiCall, ...] = (
    ApiCall("POST", "/recover", _ANYONE, "Ask for a lost site, where visitors may.", RecoveryAnswer, describe_recovery,
            body=RecoveryWish, form=visitor_form.ask_recovery, leads_to="/recover/{link}"),
    ApiCall("GET", "/recover/{link}", _ANYONE, "How a recovery is.", RecoveryAnswer, describe_recovery,
            pages=(visitor_status.show_status,)),
    ApiCall("POST", "/recover/{link}/confirm/{code}", _ANYONE, "Have it recovered.", RecoveryAnswer, describe_recovery,
            form=visitor_status.confirm),
    ApiCall("DELETE", "/recover/{link}", _ANYONE, "Withdraw it, or delete its result.", form=visitor_status.withdraw),
    ApiCall("GET", "/recover/{link}/downloads/{format}", _ANYONE, "The result as a file.",
            file=visitor_results.download_result, media_type=_FILE),
    ApiCall("GET", "/recoveries", _ADMINISTER, "Recoveries of visitors.", RecoveryPiece, list_recoveries,
            query=RecoverySelection, pages=(recovery_desk.list_recoveries,)),
    ApiCall("GET", "/recoveries/history.json", _ADMINISTER, "All there ever were.", file=recovery_desk.download_json),
    ApiCall("GET", "/recoveries/usage", _ADMINISTER, "Figures over all.", UsageStatistics, count_usage,
            pages=(usage_page.show_usage,)),
    ApiCall("POST", "/recoveries/{recovery}/queue", _ADMINISTER, "Have one go before or behind others.",
            body=QueueStep, form=recovery_desk.move_recovery),
    ApiCall("DELETE", "/recoveries/{recovery}", _ADMINISTER, "Stop one, and forget whose it was.",
            form=recovery_desk.delete_recovery),
    ApiCall("POST", "/recoveries/{recovery}/block", _ADMINISTER, "Take nothing any more from whoever asked for one.",
            form=recovery_desk.block_asker),
    ApiCall("GET", "/blocked-addresses", _ADMINISTER, "Addresses from which no recovery is taken.", BlockedPiece,
            list_blocked),
    ApiCall("POST", "/blocked-addresses", _ADMINISTER, "Take nothing any more from an address.", body=BlockOrder,
            form=recovery_desk.block_address),
    ApiCall("DELETE", "/blocked-addresses/{key}", _ADMINISTER, "Take from an address again.",
            form=recovery_desk.unblock_address),
)  # fmt: skip
"""All of them."""
