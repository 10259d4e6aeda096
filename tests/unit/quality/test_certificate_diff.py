"""A certificate that was kept against one that is derived: every difference is named, and damage is told."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from certified_site import DAY, Look, again, capture_of, new_archive
from webkeep.coherence.certificates import CoherenceCertificate, CoherenceVerdict
from webkeep.quality.certificates import certificate_differences, certificate_urn, read_capture_records
from webkeep.quality.certificates.certificate_records import MEDIA_TYPE, render_parts
from webkeep.quality.certificates.certification import derive_certificate
from webkeep.store.archive import WritableArchive

SITE = [Look("/a", 0), Look("/b", 10, b"b"), again("/b", 20, b"b"), again("/a", 30, b"changed")]


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[WritableArchive]:
    with new_archive(tmp_path / "a") as made:
        yield made


def keep(archive: WritableArchive, capture: str, blocks: list[bytes]) -> None:
    for block in blocks:
        archive.submit_metadata(capture, certificate_urn(capture), MEDIA_TYPE, block).result()


def found(archive: WritableArchive, blocks: Callable[[CoherenceCertificate], list[bytes]]) -> list[str]:
    """What is said where these blocks were kept."""
    capture = capture_of(archive, SITE)
    certificate = derive_certificate(archive, capture)
    keep(archive, capture, blocks(certificate))
    findings = list(certificate_differences(archive, certificate, read_capture_records(archive, capture).certificates))
    assert all(each.source.endswith(".warc.gz") and each.offset > 0 for each in findings)
    return [f"{each.code}: {each.message}" for each in findings]


def parts(certificate: CoherenceCertificate) -> list[bytes]:
    return list(render_parts(certificate))


def with_verdict(certificate: CoherenceCertificate, place: int, verdict: CoherenceVerdict) -> CoherenceCertificate:
    changed = list(certificate.resources)
    changed[place] = replace(changed[place], verdict=verdict)
    return replace(certificate, resources=tuple(changed))


def test_the_same(archive: WritableArchive) -> None:
    assert found(archive, parts) == []


def test_another_verdict(archive: WritableArchive) -> None:
    assert found(archive, lambda each: parts(with_verdict(each, 0, CoherenceVerdict.COHERENT))) == [
        "certificate-differs: http://site.example/a: verdict: kept as coherent, the records say changed"
    ]


def test_another_digest(archive: WritableArchive) -> None:
    def tampered(certificate: CoherenceCertificate) -> list[bytes]:
        resource = certificate.resources[1]
        version = replace(resource.versions[0], digest=certificate.resources[0].versions[0].digest)
        changed = (certificate.resources[0], replace(resource, versions=(version,)))
        return parts(replace(certificate, resources=changed))

    (message,) = found(archive, tampered)
    assert message.startswith("certificate-differs: http://site.example/b: versions: number 1: digest: kept as sha1:")


def test_other_figures(archive: WritableArchive) -> None:
    def tampered(certificate: CoherenceCertificate) -> list[bytes]:
        summary = replace(certificate.summary, reference=DAY.plus(7), all=replace(certificate.summary.all, firm=99))
        return parts(replace(certificate, summary=summary))

    assert found(archive, tampered) == [
        "certificate-differs: reference: kept as 2024-03-01T12:00:07Z, the records say 2024-03-01T12:00:15Z",
        "certificate-differs: all: firm: kept as 99, the records say 0",
    ]


@pytest.mark.parametrize(
    ("places", "messages"),
    [
        ((1,), ["http://site.example/a: not in the certificate that was kept, and in the records"]),
        ((0,), ["http://site.example/b: not in the certificate that was kept, and in the records"]),
        (
            (),
            [
                "http://site.example/a: not in the certificate that was kept, and in the records",
                "http://site.example/b: not in the certificate that was kept, and in the records",
            ],
        ),
    ],
)
def test_resources_left_out(archive: WritableArchive, places: tuple[int, ...], messages: list[str]) -> None:
    capture = capture_of(archive, SITE)
    certificate = derive_certificate(archive, capture)
    keep(archive, capture, parts(replace(certificate, resources=tuple(certificate.resources[each] for each in places))))
    records = read_capture_records(archive, capture)
    assert [each.message for each in certificate_differences(archive, certificate, records.certificates)] == messages


def test_resources_added(archive: WritableArchive) -> None:
    def tampered(certificate: CoherenceCertificate) -> list[bytes]:
        added = replace(certificate.resources[0], url="http://site.example/aa")
        return parts(replace(certificate, resources=(certificate.resources[0], added, certificate.resources[1])))

    assert found(archive, tampered) == [
        "certificate-differs: http://site.example/aa: in the certificate that was kept, and not in the records"
    ]


def test_resources_out_of_order(archive: WritableArchive) -> None:
    messages = found(archive, lambda each: parts(replace(each, resources=each.resources[::-1])))
    assert messages[-1].startswith(
        "certificate-damaged: the certificate that was kept is damaged: its resources are not"
    )


@pytest.mark.parametrize("damage", [lambda block: block[:-9], lambda block: block.replace(b'"kind"', b'"kidn"')])
def test_a_damaged_part(archive: WritableArchive, damage: Callable[[bytes], bytes]) -> None:
    messages = found(archive, lambda each: [parts(each)[0], damage(parts(each)[1])])
    assert len(messages) == 1
    assert messages[0].startswith("certificate-damaged: the certificate that was kept is damaged: ")


def test_a_part_is_missing(archive: WritableArchive) -> None:
    (message,) = found(archive, lambda each: parts(each)[:1])
    assert message.startswith("certificate-damaged: parts of a certificate were kept, and together they are no whole")


def test_the_last_word_counts(archive: WritableArchive) -> None:
    wrong = lambda each: parts(with_verdict(each, 0, CoherenceVerdict.COHERENT))  # noqa: E731
    assert found(archive, lambda each: [*wrong(each), *parts(each)]) == []
