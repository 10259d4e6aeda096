"""Certificates as JSON: one canonical form, the same bytes for equal certificates, whole or in parts; and back again
from whatever somebody wrote, former field names included.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from webkeep.coherence.certificates.certificate import (
    FORMAT_VERSION,
    CertificateFigures,
    CertificateSummary,
    CertifiedResource,
    CoherenceCertificate,
    CoherenceVerdict,
    ReferenceBasis,
    ResourceKind,
    Subsite,
    WeightedFigures,
)
from webkeep.coherence.certificates.coherent_set import CoherentSet
from webkeep.coherence.certificates.json_fields import JsonFields, parse_json_fields
from webkeep.coherence.sightings.seen_versions import SeenVersion
from webkeep.coherence.sightings.sighting_comparison import Caveat, Sameness, SamenessStrength, SamenessWitness
from webkeep.errors import FormatError
from webkeep.model import Moment

EnumWord = TypeVar("EnumWord", bound=enum.StrEnum)
_FORMER_NAMES = {
    "coherent_set": "accord",
    "lasting_coherent_set": "lasting_accord",
    "dated_coherent_set": "dated_accord",
    "observations": "sightings",
}
"""What fields were called in certificates that archives and people keep."""


def certificate_to_json(
    certificate: CoherenceCertificate, verified: Mapping[str, int] | None = None
) -> Iterator[bytes]:
    """The certificate as one JSON object, in pieces; equal certificates give equal bytes.

    `verified` says of how many records the bytes were held against their digests, and how many findings that gave.
    """
    values = {**summary_values(certificate.summary), "verified": None if verified is None else dict(verified)}
    yield canonical_json(values)[:-1] + b',"resources":['
    for place, resource in enumerate(certificate.resources):
        yield (b",\n" if place else b"\n") + canonical_json(resource_values(resource))
    yield b"\n]}\n"


def certificate_from_json(data: bytes) -> CoherenceCertificate:
    """The certificate that a JSON object is; FormatError where it is none."""
    fields = parse_json_fields(data)
    return CoherenceCertificate(read_summary(fields), tuple(read_resources(fields)))


def canonical_json(values: object) -> bytes:
    """JSON without a needless byte, in ASCII, so that any text comes back as it was."""
    return json.dumps(values, separators=(",", ":"), allow_nan=False).encode("ascii")


def summary_values(summary: CertificateSummary) -> dict[str, Any]:
    """A summary in plain values."""
    return {
        "format": FORMAT_VERSION,
        "capture": summary.capture,
        "seeds": list(summary.seeds),
        "strategy": summary.strategy,
        "delay_seconds": summary.delay_seconds,
        "began": _moment_text(summary.began),
        "ended": _moment_text(summary.ended),
        "reference": _moment_text(summary.reference),
        "basis": summary.basis.value,
        "at_reference": summary.at_reference,
        "coherent_set": _coherent_set_values(summary.coherent_set),
        "lasting_coherent_set": _coherent_set_values(summary.lasting_coherent_set),
        "dated_coherent_set": _coherent_set_values(summary.dated_coherent_set),
        "is_revisited": summary.is_revisited,
        "setback": summary.setback,
        "all": _figures_values(summary.all),
        "pages": _figures_values(summary.pages),
        "embeds": _figures_values(summary.embeds),
        "others": _figures_values(summary.others),
        "caveats": {caveat.value: count for caveat, count in summary.caveats.items()},
        "subsites": [
            {
                "name": each.name,
                **_figures_values(each.figures),
                "coherent_set": _coherent_set_values(each.coherent_set),
            }
            for each in summary.subsites
        ],
    }


def resource_values(resource: CertifiedResource) -> dict[str, Any]:
    """A resource in plain values."""
    return {
        "url": resource.url,
        "kind": resource.kind.value,
        "media_type": resource.media_type,
        "verdict": resource.verdict.value,
        "agrees": resource.agrees,
        "versions": [_version_values(version) for version in resource.versions],
        "caveats": [caveat.value for caveat in resource.caveats],
        "rate": resource.rate,
        "rate_source": resource.rate_source,
        **({"weight": resource.weight} if resource.weight != 1.0 else {}),
    }


def read_summary(fields: JsonFields) -> CertificateSummary:
    """The summary that fields are."""
    if fields.count("format") != FORMAT_VERSION:
        raise FormatError(
            f"this certificate is of format {fields.count('format')}, and this program knows {FORMAT_VERSION}"
        )
    return CertificateSummary(
        fields.text("capture"),
        fields.texts("seeds"),
        fields.text("strategy"),
        fields.optional_number("delay_seconds"),
        fields.optional_moment("began"),
        fields.optional_moment("ended"),
        fields.optional_moment("reference"),
        _read_word(ReferenceBasis, fields.text("basis")),
        fields.count("at_reference"),
        _read_coherent_set(_optional_inner(fields, "coherent_set")),
        _read_coherent_set(_optional_inner(fields, "lasting_coherent_set")),
        _read_coherent_set(_optional_inner(fields, "dated_coherent_set")),
        _read_figures(fields.inner("all")),
        _read_figures(fields.inner("pages")),
        _read_figures(fields.inner("embeds")),
        _read_figures(fields.inner("others")),
        _read_counts(Caveat, fields.mapping("caveats")),
        fields.optional_number("setback") or 0.0,
        fields.boolean("is_revisited"),
        tuple(_read_subsite(JsonFields.from_value(each)) for each in fields.rows("subsites")),
    )


def read_resources(fields: JsonFields) -> Iterator[CertifiedResource]:
    """The resources that stand in a field of that name."""
    for row in fields.rows("resources"):
        yield _read_resource(JsonFields.from_value(row))


def _read_resource(fields: JsonFields) -> CertifiedResource:
    return CertifiedResource(
        fields.text("url"),
        _read_word(ResourceKind, fields.text("kind")),
        fields.text("media_type"),
        _read_word(CoherenceVerdict, fields.text("verdict")),
        tuple(_read_version(JsonFields.from_value(each)) for each in fields.rows("versions")),
        fields.boolean("agrees"),
        tuple(_read_word(Caveat, each) for each in fields.texts("caveats")),
        fields.optional_number("rate"),
        fields.text("rate_source"),
        (fields.optional_number("weight") or 0.0) if "weight" in fields.values else 1.0,
    )


def _version_values(version: SeenVersion) -> dict[str, Any]:
    return {
        "first": version.first.iso(),
        "last": version.last.iso(),
        "observations": version.observations,
        "status": version.status,
        "digest": None if version.digest is None else str(version.digest),
        "etag": version.etag,
        "last_modified": version.last_modified,
        "witness": version.witness,
        "strength": version.strength,
        "ending": version.ending,
    }


def _read_version(fields: JsonFields) -> SeenVersion:
    return SeenVersion(
        fields.moment("first"),
        fields.moment("last"),
        fields.count(_name_in(fields, "observations")),
        fields.optional_count("status"),
        fields.optional_digest("digest"),
        fields.text("etag"),
        fields.text("last_modified"),
        _read_optional_word(SamenessWitness, fields, "witness"),
        _read_optional_word(SamenessStrength, fields, "strength"),
        _read_optional_word(Sameness, fields, "ending"),
    )


def _figures_values(figures: CertificateFigures) -> dict[str, Any]:
    return {
        "resources": figures.resources,
        "coherent": figures.coherent_count,
        "judged": figures.judged_count,
        "verdicts": {verdict.value: count for verdict, count in figures.verdicts.items()},
        "firm": figures.firm,
        "agreeing": figures.agreeing,
        "rated": figures.rated,
        "rated_coherent": figures.rated_coherent,
        "expected_coherent": figures.expected_coherent,
        "expected_blur": figures.expected_blur,
        **({} if figures.weighted is None else {"weighted": asdict(figures.weighted)}),
    }


def _read_figures(fields: JsonFields) -> CertificateFigures:
    figures = CertificateFigures(
        fields.count("resources"),
        _read_counts(CoherenceVerdict, fields.mapping("verdicts")),
        fields.count("firm"),
        fields.count("agreeing"),
        fields.count("rated"),
        fields.count("rated_coherent"),
        fields.optional_number("expected_coherent"),
        fields.optional_number("expected_blur"),
        _read_weighted(fields.inner("weighted")) if "weighted" in fields.values else None,
    )
    if (fields.count("coherent"), fields.count("judged")) != (figures.coherent_count, figures.judged_count):
        raise FormatError("the counts of coherent and judged resources are not the sums of the verdicts")
    return figures


def _read_weighted(fields: JsonFields) -> WeightedFigures:
    return WeightedFigures(
        fields.optional_number("judged") or 0.0,
        fields.optional_number("coherent") or 0.0,
        fields.optional_number("rated") or 0.0,
        fields.optional_number("expected_coherent"),
        fields.optional_number("expected_blur"),
    )


def _read_subsite(fields: JsonFields) -> Subsite:
    return Subsite(
        fields.text("name"), _read_figures(fields), _read_coherent_set(_optional_inner(fields, "coherent_set"))
    )


def _coherent_set_values(coherent_set: CoherentSet | None) -> dict[str, Any] | None:
    if coherent_set is None:
        return None
    return {"start": coherent_set.start.iso(), "end": coherent_set.end.iso(), "resources": coherent_set.resources}


def _read_coherent_set(fields: JsonFields | None) -> CoherentSet | None:
    if fields is None:
        return None
    return CoherentSet(fields.moment("start"), fields.moment("end"), fields.count("resources"))


def _optional_inner(fields: JsonFields, name: str) -> JsonFields | None:
    return fields.optional_inner(_name_in(fields, name))


def _name_in(fields: JsonFields, name: str) -> str:
    """What a field is called in these: certificates written before have it by its former name."""
    former = _FORMER_NAMES[name]
    return former if former in fields.values else name


def _read_counts(kind: type[EnumWord], values: Mapping[str, Any]) -> dict[EnumWord, int]:
    fields = JsonFields(values)
    return {_read_word(kind, name): fields.count(name) for name in values}


def _read_word(kind: type[EnumWord], text: str) -> EnumWord:
    try:
        return kind(text)
    except ValueError as error:
        raise FormatError(f"{text[:40]!r} is no {kind.__name__.lower()}") from error


def _read_optional_word(kind: type[EnumWord], fields: JsonFields, name: str) -> EnumWord | None:
    return None if fields.get(name) is None else _read_word(kind, fields.text(name))


def _moment_text(moment: Moment | None) -> str | None:
    return None if moment is None else moment.iso()
