"""Packages tampered with: a selection of what `bench.evidence_tampering` puts to the test, and what is said of each."""

import hashlib
import json
import random
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from bench.evidence_alterations import STAMP
from bench.evidence_forgery import compute_key
from bench.evidence_insider import CARRIED, CHECKPOINT, CONNECTIONS, FACTS, PROOFS, InsiderLies
from bench.evidence_package import DIGEST_FILE, Parts, build_package
from bench.evidence_tampering import TamperingLab
from bench.time_authority import make_certificate
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from webkeep.clock import SystemClock
from webkeep.evidence.package.package_seal import prove_log
from webkeep.evidence.verification import PackageVerdict, describe_verdict, verify_package
from webkeep.formats.transparency import Checkpoint, EntryList, parse_checkpoint, parse_log_proofs
from webkeep.signing import SigningIdentity, SigningKey
from webkeep.store.archive import Archive
from webkeep.store.log import KeptCheckpoint


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
    assert verdict.since == verdict.stamps[0].stamp.moment.plus(1), "its clock may be off by a second, as it says"
    assert [(each.parts, each.proven) for each in verdict.coherence] == [(3, 3)]
    assert verdict.log is not None
    assert (verdict.log.is_signed, verdict.log.included) == (True, 14)
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
    assert codes(lab.judge(data, unasked)) == {"evidence-signer"}, "the maker's key stands in what is signed"
    facts = lab.parts.json(FACTS) | {"seal": {"fingerprint": stranger.key.public.fingerprint}}
    as_theirs = lab.parts.put({FACTS: json.dumps(facts).encode()}).remake()
    verdict = lab.judge(lab.altered.resign(as_theirs), unasked)
    assert verdict.is_sound
    assert verdict.signature is not None
    assert verdict.signature.fingerprint == stranger.key.public.fingerprint != lab.sealer.key.public.fingerprint


def test_an_old_stamp_does_not_date_new_content_under_a_key_made_for_it(lab: TamperingLab) -> None:
    """The signature, and a stamp of it alone, stay as they were; content and key are another's."""
    changed = lab.parts.put({"evidence/cover.html": b"<h1>It never stood there</h1>"}).remake()
    value = changed.json(DIGEST_FILE)
    value["signedData"]["publicKey"] = compute_key(value["hash"].encode(), value["signedData"]["signature"])
    forged = changed.put({DIGEST_FILE: json.dumps(value, indent=2).encode()})
    unasked = replace(lab.trust, keys=())
    verdict = lab.judge(forged.build(), unasked)
    assert verdict.signature is not None
    assert verdict.signature.is_valid  # this is what makes it dangerous
    assert codes(verdict) == {"stamp-request", "stamp-missing", "evidence-signer"}
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
    assert whole.records == 15
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
            parts.put({"evidence/certificate.json": b"{}"}).remake(), lab.sealer
        ),
    }.items():
        assert expected in codes(lab.judge(data)), expected


def test_nothing_is_claimed_to_be_proven_that_falls_short(lab: TamperingLab) -> None:
    facts = lab.parts.json(FACTS)
    wrong: list[dict[str, object]] = [{"shortcomings": ["It never came to rest."]}, {"vantages": []}]
    for changed in wrong:
        data = lab.altered.resign(lab.parts.put({FACTS: json.dumps(facts | changed).encode()}).remake(), lab.sealer)
        assert "evidence-facts" in codes(lab.judge(data)), changed
    humble = facts | {"shortcomings": ["It never came to rest."], "is_proven": False}
    data = lab.altered.resign(lab.parts.put({FACTS: json.dumps(humble).encode()}).remake(), lab.sealer)
    assert lab.judge(data).is_sound


def test_it_says_what_no_package_can_prove(lab: TamperingLab) -> None:
    words = "\n".join(describe_verdict(verify_package(lab.path, lab.trust)))
    assert "Not proven: That its records are what servers sent: that is the word of whoever made it" in words


def test_a_certificate_that_ran_out_has_signed_before_that_only_by_a_stamp(lab: TamperingLab, tmp_path: Path) -> None:
    root = make_certificate("an authority", days=(-1, 4000))
    domain = make_certificate("archive.example", root, ExtendedKeyUsageOID.SERVER_AUTH, days=(-1, 30),
                              alternative=x509.DNSName("archive.example"))  # fmt: skip
    path = tmp_path / "certified.wacz"
    path.write_bytes(lab.parts.drop(f"{STAMP}-tsq", f"{STAMP}-tsr", FACTS).remake().build())
    lab.sealer.sign(path, SigningIdentity(SigningKey(domain.key), (domain.certificate,)))
    trust = replace(lab.trust, keys=(), signers=(root.certificate,), needs_stamp=False)
    later = replace(trust, now=trust.now.plus(60 * 86400))
    assert verify_package(path, trust).is_sound
    verdict = verify_package(path, later)
    assert codes(verdict) == {"signature-certificate"}
    assert verdict.signature is not None
    assert not verdict.signature.names_holder
    lab.sealer.stamp(path)
    assert verify_package(path, later).is_sound


def test_the_log_is_held_against_what_was_kept_elsewhere(lab: TamperingLab) -> None:
    key = lab.sealer.log_key.public.raw
    kept = KeptCheckpoint(*parse_checkpoint(lab.parts.files[CHECKPOINT]), (key,))
    verdict = verify_package(lab.path, replace(lab.trust, kept=kept))
    assert verdict.is_sound
    assert verdict.log is not None
    assert (verdict.log.is_kept, verdict.log.is_expected) == (True, True)
    assert not any("compare its checkpoint" in each for each in verdict.missing)
    other = KeptCheckpoint(*parse_checkpoint(lab.altered.other.files[CHECKPOINT]))
    assert codes(verify_package(lab.path, replace(lab.trust, kept=other))) == {"log-absent"}
    root = hashlib.sha256(b"fork").digest()
    assert kept.checkpoint is not None
    forked = Checkpoint(kept.checkpoint.origin, kept.checkpoint.size, root)
    assert "log-forked" in codes(
        verify_package(lab.path, replace(lab.trust, kept=KeptCheckpoint(forked, forked.sign(None))))
    )
    stranger = KeptCheckpoint(keys=(lab.altered.stranger.log_key.public.raw,))
    verdict = verify_package(lab.path, replace(lab.trust, kept=stranger))
    assert codes(verdict) == {"log-signature-wrong"}
    bare = lab.parts.drop(CHECKPOINT, PROOFS, CARRIED).remake()
    data = lab.altered.resign(bare, lab.sealer)
    assert "log-absent" in codes(lab.judge(data, replace(lab.trust, kept=KeptCheckpoint(keys=(key,)))))


def test_a_file_far_larger_than_it_is_packed_costs_no_memory(lab: TamperingLab, tmp_path: Path) -> None:
    path = tmp_path / "bomb.wacz"
    path.write_bytes(lab.path.read_bytes())
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("archive/bomb.warc.gz", bytes(30 << 20))
    assert {"zip-ratio"} <= codes(verify_package(path, lab.trust))


def test_of_what_cannot_be_read_nobody_says_that_nobody_signed_it(lab: TamperingLab) -> None:
    cut = "\n".join(describe_verdict(lab.judge(lab.path.read_bytes()[:5000])))
    assert "Who signed it, and since when it is there, is not known: it cannot be read." in cut
    value = lab.parts.json(DIGEST_FILE)
    value["signedData"]["publicKey"] = "AAAA"
    verdict = lab.judge(lab.parts.put({DIGEST_FILE: json.dumps(value).encode()}).build())
    told = "\n".join((cut, *describe_verdict(verdict)))
    assert "A signature is in it that cannot be checked" in told
    assert "Not proven: Who signed it: the signature that is in it cannot be checked." in told
    assert "igned by nobody" not in told
    assert "Nobody signed it" not in told


@pytest.mark.parametrize("name", ["imprint/evidence.wacz", "evidence.WACZ"])
def test_a_folder_or_package_that_was_zipped_once_more_is_to_be_unpacked(name: str, lab: TamperingLab) -> None:
    verdict = lab.judge(Parts({name: lab.path.read_bytes(), "imprint/cover.html": b""}, frozenset()).build())
    (finding,) = verdict.findings
    assert (finding.code, name in finding.message) == ("package-unreadable", True)
    assert "unpack it, and verify what is in it" in finding.message
    unpacked = Parts({f"imprint/{path}": data for path, data in lab.parts.files.items()}, frozenset())
    assert codes(lab.judge(unpacked.build())) == {"package-unreadable"}


def test_a_package_that_was_zipped_anew_by_any_program_is_whole(lab: TamperingLab, tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(lab.path) as packed:
        packed.extractall(folder)
    zipped = Path(shutil.make_archive(str(tmp_path / "anew"), "zip", folder))
    with zipfile.ZipFile(zipped) as packed:
        assert any(each.compress_type == zipfile.ZIP_DEFLATED for each in packed.infolist())
    for data in (zipped.read_bytes(), replace(lab.parts, deflated=frozenset(lab.parts.files)).build()):
        verdict, words = judge_words(lab, data)
        assert verdict.is_sound, verdict.findings
        assert "3 of 3" in words


def test_records_that_unpack_to_far_too_much_are_not_read_and_nothing_is_said_of_them(lab: TamperingLab) -> None:
    hollow = b"".join(random.Random(each).randbytes(400) + bytes(29600) for each in range(2400))
    parts = lab.parts.put({"archive/hollow.warc": hollow})
    parts = replace(parts, deflated=parts.deflated | {"archive/hollow.warc"}).remake()
    verdict, words = judge_words(lab, lab.altered.resign(parts, lab.sealer))
    (finding,) = verdict.findings
    assert finding.code == "package-records"
    assert "zip it anew (zip -0)" in finding.message
    assert "Coherence" not in words
    assert "There since" in words, "its signature and its stamp are right"


def test_what_is_stated_of_connections_and_clocks_follows_from_the_records(lab: TamperingLab) -> None:
    verdict, words = judge_words(lab, lab.path.read_bytes())
    assert verdict.clock is not None
    assert (verdict.clock.answers, verdict.clock.is_agreeing) == (6, True)
    assert "Clock: the maker's clock and those of the servers agree within 5 s by the dates of 6 answers." in words
    connections = lab.parts.json(CONNECTIONS)
    connections["exchanges"][0]["answer"][0] = "HTTP/1.1 404 Not Found"
    for name, changed in (
        (CONNECTIONS, connections),
        (FACTS, lab.parts.json(FACTS) | {"clock": None}),
        (FACTS, {name: value for name, value in lab.parts.json(FACTS).items() if name != "redacted"}),
        (FACTS, lab.parts.json(FACTS) | {"redacted": [{"place": "answer", "kind": "cookie", "values": 1}]}),
    ):
        data = lab.altered.resign(lab.parts.put({name: json.dumps(changed).encode()}).remake(), lab.sealer)
        assert codes(lab.judge(data)) == {"evidence-facts"}


def test_records_that_are_later_than_their_stamp_had_a_clock_that_was_ahead(lab: TamperingLab, tmp_path: Path) -> None:
    path = build_package(tmp_path / "ahead.wacz", lab.sealer, SystemClock().now().plus(7200))
    lab.sealer.sign(path)
    lab.sealer.stamp(path)
    verdict, words = judge_words(lab, path.read_bytes())
    assert verdict.is_sound
    assert "they are later than its time stamps; its maker's clock was ahead" in words
    assert "its maker's clock was ahead" not in judge_words(lab, lab.path.read_bytes())[1]


def judge_words(lab: TamperingLab, data: bytes) -> tuple[PackageVerdict, str]:
    verdict = lab.judge(data)
    return verdict, "\n".join(describe_verdict(verdict))


def test_many_records_are_proven_by_all_entries_of_their_log(lab: TamperingLab) -> None:
    path = lab.path.with_suffix(".work")
    with Archive(path) as archive:
        assert archive.log is not None
        proofs = prove_log(archive.log, archive.records(), lab.parts.files[CHECKPOINT], most=3)
        alone = prove_log(archive.log, archive.records(), lab.parts.files[CHECKPOINT])
    assert proofs.records == alone.records == 14
    assert len(proofs.proofs) < len(alone.proofs) / 4
    verdict = lab.judge(lab.altered.resign(lab.parts.put({PROOFS: proofs.proofs}).remake(), lab.sealer))
    assert verdict.is_sound, verdict.findings
    assert verdict.log is not None
    assert verdict.log.included == 14
    entries = parse_log_proofs(proofs.proofs)
    assert isinstance(entries, EntryList)
    swapped = entries.entries[32:64] + entries.entries[:32] + entries.entries[64:]
    for wrong in (swapped, entries.entries[:-32], entries.entries + bytes(32), b""):
        data = lab.parts.put({PROOFS: EntryList(entries.origin, wrong).to_json()}).remake()
        assert codes(lab.judge(lab.altered.resign(data, lab.sealer))) == {"log-inclusion"}
    for damaged in (entries.to_json().replace(b"=", b"!"), entries.to_json().replace(b'": 1', b'": 2'), b"[]"):
        data = lab.parts.put({PROOFS: damaged}).remake()
        assert "log-unreadable" in codes(lab.judge(lab.altered.resign(data, lab.sealer)))


def test_no_viewer_is_led_elsewhere_than_the_records_say(lab: TamperingLab) -> None:
    lies = {what: parts for what, parts in InsiderLies(lab.parts, lab.altered.other).list_all() if is_of_viewers(what)}
    assert len(lies) >= 10
    for what, parts in lies.items():
        found = codes(lab.judge(lab.altered.resign(parts.remake(), lab.sealer)))
        assert "evidence-index" in found, what


def is_of_viewers(what: str) -> bool:
    """Whether a lie is told by an index or a list of pages; of those that are told of each line, of the first alone."""
    return what.startswith(("index", "pages", "no index")) and (" line " not in what or " line 0" in what)


def test_a_package_has_the_checkpoint_and_the_name_that_it_says(lab: TamperingLab) -> None:
    parts = lab.parts.put({CARRIED: lab.altered.other.files[CARRIED]})
    assert codes(lab.judge(lab.altered.resign(parts.remake(), lab.sealer))) == {"log-signature"}
    manifest = lab.parts.files["datapackage.json"].replace(b"http://site.example/", b"http://court.example/")
    renamed = lab.parts.seal_manifest(manifest)
    assert codes(lab.judge(lab.altered.resign(renamed, lab.sealer))) == {"evidence-facts"}
