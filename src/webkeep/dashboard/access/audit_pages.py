"""The audit log as who administers the service reads it: the newest first, searched by words, and as a table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.rendering import render
from webkeep.service.accounts import AuditEntry, render_audit_rows, render_audit_table
from webkeep.service.run import Service

_SHOWN_ENTRIES = 100
"""On one page."""
_WRITTEN_ENTRIES = 2000
"""Read at a time for the table, so that a log of years is never in memory at once."""
_MAX_NUMBER_DIGITS = 15
"""Of an entry: as many as every database holds."""


async def show_audit(request: Request) -> Response:
    """Who did what, the newest first."""
    asked = request.query_params
    words, before = asked.get("q", "").strip(), _read_number(asked.get("before", ""))
    audit = page_of(request).service.audit
    found = await asyncio.to_thread(audit.list_entries, _SHOWN_ENTRIES + 1, before, words)
    entries = found[:_SHOWN_ENTRIES]
    following = entries[-1].number if len(found) > _SHOWN_ENTRIES else None
    return render(request, "audit.html", entries=entries, words=words, following=following, is_first=before is None)


async def download_audit(request: Request) -> Response:
    """All of the log as a table, the newest first."""
    headers = {"content-disposition": 'attachment; filename="audit.csv"'}
    return StreamingResponse(_write_table(page_of(request).service), media_type="text/csv; charset=utf-8",
                             headers=headers)  # fmt: skip


async def _write_table(service: Service) -> AsyncIterator[bytes]:
    yield render_audit_table([]).encode()
    before: int | None = None
    while entries := await asyncio.to_thread(_read_entries, service, before):
        yield render_audit_rows(entries).encode("utf-8", "replace")
        before = entries[-1].number


def _read_entries(service: Service, before: int | None) -> list[AuditEntry]:
    return service.audit.list_entries(_WRITTEN_ENTRIES, before)


def _read_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MAX_NUMBER_DIGITS else None
