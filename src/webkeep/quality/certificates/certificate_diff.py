"""Holding a certificate that was kept against the one that the records give today: which findings there are (differs,
damaged), what takedowns excuse, and how differences are worded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain, zip_longest

from webkeep.coherence.certificates import (
    CertificateSummary,
    CertifiedResource,
    CoherenceCertificate,
    resource_values,
    summary_values,
)
from webkeep.errors import FormatError
from webkeep.model import Finding, RecordPlace
from webkeep.quality.certificates.capture_records import read_capture_records, read_note_blocks
from webkeep.quality.certificates.certificate_records import (
    MAX_PART_BYTES,
    CertificatePart,
    latest_complete_parts,
    read_part,
    read_part_number,
    render_parts,
)
from webkeep.quality.certificates.certification import certificate_from_records
from webkeep.store.archive import Archive

DIFFERS, DAMAGED, MISSING = "certificate-differs", "certificate-damaged", "certificate-missing"
_MAX_VALUE_CHARS = 120
"""A value in a finding is cut here: lists of versions may be of any length."""
_STORAGE_FIELDS = frozenset({"setback"})
"""What hangs on the order of records in files, of which some are gone."""
_SITEMAP_FIELDS = frozenset({"subsites"})
"""What hangs on sitemaps, of which some are gone."""


def certificate_differences(
    archive: Archive, certificate: CoherenceCertificate, places: Sequence[RecordPlace], taken_down: Collection[str] = ()
) -> Iterator[Finding]:
    """In what the last certificate kept at these places differs from the one derived; nothing where it is the same.

    What it says of URLs that were taken down is taken as it is: the rest must follow from that and from the records.
    """
    numbers = [read_part_number(block) for block in read_note_blocks(archive, places, MAX_PART_BYTES)]
    kept = places[latest_complete_parts(numbers)]
    if not kept:
        for place in places[-1:]:
            yield _build_finding(DAMAGED, place, "parts of a certificate were kept, and together they are no whole one")
        return
    blocks = read_note_blocks(archive, kept, MAX_PART_BYTES)
    if all(one == other for one, other in zip_longest(blocks, render_parts(certificate))):
        return
    try:
        if taken_down:
            yield from _compare_with_takedowns(archive, certificate, kept, taken_down)
        else:
            yield from _compare_parts(certificate, _read_parts(archive, kept))
    except FormatError as error:
        message = f"the certificate that was kept is damaged: {error.args[0]}"
        yield Finding(DAMAGED, error.source, error.offset, message)


def read_kept_urls(archive: Archive, places: Sequence[RecordPlace]) -> Iterator[str]:
    """The URLs that the last certificate kept at these places is about, as far as it can be read."""
    kept = places[
        latest_complete_parts([read_part_number(block) for block in read_note_blocks(archive, places, MAX_PART_BYTES)])
    ]
    with suppress(FormatError):
        yield from (each.url for _, part in _read_parts(archive, kept) for each in part.resources)


def _compare_with_takedowns(
    archive: Archive, certificate: CoherenceCertificate, kept: Sequence[RecordPlace], taken_down: Collection[str]
) -> Iterator[Finding]:
    """In what a certificate differs from one that is derived with what it says of resources that were taken down."""
    capture = certificate.summary.capture
    known = {
        each.url: each for _, part in _read_parts(archive, kept) for each in part.resources if each.url in taken_down
    }
    whole = certificate_from_records(archive, capture, read_capture_records(archive, capture), known)
    left_out = _STORAGE_FIELDS | (_SITEMAP_FIELDS if any("sitemap" in url.lower() for url in known) else frozenset())
    return _compare_parts(whole, _read_parts(archive, kept), left_out)


def _read_parts(archive: Archive, places: Sequence[RecordPlace]) -> Iterator[tuple[RecordPlace, CertificatePart]]:
    for place, block in zip(places, read_note_blocks(archive, places, MAX_PART_BYTES), strict=True):
        try:
            yield place, read_part(block)
        except FormatError as error:
            raise FormatError(str(error), place.file, place.offset) from error


def _compare_parts(
    certificate: CoherenceCertificate,
    parts: Iterator[tuple[RecordPlace, CertificatePart]],
    left_out: Collection[str] = (),
) -> Iterator[Finding]:
    for place, part in parts:
        if part.summary is not None:
            yield from _compare_summaries(certificate.summary, part.summary, place, left_out)
            break
    yield from _compare_all_resources(certificate, parts)


def _compare_summaries(
    derived: CertificateSummary, kept: CertificateSummary, place: RecordPlace, left_out: Collection[str]
) -> Iterator[Finding]:
    says = summary_values(derived)
    for name, value in summary_values(kept).items():
        if value != says[name] and name not in left_out:
            yield _build_finding(DIFFERS, place, f"{name}: {_difference_words(value, says[name])}")


def _compare_all_resources(
    certificate: CoherenceCertificate, parts: Iterator[tuple[RecordPlace, CertificatePart]]
) -> Iterator[Finding]:
    """Both are in the order of URLs, so they are gone through side by side."""
    derived = iter(certificate.resources)
    mine = next(derived, None)
    last = RecordPlace("", 0, 0)
    for last, theirs in _order_resources(parts):
        while mine is not None and mine.url < theirs.url:
            yield _build_finding(DIFFERS, last, f"{mine.url}: not in the certificate that was kept, and in the records")
            mine = next(derived, None)
        if mine is None or mine.url != theirs.url:
            yield _build_finding(
                DIFFERS, last, f"{theirs.url}: in the certificate that was kept, and not in the records"
            )
            continue
        yield from _compare_resource(mine, theirs, last)
        mine = next(derived, None)
    for each in chain([] if mine is None else [mine], derived):
        yield _build_finding(DIFFERS, last, f"{each.url}: not in the certificate that was kept, and in the records")


def _order_resources(
    parts: Iterator[tuple[RecordPlace, CertificatePart]],
) -> Iterator[tuple[RecordPlace, CertifiedResource]]:
    latest = ""
    for place, part in parts:
        for each in part.resources:
            if each.url <= latest:
                raise FormatError("its resources are not in the order of their URLs", place.file, place.offset)
            latest = each.url
            yield place, each


def _compare_resource(derived: CertifiedResource, kept: CertifiedResource, place: RecordPlace) -> Iterator[Finding]:
    says = resource_values(derived)
    for name, value in resource_values(kept).items():
        if value != says[name]:
            yield _build_finding(DIFFERS, place, f"{kept.url}: {name}: {_difference_words(value, says[name])}")


def _difference_words(kept: object, derived: object) -> str:
    """What differs, or, inside of lists and objects, the first thing that does."""
    if isinstance(kept, dict) and isinstance(derived, dict):
        named = dict.fromkeys([*kept, *derived])
        return next(
            f"{name}: {_difference_words(kept.get(name), derived.get(name))}"
            for name in named
            if kept.get(name) != derived.get(name)
        )
    if isinstance(kept, list) and isinstance(derived, list):
        pairs = enumerate(zip_longest(kept, derived), 1)
        return next(f"number {place}: {_difference_words(*pair)}" for place, pair in pairs if pair[0] != pair[1])
    return f"kept as {_shorten_value(kept)}, the records say {_shorten_value(derived)}"


def _shorten_value(value: object) -> str:
    text = str(value)
    return text if len(text) <= _MAX_VALUE_CHARS else text[:_MAX_VALUE_CHARS] + "…"


def _build_finding(code: str, place: RecordPlace, message: str) -> Finding:
    return Finding(code, place.file, place.offset, message)
