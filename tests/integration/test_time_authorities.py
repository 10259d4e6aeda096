"""Time-stamping authorities on loopback: an honest one that OpenSSL agrees with, and one that lies in every way."""

import json
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from bench.time_authority import Lie, TimeAuthority, serve_authority

from webkeep.clock import SystemClock
from webkeep.evidence.sealing import (
    AuthorityClient,
    StampAnswer,
    StampFailure,
    name_authority,
    read_stamp_files,
    sign_package,
    stamp_package,
)
from webkeep.fetch import FetchLimits, FetchSettings
from webkeep.formats.wacz import WaczDescription, WaczWriter
from webkeep.model import Moment
from webkeep.signing import SigningIdentity, StampFlaw, StampVerifier, TimeStamp, build_stamp_request, open_own_key

SETTINGS = FetchSettings(connections=4, connections_per_host=4)
QUICK = FetchLimits(connect_seconds=5, seconds=2, size=256 << 10)
CODES = {
    Lie.WRONG_NONCE: "stamp-nonce",
    Lie.NO_NONCE: "stamp-nonce",
    Lie.WRONG_DIGEST: "stamp-digest",
    Lie.REPLAYED: "stamp-nonce",
    Lie.EXPIRED: "stamp-certificate",
    Lie.NOT_YET_VALID: "stamp-certificate",
    Lie.WRONG_PURPOSE: "stamp-certificate",
    Lie.FUTURE: "stamp-future",
    Lie.REFUSED: "stamp-refused",
    Lie.GARBAGE: "stamp-unreadable",
    Lie.EMPTY: "stamp-unreadable",
    Lie.TRUNCATED: "stamp-unreadable",
    Lie.OTHER_CHAIN: "stamp-authority",
    Lie.FORGED: "stamp-signature",
    Lie.FAMOUS: "stamp-certificate",
    Lie.ERROR_PAGE: "stamp-unreachable",
    Lie.ENDLESS: "stamp-unreachable",
    Lie.HANGS: "stamp-unreachable",
}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> TimeAuthority:
    return TimeAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "evidence.wacz"
    with path.open("wb") as stream, WaczWriter(stream, SystemClock().now(), WaczDescription(title="a")) as writer:
        writer.add_warc("a.warc.gz", [b"bytes"])
    sign_package(path, SigningIdentity(open_own_key(path=tmp_path / "key.pem")))
    yield path
    assert not list(tmp_path.glob(".*"))


def verifier(authority: TimeAuthority) -> StampVerifier:
    return StampVerifier((authority.root.certificate,), SystemClock().now())


def test_a_package_is_stamped_and_openssl_agrees(authority: TimeAuthority, package: Path, tmp_path: Path) -> None:
    client = AuthorityClient(verifier(authority), SETTINGS)
    with serve_authority(authority) as first, serve_authority(authority) as second:
        result = stamp_package(package, [first, second], client)
    assert [each.stamp.authority for each in result.answers] == ["stamps.test", "stamps.test"]
    assert not result.failures
    assert result.gap_seconds is not None
    assert 0 <= result.gap_seconds < 60
    files = read_stamp_files(package)
    assert sorted(files) == [
        "datapackage-digest.json",
        "stamps/001-127-0-0-1.tsq",
        "stamps/001-127-0-0-1.tsr",
        "stamps/002-127-0-0-1.tsq",
        "stamps/002-127-0-0-1.tsr",
    ]
    (tmp_path / "stamps").mkdir()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    words = ["openssl", "ts", "-verify", "-CAfile", str(authority.root_path)]
    for name in ("stamps/001-127-0-0-1", "stamps/002-127-0-0-1"):
        for what in (["-data", "datapackage-digest.json"], ["-queryfile", f"{name}.tsq"]):
            done = subprocess.run([*words, *what, "-in", f"{name}.tsr"], cwd=tmp_path, capture_output=True, check=False)
            assert b"Verification: OK" in done.stdout, done.stderr


@pytest.mark.parametrize("lie", Lie, ids=lambda lie: lie.name.lower())
def test_a_lying_authority_gives_no_stamp(lie: Lie, authority: TimeAuthority, package: Path) -> None:
    before = package.read_bytes()
    client = AuthorityClient(verifier(authority), SETTINGS, QUICK)
    with serve_authority(authority, lie) as address:
        result = stamp_package(package, [address], client)
    assert not result.answers
    assert [each.code for each in result.failures] == [CODES[lie]], result.failures
    assert package.read_bytes() == before


@pytest.mark.parametrize(
    "lie", sorted(set(Lie) - {Lie.ERROR_PAGE, Lie.ENDLESS, Lie.HANGS, Lie.FUTURE, Lie.FAMOUS}, key=str)
)
def test_openssl_refuses_what_we_refuse(lie: Lie, authority: TimeAuthority, tmp_path: Path) -> None:
    """All but a time in the future, of which OpenSSL does not think, and a certificate beside the one that signed, of
    which it takes no notice; so neither is proven by it.
    """
    request = build_stamp_request(b"message")
    answer = authority.answer(request, lie)
    for name, data in (("a.tsq", request), ("a.tsr", answer)):
        (tmp_path / name).write_bytes(data)
    words = ["openssl", "ts", "-verify", "-queryfile", "a.tsq", "-in", "a.tsr", "-CAfile", str(authority.root_path)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert b"Verification: OK" not in done.stdout


def test_stamps_come_from_those_who_answer(authority: TimeAuthority, package: Path) -> None:
    client = AuthorityClient(verifier(authority), SETTINGS, QUICK)
    with serve_authority(authority, Lie.HANGS) as hanging, serve_authority(authority) as honest:
        result = stamp_package(package, [hanging, honest], client)
    assert [each.authority for each in result.answers] == [honest]
    assert [each.authority for each in result.failures] == [hanging]
    with zipfile.ZipFile(package) as zipped:
        assert [name for name in zipped.namelist() if name.startswith("stamps/")] == [
            "stamps/001-127-0-0-1-tsq",
            "stamps/001-127-0-0-1-tsr",
        ]
        assert json.loads(zipped.read("datapackage-digest.json"))["signedData"]["publicKey"]


def test_a_certificate_that_ran_out_since_counts_as_of_then(authority: TimeAuthority) -> None:
    request = build_stamp_request(b"message")
    answer = authority.answer(request)
    later = replace(verifier(authority), now=SystemClock().now().plus(20 * 365 * 86400))
    assert isinstance(later.verify(answer, b"message", request), TimeStamp)


def test_a_stamp_says_what_the_authority_said(authority: TimeAuthority) -> None:
    request = build_stamp_request(b"message")
    stated = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=3)
    stamp = verifier(authority).verify(authority.sign_as_of(request, stated), b"message", request)
    assert isinstance(stamp, TimeStamp)
    assert stamp.moment == Moment.from_datetime(stated)
    assert (stamp.authority, stamp.policy, stamp.accuracy_seconds) == ("stamps.test", "1.3.6.1.4.1.55555.1", 1.0)


def test_a_request_for_something_else_is_told(authority: TimeAuthority) -> None:
    request = build_stamp_request(b"message")
    answer = authority.answer(request)
    for other in (build_stamp_request(b"another"), request[:-1], request + b"\0", b"\0"):
        flaw = verifier(authority).verify(answer, b"message", other)
        assert isinstance(flaw, StampFlaw)
        assert flaw.code == "stamp-request"
    flaw = verifier(authority).verify(answer, b"message", build_stamp_request(b"message"))
    assert isinstance(flaw, StampFlaw)
    assert flaw.code == "stamp-nonce"


def test_nobody_is_trusted_who_was_not_named(authority: TimeAuthority) -> None:
    request = build_stamp_request(b"message")
    flaw = StampVerifier((), SystemClock().now()).verify(authority.answer(request), b"message", request)
    assert isinstance(flaw, StampFlaw)
    assert flaw.code == "stamp-authority"


def test_passwords_and_keys_in_addresses_are_sent_and_never_written_down(authority: TimeAuthority) -> None:
    client = AuthorityClient(verifier(authority), SETTINGS, QUICK)
    with serve_authority(authority, login="desk:hidden-word") as plain:
        address = plain.replace("//", "//desk:hidden-word@") + "?api_key=0123456789abcdef0123456789abcdef"
        (given,) = client.ask([address, address], b"message")
        (refused,) = client.ask([plain], b"message")
    assert isinstance(given, StampAnswer)
    assert isinstance(refused, StampFailure)
    assert "status 401" in refused.meaning
    assert given.authority == name_authority(address)
    assert given.authority.startswith(plain)
    assert not any(secret in given.authority for secret in ("desk", "hidden-word", "0123456789abcdef"))
