"""Archives asked to capture pages now, by the address that they have for it, within limits of its own pool; as soon as
a limit is reached the rest is left for another time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.fetch import authority_of, host_of
from webkeep.fetch.client import Fetcher
from webkeep.formats.status import is_redirection, is_successful
from webkeep.recover.politeness.request_ledger import RequestLedger
from webkeep.recover.repositories.repository import MissReason, RepositoryMiss
from webkeep.recover.repositories.repository_transport import RepositoryTransport, SharedTransport
from webkeep.recover.sources.declarations import SAVE_POOL, RepositoryDeclaration, find_by_name, load_declarations
from webkeep.recover.sources.repository_opening import RepositoryContext, ledger_path

_MAX_ANSWER_BYTES = 4 << 20
"""Of what an archive says to such a request; nothing of it is kept."""


@dataclass(frozen=True, slots=True)
class CaptureAnswer:
    """What an archive said to the wish that it captures a page."""

    url: str
    is_accepted: bool
    detail: str = ""
    """Why not."""
    is_limit: bool = False
    """Whether no more can be asked for now."""


async def ask_for_captures(name: str, urls: Sequence[str], context: RepositoryContext) -> AsyncIterator[CaptureAnswer]:
    """Ask an archive for captures of pages, one after the other, until its limit is reached."""
    declaration = _find_declaration(name, context)
    politeness = declaration.politeness_of(SAVE_POOL)
    ledger = RequestLedger(context.ledger or ledger_path())
    try:
        async with Fetcher(context.fetch_settings, context.spool, context.clock) as fetcher:
            shared = SharedTransport(fetcher, ledger, context.clock, context.timeouts, asyncio.Semaphore(1))
            transport = RepositoryTransport(declaration.name, shared, {host_of(authority_of(declaration.save))})
            for url in urls:
                address = declaration.save.replace("{url}", url)
                came = await transport.get(address, politeness, largest=_MAX_ANSWER_BYTES)
                if isinstance(came, RepositoryMiss):
                    yield CaptureAnswer(url, False, came.detail or came.reason.value, came.reason is MissReason.LIMIT)
                    if came.reason is MissReason.LIMIT:
                        return
                else:
                    accepted = is_successful(came.status) or is_redirection(came.status)
                    yield CaptureAnswer(url, accepted, "" if accepted else f"it answered {came.status}")
    finally:
        ledger.close()


def _find_declaration(name: str, context: RepositoryContext) -> RepositoryDeclaration:
    declarations = load_declarations(context.declarations)
    found = find_by_name(name, declarations)
    if found is None or not found.save:
        known = ", ".join(sorted(each.name for each in declarations.values() if each.save))
        raise UsageError(f"{name!r} is no archive that can be asked for captures; choose of {known}")
    return found
