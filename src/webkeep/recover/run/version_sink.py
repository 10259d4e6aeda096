"""Keeping what came: as records of the lost site's own URLs and moments, each with its provenance beside it; what a
resumed recovery holds already is not kept twice.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Protocol, cast

from webkeep.model import BytesBody, Digest, Exchange
from webkeep.recover.repositories.repository import FetchedVersion
from webkeep.recover.run.recovered_links import RecoveredLinkContext, RecoveredLinks, extract_new_links
from webkeep.recover.run.site_listing import ORPHAN_PRIORITY
from webkeep.recover.state.provenance import MEDIA_TYPE, RecoveryProvenance, read_provenances
from webkeep.recover.state.recovery_store import RecoveredResource
from webkeep.store.archive import OpenCapture, WritableArchive
from webkeep.store.writing import Acknowledgement, ExchangeAnalysis, Receipts

_BATCH_RECORDS = 200
"""Records of provenance that are written together, as each write waits for the disk."""
_MAX_LINK_LEVELS = 30
"""Deeper pages count as this deep: for every level a function is kept, and levels only order what is found."""


class VersionSink(Protocol):
    """Whoever keeps what came, and says where it leads."""

    @property
    def bytes(self) -> int:
        """How much was handed over."""
        ...

    async def store_version(
        self, resource: RecoveredResource, found: FetchedVersion, provenance: RecoveryProvenance
    ) -> RecoveredLinks:
        """Keep it; it is kept when this returns."""
        ...

    def write_pending(self) -> None:
        """Hand over what is still to be said of what was kept."""

    async def flush(self) -> None:
        """Make sure that all that was handed over is kept."""


class ArchiveVersionSink:
    """Keeps in a capture of an archive; a resumed one may hold what its recovery store does not know of yet."""

    def __init__(self, archive: WritableArchive, capture: OpenCapture, resumed: bool = False) -> None:
        self._archive = archive
        self._capture = capture
        self._is_resumed = resumed
        self._extractions: dict[RecoveredLinkContext, ExchangeAnalysis] = {}
        self._provenances: list[RecoveryProvenance] = []
        self._receipts: Receipts[asyncio.Future[None]] = Receipts(self._wake_waiting)
        self.bytes = 0

    async def store_version(
        self, resource: RecoveredResource, found: FetchedVersion, provenance: RecoveryProvenance
    ) -> RecoveredLinks:
        """Hand over what came, wait until it is on disk, and say where it leads."""
        exchange = found.exchange
        self.bytes += exchange.body.size + len(exchange.response)
        if self._is_resumed and self._is_stored(exchange):
            return self._links_of_stored(resource, exchange, provenance)
        acknowledgement = self._capture.submit(exchange, self._extraction_for(resource))
        if not isinstance(exchange.body, BytesBody):  # it is studied where it is written, and that takes its time
            await asyncio.to_thread(acknowledgement.result)
        else:
            await self._wait_acknowledged(acknowledgement)
            acknowledgement.written  # noqa: B018 - says what went wrong, if anything did
        self._provenances.append(provenance)
        if len(self._provenances) >= _BATCH_RECORDS:
            self.write_pending()
        return _links_from(acknowledgement)

    def _is_stored(self, exchange: Exchange) -> bool:
        """Whether the very same is in this capture already."""
        seen = self._archive.lookup(exchange.url, exchange.moment)
        if seen is None or (seen.url, seen.moment, seen.capture) != (exchange.url, exchange.moment, self._capture.id):
            return False
        digest = seen.payload_digest
        return digest is not None and digest == Digest.from_chunks(digest.algorithm, exchange.body.chunks())

    def _links_of_stored(
        self, resource: RecoveredResource, exchange: Exchange, provenance: RecoveryProvenance
    ) -> RecoveredLinks:
        """Say where something leads that was kept before; and where it comes from, if that was not written down yet."""
        told = read_provenances(self._archive, exchange.url)
        if not any(each.moment == provenance.moment for each in told):
            self._provenances.append(provenance)
        return cast("RecoveredLinks", self._extraction_for(resource)(exchange))

    def _extraction_for(self, resource: RecoveredResource) -> ExchangeAnalysis:
        level = min(resource.priority, ORPHAN_PRIORITY) // 10
        context = RecoveredLinkContext(self._capture.run_id, min(level, _MAX_LINK_LEVELS), resource.is_current)
        known = self._extractions.get(context)
        if known is None:
            known = self._extractions[context] = partial(extract_new_links, context)
        return known

    async def _wait_acknowledged(self, acknowledgement: Acknowledgement) -> None:
        """Wait for the writer's thread."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._receipts.add(future, acknowledgement)
        await future

    def _wake_waiting(self) -> None:
        for future, _ in self._receipts.take_acknowledged():
            if not future.done():
                future.set_result(None)

    def store_alias(self, exchange: Exchange) -> None:
        """Keep a redirect of our own making, from a spelling that pages use to the one that is held."""
        self._capture.submit(exchange)

    def write_pending(self) -> None:
        """Hand over the provenance of what was kept."""
        self._write_provenances()

    def _write_provenances(self) -> Acknowledgement | None:
        told, self._provenances = self._provenances, []
        last = None
        for each in told:
            last = self._archive.submit_metadata(self._capture.id, each.url, MEDIA_TYPE, each.to_json())
        return last

    async def flush(self) -> None:
        """Write down the provenance of all that was kept, and wait until that is on disk."""
        last = self._write_provenances()
        if last is not None:
            await asyncio.to_thread(last.result)


def _links_from(acknowledgement: Acknowledgement) -> RecoveredLinks:
    found = acknowledgement.analysis()
    return cast("RecoveredLinks", found) if isinstance(found, tuple) else RecoveredLinks([])
