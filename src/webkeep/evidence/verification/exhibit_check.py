"""Files of a package that follow from others in it: exhibits are what the records hold, WARC files those that the facts
name, and the custody log is a chain whose files are there as they were written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from webkeep.evidence.package.exhibit_files import EXHIBIT_START, HTML_ENDING
from webkeep.evidence.package.page_file import FILE_ENDING
from webkeep.evidence.verification.claims_check import CLAIMS_PATH
from webkeep.evidence.verification.page_claims import list_pages
from webkeep.evidence.verification.record_check import PartDigests
from webkeep.evidence.verification.verdict import CoherenceJudgement
from webkeep.formats import Flaws, has_twin_keys, read_json

CUSTODY_PATH = "evidence/custody.jsonl"
_FOLDER = "evidence/"
_OF_RECORDS = ("archive/", "indexes/", "pages/", "log/")
"""Folders of files that are the records, or follow from them."""
_NO_DIGEST = "0" * 64
"""What stands for the line before the first."""
_EMPTY_DIGEST = hashlib.sha256().hexdigest()
"""Of a part that could not be made: there is no file of it."""


def check_exhibits(
    facts: Mapping[str, Any], digests: Mapping[str, str], parts: PartDigests, source: str, flaws: Flaws
) -> None:
    """Report pictures, PDF and text that are not what the records hold, by the SHA-256 of all files of the package."""
    known = dict(_list_exhibits(facts, parts))
    for path, digest in digests.items():
        if not path.startswith(_FOLDER + EXHIBIT_START):
            continue
        if path.endswith(HTML_ENDING) and path.removesuffix(HTML_ENDING) in _name_exhibits(facts):
            continue  # made of many records; what it lacks is told in the facts
        if known.get(path) != digest:
            flaws.report("evidence-exhibit", source, 0, f"{path[:200]!r} is not what its records hold")
    for path in known.keys() - digests.keys():
        flaws.report("evidence-exhibit", source, 0, f"{path[:200]!r} is missing, which its records hold")
    for path, stated in _list_stated(facts):
        if stated != known.get(path):
            flaws.report(
                "evidence-facts", source, 0, f"{CLAIMS_PATH} says of {path[:200]!r} what its records do not say"
            )
    _check_records(facts, digests, source, flaws)


def check_custody(
    data: bytes, digests: Mapping[str, str], proofs: Collection[CoherenceJudgement], source: str, flaws: Flaws
) -> None:
    """Report a custody log that is no chain, that says of a file or a capture what it is not, or leaves a file out."""
    before, proven = _NO_DIGEST, {each.capture: (each.parts, each.proven) for each in proofs}
    untold = {path for path in digests if path != CUSTODY_PATH and not path.startswith(_OF_RECORDS)}
    for number, line in enumerate(data.splitlines(), 1):
        value = read_json(line)
        if not isinstance(value, dict) or value.get("previous") != before or has_twin_keys(line):
            message = f"line {number} of {CUSTODY_PATH} does not follow the one before: the log was changed"
            flaws.report("evidence-custody", source, number, message)
            return
        before = hashlib.sha256(line).hexdigest()
        if value.get("action") == "written" and digests.get(f"{_FOLDER}{value.get('file')}") != value.get("sha256"):
            message = f"{str(value.get('file'))[:200]!r} is not as it was written, by {CUSTODY_PATH}"
            flaws.report("evidence-custody", source, number, message)
        untold.discard(f"{_FOLDER}{value.get('file')}" if value.get("action") == "written" else "")
        stated = value.get("parts"), value.get("proven")
        if value.get("action") == "captured" and proven.get(str(value.get("capture")), stated) != stated:
            message = f"line {number} of {CUSTODY_PATH} says of a capture what its records do not prove"
            flaws.report("evidence-custody", source, number, message)
    for path in sorted(untold):
        flaws.report("evidence-custody", source, 0, f"{path[:200]!r} was never written, by {CUSTODY_PATH}")


def _list_exhibits(facts: Mapping[str, Any], parts: PartDigests) -> Iterator[tuple[str, str]]:
    """The files that pages have by the records, and their digests."""
    for page in list_pages(facts):
        for ending, digest in parts.get((str(page.get("capture")), str(page.get("page"))), {}).items():
            is_file = ending.startswith(FILE_ENDING)
            # Packages of before have no files; those that have say so.
            if isinstance(page.get("file"), dict) if is_file else digest != _EMPTY_DIGEST:
                yield f"{_FOLDER}{page.get('name')}{ending}", digest


def _list_stated(facts: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """The digests that the facts state of files which were asked for as pages."""
    for page in list_pages(facts):
        file = page.get("file")
        if isinstance(file, dict):
            yield f"{_FOLDER}{file.get('name')}", file.get("sha256")


def _name_exhibits(facts: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(f"{_FOLDER}{page.get('name')}" for page in list_pages(facts))


def _check_records(facts: Mapping[str, Any], digests: Mapping[str, str], source: str, flaws: Flaws) -> None:
    listed = facts.get("records")
    if not isinstance(listed, list):
        return
    named = {str(each.get("path")): each.get("sha256") for each in listed if isinstance(each, dict)}
    held = {path: digest for path, digest in digests.items() if path.startswith("archive/")}
    if named != held:
        flaws.report("evidence-facts", source, 0, f"the WARC files are not those that {CLAIMS_PATH} names")
