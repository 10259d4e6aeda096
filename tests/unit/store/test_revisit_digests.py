"""A verification compares the payload digest of a revisit with that of the record it refers to."""

from __future__ import annotations

from pathlib import Path

import pytest
from prepare_worker_material import findings

from webkeep.formats.warc import IDENTICAL_PAYLOAD_PROFILE, NOT_MODIFIED_PROFILE, build_member, build_record_head
from webkeep.model import Digest, Headers, Moment
from webkeep.store.archive import Archive, WritableArchive

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
BODY = b"what was kept"
URL = "http://example.org/"
MOMENT = Moment.parse("2024-03-01")


def digest(data: bytes, algorithm: str = "sha1") -> str:
    return str(Digest.from_chunks(algorithm, [data]))


def member(number: int, kind: str, block: bytes, **fields: str) -> bytes:
    named = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>",
        "WARC-Target-URI": URL,
        "WARC-Date": MOMENT.plus(number * 60).iso(),
        "Content-Type": "application/http; msgtype=response",
        **{name.replace("_", "-"): value for name, value in fields.items() if value},
    }
    return build_member(build_record_head(Headers(list(named.items())), len(block)), block)


def codes(tmp_path: Path, held: str, said: str, profile: str) -> list[str]:
    """What is found in an archive of a record that names one digest and a revisit of it that names another."""
    with WritableArchive.create(tmp_path / "archive"):
        pass
    original = member(0, "response", HEAD + BODY, WARC_Payload_Digest=held)
    target = {"WARC_Refers_To_Target_URI": URL, "WARC_Refers_To_Date": MOMENT.iso()}
    revisit = member(1, "revisit", HEAD, WARC_Payload_Digest=said, WARC_Profile=profile, **target)
    (tmp_path / "archive/warcs/dropped.warc.gz").write_bytes(original + revisit)
    with Archive(tmp_path / "archive") as archive:
        return [f"{finding.code} at {finding.offset - len(original)}" for finding in findings(archive)]


@pytest.mark.parametrize("profile", [IDENTICAL_PAYLOAD_PROFILE, IDENTICAL_PAYLOAD_PROFILE.replace("1.1", "1.0")])
@pytest.mark.parametrize("said", [b"", b"something else"])
def test_another_digest_is_wrong(tmp_path: Path, said: bytes, profile: str) -> None:
    assert codes(tmp_path, digest(BODY), digest(said), profile) == ["payload-digest-wrong at 0"]


def test_another_digest_of_another_algorithm_is_wrong_too(tmp_path: Path) -> None:
    held, said = digest(BODY, "sha256"), digest(b"", "sha256")
    assert codes(tmp_path, held, said, IDENTICAL_PAYLOAD_PROFILE) == ["payload-digest-wrong at 0"]


@pytest.mark.parametrize(
    ("held", "said", "profile"),
    [
        pytest.param(digest(BODY), digest(BODY), IDENTICAL_PAYLOAD_PROFILE, id="the same"),
        pytest.param(
            digest(BODY),
            "sha1:" + Digest.from_chunks("sha1", [BODY]).hex,
            IDENTICAL_PAYLOAD_PROFILE,
            id="spelled otherwise",
        ),
        pytest.param(digest(BODY), digest(BODY, "sha256"), IDENTICAL_PAYLOAD_PROFILE, id="of another algorithm"),
        pytest.param(digest(BODY), "", IDENTICAL_PAYLOAD_PROFILE, id="not said"),
        pytest.param(digest(BODY), "sha1:no digest", IDENTICAL_PAYLOAD_PROFILE, id="not a digest"),
        pytest.param("", digest(b"decoded by other tools"), IDENTICAL_PAYLOAD_PROFILE, id="not named by the original"),
        pytest.param(digest(BODY), digest(b""), NOT_MODIFIED_PROFILE, id="nothing came"),
    ],
)
def test_what_does_not_contradict_is_right(tmp_path: Path, held: str, said: str, profile: str) -> None:
    assert codes(tmp_path, held, said, profile) == []
