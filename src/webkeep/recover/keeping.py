"""Keeping what came: as records of the lost site's own URLs and moments, each with its provenance beside it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import Protocol, cast

from webkeep.model import BytesBody, Digest, Exchange
from webkeep.recover.book import Resource
from webkeep.recover.gathering import ORPHANS
from webkeep.recover.provenance import MEDIA_TYPE, Provenance, provenances
from webkeep.recover.repository import Found
from webkeep.recover.study import Situation, Studied, study
from webkeep.store.acknowledgement import Acknowledgement
from webkeep.store.preparing import Study
from webkeep.store.writable import OpenCapture, WritableArchive

_TOGETHER = 200
_LEVELS = 30


class Keeper(Protocol):
    """Whoever keeps what came, and says where it leads."""

    async def keep(self, resource: Resource, found: Found, provenance: Provenance) -> Studied:
        """Keep it; it is kept when this returns."""
        ...

    def tell(self) -> None:
        """Hand over what is still to be said of what was kept."""

    async def settle(self) -> None:
        """Make sure that all that was handed over is kept."""


class ArchiveKeeper:
    """Keeps in a capture of an archive; one that is gone on with may hold what its book does not know of yet."""

    def __init__(self, archive: WritableArchive, capture: OpenCapture, resumed: bool = False) -> None:
        self._archive = archive
        self._capture = capture
        self._resumed = resumed
        self._loop = asyncio.get_running_loop()
        self._studies: dict[Situation, Study] = {}
        self._provenances: list[Provenance] = []
        self._waiting: list[tuple[asyncio.Future[None], Acknowledgement]] = []
        self._rung = False
        self.bytes = 0

    async def keep(self, resource: Resource, found: Found, provenance: Provenance) -> Studied:
        """Hand over what came, wait until it is on disk, and say where it leads."""
        exchange = found.exchange
        self.bytes += exchange.body.size + len(exchange.response)
        if self._resumed and self._is_kept(exchange):
            return self._known(resource, exchange, provenance)
        acknowledgement = self._capture.submit(exchange, self._study_of(resource))
        if not isinstance(exchange.body, BytesBody):  # it is studied where it is written, and that takes its time
            await asyncio.to_thread(acknowledgement.result)
        else:
            await self._acknowledged(acknowledgement)
            acknowledgement.written  # noqa: B018 - says what went wrong, if anything did
        self._provenances.append(provenance)
        if len(self._provenances) >= _TOGETHER:
            self.tell()
        return _studied(acknowledgement)

    def _is_kept(self, exchange: Exchange) -> bool:
        """Whether the very same is in this capture already."""
        seen = self._archive.lookup(exchange.url, exchange.moment)
        if seen is None or (seen.url, seen.moment, seen.capture) != (exchange.url, exchange.moment, self._capture.id):
            return False
        digest = seen.payload_digest
        return digest is not None and digest == Digest.of(digest.algorithm, exchange.body.chunks())

    def _known(self, resource: Resource, exchange: Exchange, provenance: Provenance) -> Studied:
        """Say where something leads that was kept before; and where it comes from, if that was not written down yet."""
        told = provenances(self._archive, exchange.url)
        if not any(each.moment == provenance.moment for each in told):
            self._provenances.append(provenance)
        return cast("Studied", self._study_of(resource)(exchange))

    def _study_of(self, resource: Resource) -> Study:
        level = min(resource.priority, ORPHANS) // 10
        situation = Situation(self._capture.run_id, min(level, _LEVELS), resource.is_current)
        known = self._studies.get(situation)
        if known is None:
            known = self._studies[situation] = partial(study, situation)
        return known

    async def _acknowledged(self, acknowledgement: Acknowledgement) -> None:
        """Wait for the writer's thread, which is asked to ring once for many."""
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append((future, acknowledgement))
        acknowledgement.add_done_callback(self._ring)
        await future

    def _ring(self, _: Acknowledgement) -> None:
        if not self._rung:
            self._rung = True
            with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._rung = False
        left = []
        for future, acknowledgement in self._waiting:
            if not acknowledgement.done:
                left.append((future, acknowledgement))
            elif not future.done():
                future.set_result(None)
        self._waiting = left

    def alias(self, exchange: Exchange) -> None:
        """Keep a redirect of our own making, from a spelling that pages use to the one that is held."""
        self._capture.submit(exchange)

    def tell(self) -> None:
        """Hand over the provenance of what was kept."""
        self._tell_provenances()

    def _tell_provenances(self) -> Acknowledgement | None:
        told, self._provenances = self._provenances, []
        last = None
        for each in told:
            last = self._archive.note(self._capture.id, each.url, MEDIA_TYPE, each.block())
        return last

    async def settle(self) -> None:
        """Write down the provenance of all that was kept, and wait until that is on disk."""
        last = self._tell_provenances()
        if last is not None:
            await asyncio.to_thread(last.result)


def _studied(acknowledgement: Acknowledgement) -> Studied:
    found = acknowledgement.studied()
    return cast("Studied", found) if isinstance(found, tuple) else Studied([])
