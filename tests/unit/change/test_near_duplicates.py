"""Near duplicates: what is alike is found among what is not, however many there are of either."""

import random

from webkeep.change.detection import PageFingerprint, find_near_duplicates, fingerprint_page, seen_content_key
from webkeep.change.detection.minhash import sketch_lines
from webkeep.document import PageContent


def document(number: int, version: int = 0, size: int = 60) -> list[str]:
    lines = [f"document {number} says this in line {line}, and no other does" for line in range(size)]
    return [*lines, f"this is version {version} of document {number}, as it says itself"]


def test_versions_of_a_document_are_found_among_many() -> None:
    origins = [number for number in range(400) for _ in range(3 if number % 10 == 0 else 1)]
    random.Random(3).shuffle(origins)
    seen: dict[int, int] = {}
    sketches = []
    for origin in origins:
        seen[origin] = seen.get(origin, 0) + 1
        sketches.append(sketch_lines(document(origin, seen[origin])))
    groups = find_near_duplicates(sketches)
    assert len(groups) == 40
    assert all(len(group) == 3 and len({origins[page] for page in group}) == 1 for group in groups)


def test_many_of_the_same_take_no_longer_than_others_and_are_one_group() -> None:
    sketches = [sketch_lines(document(1))] * 5000 + [sketch_lines(document(2))]
    assert find_near_duplicates(sketches) == [list(range(5000))]


def test_pages_without_text_are_alike_to_none() -> None:
    assert find_near_duplicates([b"", b"", sketch_lines(["a text of some length, once"])]) == []


def test_half_of_it_is_not_enough() -> None:
    half = document(1)[:30] + document(2)[:30]
    assert find_near_duplicates([sketch_lines(document(1)), sketch_lines(half)]) == []


def page(lines: list[str], *links: str) -> bytes:
    return fingerprint_page(PageContent(lines, None, list(links))).pack()


def test_pages_that_differ_in_nothing_that_is_seen_are_known_by_one_key() -> None:
    assert seen_content_key(page(document(1), "/a")) == seen_content_key(page(document(1), "/a", "/a"))
    assert seen_content_key(page(document(1), "/a")) != seen_content_key(page(document(1), "/b"))
    assert seen_content_key(page(document(1))) != seen_content_key(page(document(2)))
    assert seen_content_key(page(["Loading, please wait a moment"])) == b""
    assert seen_content_key(b"") == b""
    assert len(PageFingerprint.unpack(page(document(1))).sketch) == 61 * 4
