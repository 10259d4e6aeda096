"""Holding a certificate that was kept against the one that the records give today."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain, zip_longest

from webkeep.coherence.certificate import Certificate, Resource, Summary
from webkeep.coherence.certificate_json import resource_values, summary_values
from webkeep.errors import FormatError
from webkeep.model import Finding, Place
from webkeep.quality.certification import certificate_from
from webkeep.quality.kept import LARGEST, Part, latest_parts, part_blocks, part_number, read_part
from webkeep.quality.records import blocks_at, read_capture
from webkeep.store.archive import Archive

DIFFERS, DAMAGED, MISSING = "certificate-differs", "certificate-damaged", "certificate-missing"
_LONGEST_SHOWN = 120
_OF_STORING = frozenset({"setback"})
"""What hangs on the order of records in files, of which some are gone."""
_OF_SITEMAPS = frozenset({"subsites"})


def differences(
    archive: Archive, certificate: Certificate, places: Sequence[Place], taken_down: Collection[str] = ()
) -> Iterator[Finding]:
    """In what the last certificate kept at these places differs from the one derived; nothing where it is the same.

    What it says of URLs that were taken down is taken as it is: the rest must follow from that and from the records.
    """
    numbers = [part_number(block) for block in blocks_at(archive, places, LARGEST)]
    kept = places[latest_parts(numbers)]
    if not kept:
        for place in places[-1:]:
            yield _finding(DAMAGED, place, "parts of a certificate were kept, and together they are no whole one")
        return
    blocks = blocks_at(archive, kept, LARGEST)
    if all(one == other for one, other in zip_longest(blocks, part_blocks(certificate))):
        return
    try:
        if taken_down:
            yield from _but_for(archive, certificate, kept, taken_down)
        else:
            yield from _compared(certificate, _parts(archive, kept))
    except FormatError as error:
        message = f"the certificate that was kept is damaged: {error.args[0]}"
        yield Finding(DAMAGED, error.source, error.offset, message)


def kept_urls(archive: Archive, places: Sequence[Place]) -> Iterator[str]:
    """The URLs that the last certificate kept at these places is about, as far as it can be read."""
    kept = places[latest_parts([part_number(block) for block in blocks_at(archive, places, LARGEST)])]
    with suppress(FormatError):
        yield from (each.url for _, part in _parts(archive, kept) for each in part.resources)


def _but_for(
    archive: Archive, certificate: Certificate, kept: Sequence[Place], taken_down: Collection[str]
) -> Iterator[Finding]:
    """In what a certificate differs from one that is derived with what it says of resources that were taken down."""
    capture = certificate.summary.capture
    known = {each.url: each for _, part in _parts(archive, kept) for each in part.resources if each.url in taken_down}
    whole = certificate_from(archive, capture, read_capture(archive, capture), known)
    left_out = _OF_STORING | (_OF_SITEMAPS if any("sitemap" in url.lower() for url in known) else frozenset())
    return _compared(whole, _parts(archive, kept), left_out)


def _parts(archive: Archive, places: Sequence[Place]) -> Iterator[tuple[Place, Part]]:
    for place, block in zip(places, blocks_at(archive, places, LARGEST), strict=True):
        try:
            yield place, read_part(block)
        except FormatError as error:
            raise FormatError(str(error), place.file, place.offset) from error


def _compared(
    certificate: Certificate, parts: Iterator[tuple[Place, Part]], left_out: Collection[str] = ()
) -> Iterator[Finding]:
    for place, part in parts:
        if part.summary is not None:
            yield from _in_summary(certificate.summary, part.summary, place, left_out)
            break
    yield from _in_resources(certificate, parts)


def _in_summary(derived: Summary, kept: Summary, place: Place, left_out: Collection[str]) -> Iterator[Finding]:
    says = summary_values(derived)
    for name, value in summary_values(kept).items():
        if value != says[name] and name not in left_out:
            yield _finding(DIFFERS, place, f"{name}: {_told(value, says[name])}")


def _in_resources(certificate: Certificate, parts: Iterator[tuple[Place, Part]]) -> Iterator[Finding]:
    """Both are in the order of URLs, so they are gone through side by side."""
    derived = iter(certificate.resources)
    mine = next(derived, None)
    last = Place("", 0, 0)
    for last, theirs in _ordered(parts):
        while mine is not None and mine.url < theirs.url:
            yield _finding(DIFFERS, last, f"{mine.url}: not in the certificate that was kept, and in the records")
            mine = next(derived, None)
        if mine is None or mine.url != theirs.url:
            yield _finding(DIFFERS, last, f"{theirs.url}: in the certificate that was kept, and not in the records")
            continue
        yield from _in_resource(mine, theirs, last)
        mine = next(derived, None)
    for each in chain([] if mine is None else [mine], derived):
        yield _finding(DIFFERS, last, f"{each.url}: not in the certificate that was kept, and in the records")


def _ordered(parts: Iterator[tuple[Place, Part]]) -> Iterator[tuple[Place, Resource]]:
    latest = ""
    for place, part in parts:
        for each in part.resources:
            if each.url <= latest:
                raise FormatError("its resources are not in the order of their URLs", place.file, place.offset)
            latest = each.url
            yield place, each


def _in_resource(derived: Resource, kept: Resource, place: Place) -> Iterator[Finding]:
    says = resource_values(derived)
    for name, value in resource_values(kept).items():
        if value != says[name]:
            yield _finding(DIFFERS, place, f"{kept.url}: {name}: {_told(value, says[name])}")


def _told(kept: object, derived: object) -> str:
    """What differs, or, inside of lists and objects, the first thing that does."""
    if isinstance(kept, dict) and isinstance(derived, dict):
        named = dict.fromkeys([*kept, *derived])
        return next(
            f"{name}: {_told(kept.get(name), derived.get(name))}"
            for name in named
            if kept.get(name) != derived.get(name)
        )
    if isinstance(kept, list) and isinstance(derived, list):
        pairs = enumerate(zip_longest(kept, derived), 1)
        return next(f"number {place}: {_told(*pair)}" for place, pair in pairs if pair[0] != pair[1])
    return f"kept as {_shown(kept)}, the records say {_shown(derived)}"


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


def _finding(code: str, place: Place, message: str) -> Finding:
    return Finding(code, place.file, place.offset, message)
