"""Damaged certificates and notes raise errors of ours and nothing else."""

from pathlib import Path
from random import Random

import pytest
from bench.fuzz import fuzz
from bench.fuzz_targets import Target

from certified_site import DAY, Look, again, capture_of, new_archive
from webkeep.coherence.certificates import CaptureIntent, certificate_to_json, read_intent
from webkeep.coherence.certificates.certificate_json import certificate_from_json
from webkeep.quality.certificates import read_part, render_certificate_page
from webkeep.quality.certificates.certificate_records import read_part_number, render_parts
from webkeep.quality.certificates.certification import derive_certificate

WORDS = [b"null", b"-1", b"1e999", b"NaN", b"true", b'"', b"\\ud800", b"{}", b'"0001-01-01T00:00:00Z"']
WORDS += [b"[" * 3000, b'{"a":' * 2000]
LOOKS = [
    Look("/", 0, fields=(("ETag", '"1"'),)),
    Look("/b", 10, b"b", fields=(("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT"),)),
    Look("/apex", 20, b"x"),
    again("/b", 30, b"other"),
    again("/", 40, status=304, fields=(("ETag", '"1"'),)),
]
INTENT = CaptureIntent(
    "sharc-selective", 1.0, DAY, {"http://site.example/": (0.5, "sitemap"), "http://h/é": (0.0, "default")}
)


def put_certificate(_: Random, data: bytes) -> None:
    certificate = certificate_from_json(data)
    written = b"".join(certificate_to_json(certificate))
    assert b"".join(certificate_to_json(certificate_from_json(written))) == written
    assert b"".join(render_certificate_page(certificate))


def put_part(_: Random, data: bytes) -> None:
    read_part_number(data)
    read_part(data)


def put_intent(_: Random, data: bytes) -> None:
    intent = read_intent([data])
    assert intent is not None
    assert read_intent(intent.render_notes()) == intent


@pytest.mark.parametrize("name", ["certificate", "part", "intent"])
def test_no_input_raises_a_foreign_exception_or_takes_long(name: str, tmp_path: Path) -> None:
    with new_archive(tmp_path / "a") as archive:
        certificate = derive_certificate(archive, capture_of(archive, LOOKS, INTENT))
    target = {
        "certificate": Target([b"".join(certificate_to_json(certificate))], WORDS, put_certificate),
        "part": Target(list(render_parts(certificate)), WORDS, put_part),
        "intent": Target(list(INTENT.render_notes()), WORDS, put_intent),
    }[name]
    tally = fuzz(name, target, 7, range(1500))
    assert list(tally.examples.values()) == []
    assert (tally.inputs, tally.foreign, tally.hangs) == (1500, 0, 0)
    assert 0 < tally.refused < tally.inputs
