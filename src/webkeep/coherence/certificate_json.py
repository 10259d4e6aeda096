"""Certificates as JSON: one canonical form, whole or in parts, and back again from whatever somebody wrote."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from webkeep.coherence.accord import Accord
from webkeep.coherence.certificate import (
    FORMAT,
    Basis,
    Certificate,
    Figures,
    Kind,
    Resource,
    Subsite,
    Summary,
    Verdict,
)
from webkeep.coherence.comparing import Caveat, Sameness, Strength, Witness
from webkeep.coherence.json_fields import Fields, parsed
from webkeep.coherence.version import Version
from webkeep.errors import FormatError
from webkeep.model import Moment

Word = TypeVar("Word", bound=enum.StrEnum)


def to_json(certificate: Certificate, verified: Mapping[str, int] | None = None) -> Iterator[bytes]:
    """The certificate as one JSON object, in pieces; equal certificates give equal bytes.

    `verified` says of how many records the bytes were held against their digests, and how many findings that gave.
    """
    values = {**summary_values(certificate.summary), "verified": None if verified is None else dict(verified)}
    yield written(values)[:-1] + b',"resources":['
    for place, resource in enumerate(certificate.resources):
        yield (b",\n" if place else b"\n") + written(resource_values(resource))
    yield b"\n]}\n"


def from_json(data: bytes) -> Certificate:
    """The certificate that a JSON object is; FormatError where it is none."""
    fields = parsed(data)
    return Certificate(read_summary(fields), tuple(read_resources(fields)))


def written(values: object) -> bytes:
    """JSON without a needless byte, in ASCII, so that any text comes back as it was."""
    return json.dumps(values, separators=(",", ":"), allow_nan=False).encode("ascii")


def summary_values(summary: Summary) -> dict[str, Any]:
    """A summary in plain values."""
    return {
        "format": FORMAT,
        "capture": summary.capture,
        "seeds": list(summary.seeds),
        "strategy": summary.strategy,
        "delay_seconds": summary.delay_seconds,
        "began": _told(summary.began),
        "ended": _told(summary.ended),
        "reference": _told(summary.reference),
        "basis": summary.basis.value,
        "at_reference": summary.at_reference,
        "accord": _accord_values(summary.accord),
        "lasting_accord": _accord_values(summary.lasting_accord),
        "dated_accord": _accord_values(summary.dated_accord),
        "is_revisited": summary.is_revisited,
        "setback": summary.setback,
        "all": _figures_values(summary.all),
        "pages": _figures_values(summary.pages),
        "embeds": _figures_values(summary.embeds),
        "others": _figures_values(summary.others),
        "caveats": {caveat.value: count for caveat, count in summary.caveats.items()},
        "subsites": [
            {"name": each.name, **_figures_values(each.figures), "accord": _accord_values(each.accord)}
            for each in summary.subsites
        ],
    }


def resource_values(resource: Resource) -> dict[str, Any]:
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
    }


def read_summary(fields: Fields) -> Summary:
    """The summary that fields are."""
    if fields.count("format") != FORMAT:
        raise FormatError(f"this certificate is of format {fields.count('format')}, and this program knows {FORMAT}")
    return Summary(
        fields.text("capture"),
        fields.texts("seeds"),
        fields.text("strategy"),
        fields.optional_number("delay_seconds"),
        fields.optional_moment("began"),
        fields.optional_moment("ended"),
        fields.optional_moment("reference"),
        _word(Basis, fields.text("basis")),
        fields.count("at_reference"),
        _accord(fields.optional_inner("accord")),
        _accord(fields.optional_inner("lasting_accord")),
        _accord(fields.optional_inner("dated_accord")),
        _figures(fields.inner("all")),
        _figures(fields.inner("pages")),
        _figures(fields.inner("embeds")),
        _figures(fields.inner("others")),
        _counts(Caveat, fields.mapping("caveats")),
        fields.optional_number("setback") or 0.0,
        fields.truth("is_revisited"),
        tuple(_subsite(Fields.of(each)) for each in fields.rows("subsites")),
    )


def read_resources(fields: Fields) -> Iterator[Resource]:
    """The resources that stand in a field of that name."""
    for row in fields.rows("resources"):
        yield _resource(Fields.of(row))


def _resource(fields: Fields) -> Resource:
    return Resource(
        fields.text("url"),
        _word(Kind, fields.text("kind")),
        fields.text("media_type"),
        _word(Verdict, fields.text("verdict")),
        tuple(_version(Fields.of(each)) for each in fields.rows("versions")),
        fields.truth("agrees"),
        tuple(_word(Caveat, each) for each in fields.texts("caveats")),
        fields.optional_number("rate"),
        fields.text("rate_source"),
    )


def _version_values(version: Version) -> dict[str, Any]:
    return {
        "first": version.first.iso(),
        "last": version.last.iso(),
        "sightings": version.sightings,
        "status": version.status,
        "digest": None if version.digest is None else str(version.digest),
        "etag": version.etag,
        "last_modified": version.last_modified,
        "witness": version.witness,
        "strength": version.strength,
        "ending": version.ending,
    }


def _version(fields: Fields) -> Version:
    return Version(
        fields.moment("first"),
        fields.moment("last"),
        fields.count("sightings"),
        fields.optional_count("status"),
        fields.optional_digest("digest"),
        fields.text("etag"),
        fields.text("last_modified"),
        _optional_word(Witness, fields, "witness"),
        _optional_word(Strength, fields, "strength"),
        _optional_word(Sameness, fields, "ending"),
    )


def _figures_values(figures: Figures) -> dict[str, Any]:
    return {
        "resources": figures.resources,
        "coherent": figures.coherent,
        "judged": figures.judged,
        "verdicts": {verdict.value: count for verdict, count in figures.verdicts.items()},
        "firm": figures.firm,
        "agreeing": figures.agreeing,
        "rated": figures.rated,
        "rated_coherent": figures.rated_coherent,
        "expected_coherent": figures.expected_coherent,
        "expected_blur": figures.expected_blur,
    }


def _figures(fields: Fields) -> Figures:
    figures = Figures(
        fields.count("resources"),
        _counts(Verdict, fields.mapping("verdicts")),
        fields.count("firm"),
        fields.count("agreeing"),
        fields.count("rated"),
        fields.count("rated_coherent"),
        fields.optional_number("expected_coherent"),
        fields.optional_number("expected_blur"),
    )
    if (fields.count("coherent"), fields.count("judged")) != (figures.coherent, figures.judged):
        raise FormatError("the counts of coherent and judged resources are not the sums of the verdicts")
    return figures


def _subsite(fields: Fields) -> Subsite:
    return Subsite(fields.text("name"), _figures(fields), _accord(fields.optional_inner("accord")))


def _accord_values(accord: Accord | None) -> dict[str, Any] | None:
    if accord is None:
        return None
    return {"start": accord.start.iso(), "end": accord.end.iso(), "resources": accord.resources}


def _accord(fields: Fields | None) -> Accord | None:
    if fields is None:
        return None
    return Accord(fields.moment("start"), fields.moment("end"), fields.count("resources"))


def _counts(kind: type[Word], values: Mapping[str, Any]) -> dict[Word, int]:
    fields = Fields(values)
    return {_word(kind, name): fields.count(name) for name in values}


def _word(kind: type[Word], text: str) -> Word:
    try:
        return kind(text)
    except ValueError as error:
        raise FormatError(f"{text[:40]!r} is no {kind.__name__.lower()}") from error


def _optional_word(kind: type[Word], fields: Fields, name: str) -> Word | None:
    return None if fields.get(name) is None else _word(kind, fields.text(name))


def _told(moment: Moment | None) -> str | None:
    return None if moment is None else moment.iso()
