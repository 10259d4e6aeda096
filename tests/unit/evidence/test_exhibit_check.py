"""Files of a package that follow from others in it, and what is said where they do not."""

import hashlib
import json
from typing import Any

from webkeep.clock import SystemClock
from webkeep.evidence.package.custody_log import CustodyLog
from webkeep.evidence.verification.exhibit_check import check_custody, check_exhibits
from webkeep.evidence.verification.verdict import CoherenceJudgement
from webkeep.formats import Flaws

WINDOW, TEXT = hashlib.sha256(b"picture").hexdigest(), hashlib.sha256(b"words").hexdigest()
NOTHING = hashlib.sha256().hexdigest()
FACTS = {
    "pages": [
        {
            "name": "page-001",
            "capture": "one",
            "page": "http://a.example/",
            "file": {"name": "page-001-file.bin", "sha256": NOTHING},
        }
    ],
    "records": [{"path": "archive/a.warc.gz", "bytes": 7, "sha256": "aa"}],
}
PAGE = "http://a.example/"
PARTS = {
    ("one", PAGE): {"-window.png": WINDOW, ".txt": TEXT, ".pdf": NOTHING, "-file.bin": NOTHING},
    ("another", PAGE): {".txt": NOTHING},
}
FILES = {
    "archive/a.warc.gz": "aa",
    "evidence/cover.html": "bb",
    "evidence/page-001-window.png": WINDOW,
    "evidence/page-001.txt": TEXT,
    "evidence/page-001-file.bin": NOTHING,
    "evidence/page-001.html": "cc",
}


def findings(files: dict[str, str], facts: Any = FACTS) -> list[str]:
    flaws = Flaws()
    check_exhibits(facts, files, PARTS, "a.wacz", flaws)
    return [f"{each.code} {each.message}" for each in flaws.findings]


def test_what_the_records_hold_is_right() -> None:
    assert findings(FILES) == []
    assert findings({"evidence/cover.html": "bb"}, {}) == [], "a package that shows nothing"


def test_another_picture_is_told() -> None:
    (told,) = findings({**FILES, "evidence/page-001-window.png": TEXT})
    assert told == "evidence-exhibit 'evidence/page-001-window.png' is not what its records hold"


def test_exhibits_of_no_record_and_missing_ones_are_told() -> None:
    (told,) = findings({**FILES, "evidence/page-002-full.png": "dd"})
    assert "'evidence/page-002-full.png' is not what its records hold" in told
    (told,) = findings({**FILES, "evidence/page-002.html": "dd"})
    assert "'evidence/page-002.html' is not what its records hold" in told
    (told,) = findings({path: digest for path, digest in FILES.items() if not path.endswith(".txt")})
    assert "'evidence/page-001.txt' is missing" in told


def test_a_file_is_what_the_records_hold_though_it_is_empty_and_so_is_what_is_said_of_it() -> None:
    (told,) = findings({path: digest for path, digest in FILES.items() if not path.endswith(".bin")})
    assert "'evidence/page-001-file.bin' is missing" in told
    (told,) = findings({**FILES, "evidence/page-001-file.exe": NOTHING})
    assert "'evidence/page-001-file.exe' is not what its records hold" in told
    page = {**FACTS["pages"][0], "file": {"name": "page-001-file.bin", "sha256": TEXT}}
    (told,) = findings(FILES, {**FACTS, "pages": [page]})
    assert told.startswith("evidence-facts evidence/evidence.json says of 'evidence/page-001-file.bin'")


def test_packages_of_before_have_no_files_of_pages() -> None:
    page = {name: value for name, value in FACTS["pages"][0].items() if name != "file"}
    files = {path: digest for path, digest in FILES.items() if not path.endswith(".bin")}
    assert findings(files, {**FACTS, "pages": [page]}) == []
    (told,) = findings(FILES, {**FACTS, "pages": [page]})
    assert "'evidence/page-001-file.bin' is not what its records hold" in told


def test_records_that_are_not_those_which_the_facts_name_are_told() -> None:
    assert [each.split()[0] for each in findings({**FILES, "archive/b.warc.gz": "aa"})] == ["evidence-facts"]
    assert [each.split()[0] for each in findings({**FILES, "archive/a.warc.gz": "bb"})] == ["evidence-facts"]


def custody_findings(data: bytes, files: dict[str, str], *proofs: CoherenceJudgement) -> list[str]:
    flaws = Flaws()
    check_custody(data, files, proofs, "a.wacz", flaws)
    return [each.message for each in flaws.findings]


def test_a_custody_log_is_a_chain_of_files_as_they_were_written() -> None:
    custody = CustodyLog(SystemClock(), "The Courier")
    custody.note("begun", seeds=["http://a.example/"])
    for name, digest in FILES.items():
        if name.startswith("evidence/"):
            custody.note("written", file=name.removeprefix("evidence/"), sha256=digest)
    custody.note("handed on to be signed")
    data = custody.render()
    assert custody_findings(data, FILES) == []
    (told,) = custody_findings(data, {**FILES, "evidence/cover.html": "dd"})
    assert "'cover.html' is not as it was written" in told
    lines = data.splitlines(keepends=True)
    for what, altered in {
        "a line left out": b"".join([lines[0], *lines[2:]]),
        "a line put in": lines[0] + lines[0] + b"".join(lines[1:]),
        "a line changed": data.replace(b"a.example", b"b.example"),
        "the first left out": b"".join(lines[1:]),
        "no JSON": b"garbage\n" + data,
        "a list": json.dumps([1]).encode() + b"\n",
    }.items():
        assert any("does not follow" in each for each in custody_findings(altered, FILES)), what


def test_a_custody_log_has_every_file_and_says_of_captures_what_they_prove() -> None:
    custody = CustodyLog(SystemClock(), "")
    custody.note("captured", capture="one", parts=3, proven=3)
    custody.note("captured", capture="of another package", parts=3, proven=3)
    data = custody.render()
    files = {"archive/a.warc.gz": "aa", "indexes/index.idx": "ii", "evidence/custody.jsonl": "cc"}
    judged = CoherenceJudgement("one", "", 3, 3, None, None)
    assert custody_findings(data, files, judged) == []
    for stray in ("evidence/expertise.pdf", "read-me-first.html"):
        (told,) = custody_findings(data, {**files, stray: "ee"}, judged)
        assert f"{stray!r} was never written" in told
    (told,) = custody_findings(data, files, CoherenceJudgement("one", "", 3, 2, None, None))
    assert "line 1 of evidence/custody.jsonl says of a capture what its records do not prove" in told
    twice = data.replace(b'"parts": 3', b'"parts": 4, "parts": 3', 1)
    assert any("does not follow" in each for each in custody_findings(twice, files, judged))
