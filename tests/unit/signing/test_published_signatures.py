"""What others signed and published: a domain's signature with a certificate of a public authority, dated by another;
and those of people's own keys, made in browsers.
"""

import base64
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from webkeep.evidence.verification.signature_check import SealedManifest, check_signature, trust_certificate
from webkeep.evidence.verification.stamp_check import StampCheck
from webkeep.evidence.verification.verification_request import PackageTrust
from webkeep.formats import Flaws
from webkeep.formats.wacz import read_signed_data
from webkeep.model import Moment
from webkeep.signing import StampFlaw, StampVerifier, TimeStamp, parse_certificates, public_authorities

VECTOR = Path(__file__).parents[2] / "data/wacz_auth/domain_and_stamp.json"
OWN_KEY = VECTOR.with_name("own_key_and_manifest.json")
NOW = Moment.parse("2026-11-01T00:00:00Z")
"""Years after it was signed: the domain's certificate and the authority's ran out."""
STAMPED = Moment.parse("2022-05-31T15:15:24Z")


@pytest.fixture
def published() -> SimpleNamespace:
    value = json.loads(VECTOR.read_text("utf-8"))
    signed = read_signed_data(value["signedData"])
    chain = parse_certificates(signed.timestamp_cert)
    digest_file = json.dumps({"path": "datapackage.json", "hash": signed.hash, "signedData": value["signedData"]})
    return SimpleNamespace(signed=signed, chain=chain, stamp=base64.b64decode(signed.time_signature), value=value,
                           sealed=SealedManifest(b"{}", digest_file.encode()))  # fmt: skip


def trust(*authorities: object) -> PackageTrust:
    return PackageTrust(NOW, public_authorities(), (*public_authorities(), *authorities))


def test_it_is_right_by_whom_and_since_when(published: SimpleNamespace) -> None:
    flaws = Flaws()
    checked = check_signature(published.sealed, trust(published.chain[-1]), "a.wacz", flaws)
    assert checked is not None
    assert checked.judgement.is_valid
    (found,) = StampCheck(trust(published.chain[-1]), None, "a.wacz", flaws).check_signature_stamp(checked)
    assert (found.stamp.moment, found.stamp.authority) == (STAMPED, "www.freetsa.org")
    judged = trust_certificate(checked, trust(), found.stamp.moment, "a.wacz", flaws)
    assert (judged.name, judged.names_holder) == ("org1.authsign.stg.starlinglab.org", True)
    # The package that it is of was not published: its manifest is missing here, and nothing else is wrong.
    assert {each.code for each in flaws.findings} == {"signature-digest", "signature-fields"}


def test_a_certificate_that_ran_out_counts_for_nothing_without_its_stamp(published: SimpleNamespace) -> None:
    flaws = Flaws()
    checked = check_signature(published.sealed, trust(), "a.wacz", Flaws())
    assert checked is not None
    assert not trust_certificate(checked, trust(), None, "a.wacz", flaws).is_trusted
    (finding,) = flaws.findings
    assert finding.code == "signature-certificate"
    assert "a certificate of its chain was not valid then" in finding.message


def test_an_authority_that_browsers_do_not_know_is_told_with_what_to_do(published: SimpleNamespace) -> None:
    message = published.signed.signature.encode()
    unknown = StampVerifier(public_authorities(), NOW).verify(published.stamp, message, chain=published.chain)
    assert isinstance(unknown, StampFlaw)
    assert unknown.code == "stamp-authority"
    assert "leads to no authority that is trusted here; give its certificates by --tsa-ca FILE" in unknown.meaning
    known = StampVerifier((published.chain[-1],), NOW)
    assert isinstance(known.verify(published.stamp, message, chain=published.chain), TimeStamp)
    other = known.verify(published.stamp, message + b" ", chain=published.chain)
    assert isinstance(other, StampFlaw)
    assert other.code == "stamp-digest"


@pytest.mark.parametrize("field", ["hash", "signature", "domainCert"])
def test_what_is_moved_or_changed_is_wrong(field: str, published: SimpleNamespace) -> None:
    signed = dict(published.value["signedData"])
    changed = {
        "hash": f"sha256:{'0' * 64}",
        "signature": signed["signature"].replace("MEQCIAdA", "MEQCIAdB"),
        "domainCert": signed["timestampCert"],
    }
    other = signed | {field: changed[field]}
    digest_file = json.dumps({"path": "datapackage.json", "hash": signed["hash"], "signedData": other})
    flaws = Flaws()
    checked = check_signature(SealedManifest(b"{}", digest_file.encode()), trust(), "a.wacz", flaws)
    assert checked is not None
    assert not checked.judgement.is_valid
    assert "signature-wrong" in {each.code for each in flaws.findings}


def test_a_manifest_that_a_browser_signed_is_right_in_every_field() -> None:
    """Of ArchiveWeb.page 1.0.0: manifest, digest, key, signature, moment and software belong together."""
    value = json.loads(OWN_KEY.read_text("utf-8"))
    sealed = SealedManifest(value["manifest"].encode(), json.dumps(value["digest_file"]).encode())
    flaws = Flaws()
    checked = check_signature(sealed, trust(), "a.wacz", flaws)
    assert checked is not None
    assert flaws.findings == []
    judged = checked.judgement
    assert (judged.is_valid, judged.name, judged.names_holder) == (True, "", False)
    assert judged.created == Moment.parse("2022-12-12T11:35:44.041Z")
    changed = SealedManifest(value["manifest"].replace("My Web", "No Web").encode(), sealed.digest_file)
    check_signature(changed, trust(), "a.wacz", flaws)
    assert [each.code for each in flaws.findings] == ["signature-digest"]
    signed = value["digest_file"]["signedData"]
    for field, other in (("created", "2021-12-12T11:35:44.041Z"), ("hash", f"sha256:{'0' * 64}")):
        moved = {**value["digest_file"], "signedData": {**signed, field: other}}
        flaws = Flaws()
        check_signature(SealedManifest(sealed.manifest, json.dumps(moved).encode()), trust(), "a.wacz", flaws)
        assert flaws.findings, field
