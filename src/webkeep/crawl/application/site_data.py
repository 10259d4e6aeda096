"""The data behind a site, kept beside its pages: every database is dumped before the first page is asked for and after
the last, as resource records that no visitor is shown, and the two are compared.

Where both dumps are the same to the byte, no change of the data is seen for as long as the pages were captured, and
page and data belong together. Where they differ, or one is missing, each page shows the data of some moment in between,
and that is what is said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webkeep.crawl.plan.site_sources import DumpSource
from webkeep.errors import StorageError, UsageError
from webkeep.formats import DumpPhase, dump_urn
from webkeep.model import Clock, Observation
from webkeep.process import DUMP_MEDIA_TYPES, write_dump
from webkeep.store.archive import Archive, OpenCapture
from webkeep.store.folder import FileBody

DATA_FACT = "data"
"""The name under which a capture keeps what is said of its data."""


@dataclass(frozen=True, slots=True)
class DataComparison:
    """One database before and after the pages of a capture."""

    name: str
    before: Observation | None
    after: Observation | None
    trouble: str = ""
    """Why there is no second dump."""

    @property
    def is_unchanged(self) -> bool | None:
        """Whether both dumps are the same; None where nobody can tell."""
        if self.before is None or self.after is None:
            return None
        return self.before.payload_digest == self.after.payload_digest

    def to_values(self) -> dict[str, Any]:
        """What programs are told of it, and what is kept with the capture."""
        dumps = {DumpPhase.BEFORE: self.before, DumpPhase.AFTER: self.after}
        told = {phase.value: _dump_values(seen) for phase, seen in dumps.items() if seen is not None}
        return {"name": self.name, "unchanged": self.is_unchanged, **told, **_trouble_values(self.trouble)}


def _dump_values(seen: Observation) -> dict[str, Any]:
    return {
        "url": seen.url,
        "moment": seen.moment.iso(),
        "media_type": seen.media_type,
        "bytes": seen.size,
        "digest": str(seen.payload_digest or ""),
    }


def _trouble_values(trouble: str) -> dict[str, str]:
    return {"trouble": trouble} if trouble else {}


class SiteData:
    """The databases of one capture."""

    def __init__(self, sources: Sequence[DumpSource], archive: Archive, capture: OpenCapture, spool: Path) -> None:
        self._sources, self._archive, self._capture, self._spool = sources, archive, capture, spool

    @property
    def _clock(self) -> Clock:
        return self._archive.clock

    def keep_before(self) -> None:
        """Dump what an earlier run of the capture did not dump already."""
        for source in self._sources:
            if self._find(source, DumpPhase.BEFORE) is None:
                self._keep(source, DumpPhase.BEFORE)

    def keep_after(self) -> tuple[DataComparison, ...]:
        """Dump all again, and compare; what cannot be dumped any more is told, as the pages are there."""
        return tuple(self._compare())

    def _compare(self) -> Iterator[DataComparison]:
        for source in self._sources:
            before, after, trouble = self._find(source, DumpPhase.BEFORE), None, ""
            try:
                after = self._keep(source, DumpPhase.AFTER)
            except UsageError as error:
                trouble = str(error)
            yield DataComparison(source.name, before, after, trouble)

    def _find(self, source: DumpSource, phase: DumpPhase) -> Observation | None:
        urn = dump_urn(self._capture.id, source.name, phase)
        return next((seen for seen in self._archive.history(urn) if seen.url == urn), None)

    def _keep(self, source: DumpSource, phase: DumpPhase) -> Observation | None:
        """Dump a database, and wait until that is on disk."""
        file = self._spool / f"{source.name}.dump"
        file.unlink(missing_ok=True)
        begun = self._clock.now()
        try:
            write_dump(source.kind, source.what, source.name, file)
            body = FileBody(file, file.stat().st_size)
            urn = dump_urn(self._capture.id, source.name, phase)
            self._capture.submit_resource(urn, begun, DUMP_MEDIA_TYPES[source.kind], body).result()
        except OSError as error:
            raise StorageError(f"cannot keep the dump {source.name} ({error.strerror}); make room for it") from error
        finally:
            file.unlink(missing_ok=True)
        return self._find(source, phase)


def data_facts(compared: Sequence[DataComparison]) -> dict[str, str]:
    """What is kept with a capture of the data behind its pages."""
    return {DATA_FACT: json.dumps([each.to_values() for each in compared])} if compared else {}
