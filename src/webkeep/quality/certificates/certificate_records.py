"""How a certificate lies in an archive: metadata records of a bounded size, the first with the summary; how much goes
into a part, and which parts are the latest whole certificate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.coherence.certificates import (
    CertificateSummary,
    CertifiedResource,
    CoherenceCertificate,
    canonical_json,
    parse_json_fields,
    read_resources,
    read_summary,
    resource_values,
    summary_values,
)
from webkeep.errors import FormatError

MEDIA_TYPE = "application/vnd.webkeep.certificate+json"
"""Of the metadata records that hold a certificate."""
MAX_RESOURCES_A_PART = 1000
"""Resources in one record, so that a reader holds no more than these at a time."""
_PART_START = re.compile(rb'\{"part":(\d{1,7}),"parts":(\d{1,7}),')
_FULL_PART_BYTES = 2 << 20
"""A part whose texts come to more than this is closed before it has that many resources."""
MAX_PART_BYTES = 64 << 20
"""No part is larger, whatever the URLs in it."""


def certificate_urn(capture: str) -> str:
    """The name of the metadata records that hold the certificate of a capture."""
    return f"urn:webkeep:certificate:{capture}"


@dataclass(frozen=True, slots=True)
class CertificatePart:
    """A part of a certificate; the first has the summary, the others have resources."""

    number: int
    count: int
    summary: CertificateSummary | None
    resources: tuple[CertifiedResource, ...]


def render_parts(certificate: CoherenceCertificate) -> Iterator[bytes]:
    """The parts to be kept; equal certificates give equal bytes."""
    groups = [(), *_group_resources(certificate.resources)]
    for number, group in enumerate(groups):
        yield canonical_json(
            {
                "part": number,
                "parts": len(groups),
                "summary": None if number else summary_values(certificate.summary),
                "resources": [resource_values(each) for each in group],
            }
        )


def _group_resources(resources: Sequence[CertifiedResource]) -> Iterator[Sequence[CertifiedResource]]:
    """The resources in groups that are neither too many nor, with whatever texts strangers put in them, too large."""
    start = weight = 0
    for place, each in enumerate(resources):
        if place - start == MAX_RESOURCES_A_PART or weight > _FULL_PART_BYTES:
            yield resources[start:place]
            start, weight = place, 0
        weight += len(each.url) + sum(len(version.etag) + len(version.last_modified) for version in each.versions)
    if start < len(resources):
        yield resources[start:]


def read_part(block: bytes) -> CertificatePart:
    """The part that a block is; FormatError where it is none."""
    fields = parse_json_fields(block)
    inner = fields.optional_inner("summary")
    number, count = fields.count("part"), fields.count("parts")
    if number >= count or (inner is None) is (number == 0):
        raise FormatError(f"part {number} of {count} of a certificate cannot be")
    return CertificatePart(number, count, read_summary(inner) if inner else None, tuple(read_resources(fields)))


def read_part_number(block: bytes) -> tuple[int, int] | None:
    """Which part a block is, and of how many, by its beginning; None where it does not begin as parts do."""
    match = _PART_START.match(block)
    return (int(match[1]), int(match[2])) if match else None


def latest_complete_parts(numbers: Sequence[tuple[int, int] | None]) -> slice:
    """Which of the parts kept are the last whole certificate; empty where none is."""
    for start in range(len(numbers) - 1, -1, -1):
        found = numbers[start]
        if found is not None and found[0] == 0 and start + found[1] <= len(numbers):
            end = start + found[1]
            if list(numbers[start:end]) == [(each, found[1]) for each in range(found[1])]:
                return slice(start, end)
    return slice(0, 0)
