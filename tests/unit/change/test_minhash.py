"""Sketches of texts: what they estimate, how well, and of what texts they are made."""

import random
import re
from collections.abc import Sequence

import pytest

from webkeep.change.detection import PageFingerprint, fingerprint_page, jaccard_similarity
from webkeep.change.detection.minhash import (
    SKETCH_HASHES,
    estimate_resemblance,
    sample_hashes,
    sketch_lines,
    split_pieces,
    standard_error,
)
from webkeep.document import PageContent

LINES = [f"line {number} of a text that has many of them" for number in range(3000)]


@pytest.mark.parametrize("shared", [0, 300, 1000, 1500, 1900])
def test_estimates_are_within_their_standard_error(shared: int) -> None:
    first, second = LINES[:2000], LINES[2000 - shared :][:2000]
    exact = jaccard_similarity(set(first), set(second))
    errors = []
    for seed in range(60):
        draw = random.Random(seed)
        words = {line: f"{line} {draw.random()}" for line in LINES}  # other hashes every time
        one, other = (sketch_lines([words[line] for line in lines]) for lines in (first, second))
        errors.append(estimate_resemblance(one, other) - exact)
    mean_square = sum(error * error for error in errors) / len(errors)
    assert mean_square**0.5 <= 1.2 * standard_error(exact)
    assert abs(sum(errors) / len(errors)) <= 3 * standard_error(exact) / len(errors) ** 0.5


def test_short_texts_are_compared_exactly() -> None:
    few = SKETCH_HASHES // 2
    assert estimate_resemblance(sketch_lines(LINES[:few]), sketch_lines(LINES[1 : few + 1])) == (few - 1) / (few + 1)
    assert estimate_resemblance(sketch_lines([]), sketch_lines([])) == 1
    assert estimate_resemblance(sketch_lines([]), sketch_lines(LINES)) == 0


@pytest.mark.parametrize("pieces", [SKETCH_HASHES - 1, SKETCH_HASHES, SKETCH_HASHES + 1, 127, 128, 129, 200])
def test_texts_kept_whole_and_texts_kept_in_part_are_compared_with_each_other(pieces: int) -> None:
    errors = []
    for seed in range(40):
        draw = random.Random(seed)
        lines = [f"{line} {draw.random()}" for line in LINES[: pieces + 20]]
        errors.append(estimate_resemblance(sketch_lines(lines[:pieces]), sketch_lines(lines[10 : pieces + 10])))
        assert errors[-1] == estimate_resemblance(sketch_lines(lines[10 : pieces + 10]), sketch_lines(lines[:pieces]))
    exact = (pieces - 10) / (pieces + 10)
    assert abs(sum(errors) / len(errors) - exact) <= 3 * standard_error(exact) / len(errors) ** 0.5
    longer = sketch_lines(lines[: pieces + 20])
    shared = estimate_resemblance(sketch_lines(lines[:pieces]), longer)
    assert abs(shared - pieces / (pieces + 20)) <= 4 * standard_error(pieces / (pieces + 20))


def test_a_sample_is_of_one_size() -> None:
    few, whole, part = (sketch_lines(LINES[:count]) for count in (40, 128, 500))
    assert [len(sample_hashes(each)) for each in (few, whole, part)] == [40, SKETCH_HASHES, SKETCH_HASHES]
    assert sample_hashes(part) == {part[at : at + 4] for at in range(0, len(part), 4)}


def test_labels_count_only_where_there_is_nothing_else() -> None:
    assert sketch_lines(["Home", "News", LINES[0]]) == sketch_lines([LINES[0]])
    assert sketch_lines(["Home", "News"]) != sketch_lines(["Home"])


@pytest.mark.parametrize("alphabet", ["abcdefghijklmnopqrstuvwxyz    ", "的一是在不了有和人这中大为上个国我以要他"])
def test_long_lines_are_cut_where_their_own_letters_say_so(alphabet: str) -> None:
    text = "".join(random.Random(4).choices(alphabet, k=40_000))
    pieces, shifted = (
        set(split_pieces([text])),
        set(split_pieces([f"new {text[:20_000]} words {text[20_000:]}"])),
    )
    assert len(pieces) > 50
    assert jaccard_similarity(pieces, shifted) > 0.9
    assert max(map(len, pieces)) <= 1000


@pytest.mark.parametrize("values", [range(256), range(0x61, 0x7B), (0, 3, 0x14, 0x8A, 0x90), (0x42, 0x22)])
def test_lines_are_cut_behind_every_two_bytes_that_say_so(values: Sequence[int]) -> None:
    first, second = (
        b"".join(re.escape(bytes([value])) for value in range(256) if value * factor % 256 < 23) for factor in (167, 91)
    )
    behind_both = re.compile(b"(?<=[" + first + b"][" + second + b"])", re.DOTALL)
    for seed in range(30):
        line = bytes(random.Random(seed).choices(values, k=3000 + seed)).decode("latin-1").encode()
        parts = behind_both.split(line)
        expected = [part[start : start + 1000] for part in parts for start in range(0, len(part), 1000)]
        assert split_pieces([line.decode()]) == expected


def test_a_text_without_any_place_to_cut_is_cut_all_the_same() -> None:
    assert len(list(split_pieces(["a" * 1_000_000]))) == 1000


def test_fingerprints_survive_being_packed() -> None:
    found = fingerprint_page(PageContent(LINES, LINES[:5], ["/a", "/b", "/a"]))
    assert PageFingerprint.unpack(found.pack()) == found
    assert found.links == fingerprint_page(PageContent([], None, ["/b", "/a"])).links
    empty = fingerprint_page(PageContent([], None, []))
    assert not empty.has_text
    assert PageFingerprint.unpack(empty.pack()) == empty
