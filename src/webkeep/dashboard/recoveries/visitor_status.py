"""The page of a visitor's recovery, behind a link that nobody can guess: what is held, confirming it, its turn, how far
it is, withdrawing it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.rendering import render, see_other, sse_response, template_environment
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts import is_same_secret
from webkeep.service.recoveries import VisitorRecovery, VisitorRecoveryState, VisitorSettings, end_of_term
from webkeep.service.run import Service

_LOOK_SECONDS = 1.0
"""So often a page that is watched is told how it is."""
_MAX_STREAMS = 200
"""Pages that are kept up to date at a time; others are told how it is once, and their browsers ask again."""
_OVER = (VisitorRecoveryState.COMPLETED, VisitorRecoveryState.FAILED)


@dataclass(frozen=True, slots=True)
class RecoveryView:
    """A recovery as its page shows it."""

    recovery: VisitorRecovery
    ahead: int = 0
    """How many have their turn before it."""
    progress: Mapping[str, Any] | None = None
    """The last that its process said; None where none runs."""
    is_interrupted: bool = False
    """Whether its process came to no end and is tried again."""
    end: Moment | None = None
    """When it is deleted."""

    @property
    def processed(self) -> int:
        """Resources of which it is known what became of them."""
        return self._count("recovered") + self._count("missing")

    @property
    def queued(self) -> int:
        """Resources that wait."""
        return self._count("queued")

    @property
    def share(self) -> float | None:
        """How far it is: processed of processed and queued (E19); None while nothing is known."""
        known = self.processed + self.queued
        return self.processed / known if known else None

    def _count(self, name: str) -> int:
        value = (self.progress or {}).get(name, 0)
        return value if isinstance(value, int) else 0


class StreamLimit:
    """How many streams of events there may be for strangers."""

    def __init__(self, most: int) -> None:
        self._left = most

    def take(self) -> bool:
        """Whether there may be one more."""
        has_room = self._left > 0
        self._left -= has_room
        return has_room

    def give_back(self) -> None:
        """One has ended."""
        self._left += 1


_STREAMS = StreamLimit(_MAX_STREAMS)


async def find_recovery(request: Request) -> VisitorRecovery:
    """The recovery that a link leads to; 404 where it leads to none."""
    service, link = page_of(request).service, str(request.path_params["link"])
    found = await asyncio.to_thread(service.recoveries.find_by_link, link)
    if found is None:
        raise HTTPException(404)
    return found


async def show_status(request: Request) -> Response:
    """How it is."""
    return await _render_status(request, await find_recovery(request), code="")


async def show_confirmation(request: Request) -> Response:
    """How it is, with the button that confirms it: programs that look at mails press none."""
    recovery = await _find_confirmable(request)
    return await _render_status(request, recovery, code=recovery.code)


async def confirm(request: Request) -> Response:
    """Have it wait for its turn; once is enough."""
    recovery, service = await _find_confirmable(request), page_of(request).service
    if recovery.state is VisitorRecoveryState.PENDING:
        await asyncio.to_thread(service.recoveries.confirm, recovery, service.clock.now())
    return see_other(f"/recover/{recovery.link}")


async def withdraw(request: Request) -> Response:
    """Forget it."""
    recovery = await find_recovery(request)
    await asyncio.to_thread(page_of(request).service.visitors.delete, recovery, "withdrawn")
    return see_other("/recover?said=withdrawn" if page_of(request).service.settings.visitors else "/login")


async def stream_status(request: Request) -> Response:
    """How it is, as often as that changes, until it is over."""
    recovery = await find_recovery(request)
    return sse_response(_tell_status(page_of(request).service, recovery.link))


async def _tell_status(service: Service, link: str) -> AsyncIterator[str]:
    template, told = template_environment().get_template("recover_live.html"), ""
    has_room = _STREAMS.take()
    try:
        while True:
            view = await asyncio.to_thread(read_view, service, link)
            text = " ".join(template.render(view=view).split())
            if text != told:
                told = text
                yield text
            if view is None or view.recovery.state in _OVER or not has_room:
                return
            await asyncio.sleep(_LOOK_SECONDS)
    finally:
        if has_room:
            _STREAMS.give_back()


async def _find_confirmable(request: Request) -> VisitorRecovery:
    recovery = await find_recovery(request)
    if not is_same_secret(str(request.path_params["code"]), recovery.code):
        raise HTTPException(404)
    return recovery


async def _render_status(request: Request, recovery: VisitorRecovery, code: str) -> Response:
    service = page_of(request).service
    view = await asyncio.to_thread(read_view, service, recovery.link)
    if view is None:
        raise HTTPException(404)
    waits_for_mail = bool(service.settings.mail is not None and recovery.mail)
    return render(
        request,
        "recover_status.html",
        view=view,
        code=code if waits_for_mail else recovery.code,
        mail=recovery.mail if waits_for_mail else "",
        is_open=service.settings.visitors is not None,
    )


def read_view(service: Service, link: str) -> RecoveryView | None:
    """How the recovery of a link is; None where it leads to none."""
    recovery = service.recoveries.find_by_link(link)
    if recovery is None:
        return None
    settings = service.settings.visitors or VisitorSettings({})
    end = end_of_term(recovery, settings.terms)
    if recovery.state is VisitorRecoveryState.QUEUED:
        return RecoveryView(recovery, service.recoveries.count_ahead(recovery))
    if recovery.state is not VisitorRecoveryState.PROCESSING or not recovery.job:
        return RecoveryView(recovery, end=end)
    try:
        job = service.jobs.get(recovery.job)
    except UsageError:
        return RecoveryView(recovery)
    progress = service.folder.workspace(job.id).read_progress()
    return RecoveryView(recovery, progress=progress, is_interrupted=job.losses > 0 and job.process is None)
