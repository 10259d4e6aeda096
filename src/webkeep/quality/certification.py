"""Certifying a capture: from its WARC files to its certificate."""

from __future__ import annotations

from collections.abc import Mapping

from webkeep.coherence.certificate import Certificate, Resource
from webkeep.coherence.certifying import Evidence, certificate_of
from webkeep.coherence.figures import rounded
from webkeep.coherence.intent import Intent, read_intent
from webkeep.errors import FormatError
from webkeep.model import Place
from webkeep.quality.kept import LARGEST
from webkeep.quality.records import CaptureRecords, blocks_at, read_capture
from webkeep.quality.subsites import subsites_of
from webkeep.store.archive import Archive


def certify(archive: Archive, capture_id: str) -> Certificate:
    """The certificate of a capture, by its records alone."""
    return certificate_from(archive, capture_id, read_capture(archive, capture_id))


def certificate_from(
    archive: Archive, capture_id: str, records: CaptureRecords, known: Mapping[str, Resource] | None = None
) -> Certificate:
    """The certificate that the records of a capture give, with what is `known` of resources that were taken down."""
    sightings, records.sightings = records.sightings, {}
    subsites = subsites_of(archive, {**sightings, **(known or {})}, records.sitemaps)
    evidence = Evidence(
        capture_id,
        records.capture.seeds if records.capture else (),
        # Taken out one by one: what became a resource is not needed any more.
        ((url, sightings.pop(url)) for url in list(sightings)),
        _intent(archive, records.intents),
        subsites,
        rounded(records.setback),
        known or {},
    )
    return certificate_of(evidence)


def _intent(archive: Archive, places: list[Place]) -> Intent | None:
    """What the capture set out to do; a note that is damaged is as good as none, and expects nothing."""
    try:
        return read_intent(blocks_at(archive, places, LARGEST))
    except FormatError:
        return None
