"""Flawed WARC and ARC files: what is whole is read, what is not is reported with its code and place."""

import hashlib
import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from webkeep.errors import FormatError
from webkeep.formats import Flaws, Strictness
from webkeep.formats.warc import ArcReader, WarcReader, WarcRecord
from webkeep.model import Finding

DATA = Path(__file__).parents[2] / "data/warc"
EXPECTED: dict[str, dict[str, list[dict[str, Any]]]] = json.loads((DATA / "expected.json").read_text())

every_file = pytest.mark.parametrize("name", EXPECTED)


def reader(name: str, flaws: Flaws, start: int = 0) -> WarcReader | ArcReader:
    kind = ArcReader if ".arc" in name else WarcReader
    return kind(BytesIO((DATA / name).read_bytes()), name, flaws, start)


def taken(record: WarcRecord, how: str) -> str | None:
    """Take a block in one of the ways a block may be taken; the digest of what was had where that is all of it."""
    if how == "whole":
        return hashlib.sha1(record.read()).hexdigest()
    if how == "in part":
        next(record.chunks(), b"")
    return None


def outcomes(records: Iterator[WarcRecord], how: str) -> list[dict[str, Any]]:
    found = []
    for record in records:
        digest = taken(record, how)
        record.finish()
        outcome = {
            "url": record.url,
            "offset": record.offset,
            "length": record.length,
            "intact": record.intact,
        }
        rest = {"held": record.held} if not record.intact else {"sha1": digest} if digest else {}
        found.append(outcome | rest)
    return found


@every_file
@pytest.mark.parametrize("how", ["whole", "in part", "not at all"])
def test_what_is_whole_is_read_and_what_is_not_is_noted(name: str, how: str) -> None:
    flaws = Flaws()
    found = outcomes(iter(reader(name, flaws)), how)
    wanted = EXPECTED[name]["records"]
    if how != "whole":
        wanted = [{key: value for key, value in each.items() if key != "sha1"} for each in wanted]
    assert found == wanted
    assert [{"code": each.code, "offset": each.offset} for each in flaws.findings] == EXPECTED[name]["findings"]
    assert {each.source for each in flaws.findings} <= {name}
    assert all(each.message and "\n" not in str(each) for each in flaws.findings)


@every_file
def test_ignored_flaws_leave_the_same_records(name: str) -> None:
    flaws = Flaws(Strictness.IGNORE)
    assert outcomes(iter(reader(name, flaws)), "whole") == EXPECTED[name]["records"]
    assert flaws.findings == []


@every_file
def test_a_listener_is_told_instead(name: str) -> None:
    told: list[Finding] = []
    flaws = Flaws(listener=told.append)
    outcomes(iter(reader(name, flaws)), "not at all")
    assert [each.code for each in told] == [each["code"] for each in EXPECTED[name]["findings"]]
    assert flaws.findings == []


@every_file
def test_the_first_flaw_is_fatal_where_flaws_are(name: str) -> None:
    findings = EXPECTED[name]["findings"]
    flaws = Flaws(Strictness.FAIL)
    if not findings:
        assert outcomes(iter(reader(name, flaws)), "whole") == EXPECTED[name]["records"]
        return
    with pytest.raises(FormatError) as caught:
        outcomes(iter(reader(name, flaws)), "whole")
    assert (caught.value.source, caught.value.offset) == (name, findings[0]["offset"])
    assert f"[{findings[0]['code']}]" in str(caught.value)


@every_file
def test_each_addressable_record_is_found_by_its_place(name: str) -> None:
    for each in EXPECTED[name]["records"]:
        if each["length"]:
            record = next(iter(reader(name, Flaws(Strictness.IGNORE), each["offset"])))
            assert outcomes(iter([record]), "whole") == [each]


def test_every_file_here_is_expected() -> None:
    assert {path.name for path in DATA.iterdir()} - {"make.py", "expected.json", "__pycache__"} == set(EXPECTED)
