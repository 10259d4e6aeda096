"""Packages tampered with: a selection of what `bench.evidence_tampering` puts to the test, and what is said of each."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from bench.evidence_alterations import STAMP
from bench.evidence_forgery import compute_key
from bench.evidence_package import DIGEST_FILE
from bench.evidence_tampering import TamperingLab

from webkeep.evidence.verification import PackageVerdict, describe_verdict, verify_package


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> TamperingLab:
    return TamperingLab(tmp_path_factory.mktemp("tampering"))


def codes(verdict: PackageVerdict) -> set[str]:
    return {each.code for each in verdict.findings}


def test_nothing_that_was_altered_is_accepted_and_nothing_sound_refused(lab: TamperingLab) -> None:
    outcome = lab.run(share=23)
    assert outcome.accepted == ()
    assert outcome.sound_refused == ()
    assert outcome.tamperings > 50
    assert outcome.sound >= 14


def test_a_sound_package_is_told_with_all_that_it_proves(lab: TamperingLab) -> None:
    verdict = verify_package(lab.path, lab.trust)
    words = "\n".join(describe_verdict(verdict))
    assert verdict.is_sound
    assert verdict.signature is not None
    assert verdict.signature.fingerprint == lab.sealer.key.public.fingerprint
    assert verdict.since == verdict.stamps[0].stamp.moment
    assert [(each.parts, each.proven) for each in verdict.coherence] == [(3, 3)]
    assert verdict.log is not None
    assert (verdict.log.is_signed, verdict.log.included) == (True, 8)
    for expected in ("Whole: every byte is as it was signed", "the key that was asked for", "There since", "3 of 3"):
        assert expected in words
    assert json.loads(json.dumps(verdict.to_dict()))["sound"] is True


def test_a_key_of_ones_own_names_nobody_and_it_says_so(lab: TamperingLab) -> None:
    words = "\n".join(describe_verdict(verify_package(lab.path, replace(lab.trust, keys=()))))
    assert "a key of one's own, which names nobody" in words


def test_another_key_is_told_and_refused_where_one_was_asked_for(lab: TamperingLab) -> None:
    data = lab.altered.resign(lab.parts)
    assert "signature-key" in codes(lab.judge(data))
    stranger = lab.altered.stranger
    unasked = replace(lab.trust, keys=(), stampers=(stranger.authority.root.certificate,))
    verdict = lab.judge(data, unasked)
    assert verdict.is_sound
    assert verdict.signature is not None
    assert verdict.signature.fingerprint == stranger.key.public.fingerprint != lab.sealer.key.public.fingerprint


def test_an_old_stamp_does_not_date_new_content_under_a_key_made_for_it(lab: TamperingLab) -> None:
    """The signature, and a stamp of it alone, stay as they were; content and key are another's."""
    changed = lab.parts.put({"evidence/cover.html": b"<h1>It never stood there</h1>"}).rehash()
    value = changed.json(DIGEST_FILE)
    value["signedData"]["publicKey"] = compute_key(value["hash"].encode(), value["signedData"]["signature"])
    forged = changed.put({DIGEST_FILE: json.dumps(value, indent=2).encode()})
    unasked = replace(lab.trust, keys=())
    verdict = lab.judge(forged.build(), unasked)
    assert verdict.signature is not None
    assert verdict.signature.is_valid  # this is what makes it dangerous
    assert codes(verdict) == {"stamp-request", "stamp-missing"}
    assert verdict.since is None


def test_without_a_signature_nothing_is_believed(lab: TamperingLab) -> None:
    bare = {name: lab.parts.json(DIGEST_FILE)[name] for name in ("path", "hash")}
    parts = lab.parts.drop(f"{STAMP}-tsq", f"{STAMP}-tsr").put({DIGEST_FILE: json.dumps(bare).encode()})
    verdict = lab.judge(parts.build(), replace(lab.trust, needs_stamp=False, keys=()))
    assert codes(verdict) == {"signature-missing"}
    assert "Signed by nobody." in list(describe_verdict(verdict))


def test_a_warc_file_is_read_and_nobody_signed_it(lab: TamperingLab, tmp_path: Path) -> None:
    name = next(each for each in lab.parts.files if each.startswith("archive/"))
    path = tmp_path / "records.warc.gz"
    path.write_bytes(lab.parts.files[name])
    trust = replace(lab.trust, needs_stamp=False, keys=())
    assert codes(verify_package(path, trust)) == {"signature-missing"}
    will_do = replace(trust, needs_signature=False)
    whole = verify_package(path, will_do)
    assert whole.is_sound
    assert whole.records == 9
    assert [(each.parts, each.proven) for each in whole.coherence] == [(3, 3)]
    path.write_bytes(path.read_bytes()[:-40])
    assert not verify_package(path, will_do).is_sound


def test_each_kind_of_change_has_its_own_code(lab: TamperingLab) -> None:
    parts = lab.parts
    for expected, data in {
        "wacz-digest": parts.put({"evidence/cover.html": b"<h1>What was not</h1>!"}).build(),
        "wacz-unlisted": parts.put({"evidence/more.txt": b"more"}).build(),
        "wacz-missing": parts.drop("evidence/cover.html").build(),
        "signature-digest": parts.put({"datapackage.json": parts.files["datapackage.json"] + b" "}).build(),
        "stamp-stray": parts.put({"stamps/note": b"of nobody"}).build(),
        "zip-hidden": b"before" + lab.path.read_bytes(),
        "package-unreadable": lab.path.read_bytes()[:5000],
        "evidence-certificate": lab.altered.resign(
            parts.put({"evidence/certificate.json": b"{}"}).rehash(), lab.sealer
        ),
    }.items():
        assert expected in codes(lab.judge(data)), expected


def test_a_file_far_larger_than_it_is_packed_costs_no_memory(lab: TamperingLab, tmp_path: Path) -> None:
    path = tmp_path / "bomb.wacz"
    path.write_bytes(lab.path.read_bytes())
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("archive/bomb.warc.gz", bytes(30 << 20))
    assert {"zip-ratio"} <= codes(verify_package(path, lab.trust))
