"""How fast and how well texts are compared: MinHash sketches beside exact resemblance, and near duplicates among very
many documents, of which it is known which are alike.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator

from bench.measuring import run_module, say
from webkeep.change.detection import NearDuplicates, jaccard_similarity
from webkeep.change.detection.minhash import estimate_resemblance, sketch_lines, split_pieces, standard_error
from webkeep.change.detection.shingles import SAME_TEXT_SIMILARITY, text_resemblance

_WORDS = 5000
_LINES = 200
"""Of a text: more than are kept whole, so that there is something to estimate."""
_COPIES = 4
"""Versions of each document that has any: every tenth."""


def measure_texts(quick: bool) -> dict[str, object]:
    """The figures of sketches and of near duplicates."""
    documents = 10_000 if quick else 1_000_000
    run = run_module("bench.quality_texts", documents)
    say(f"{documents:,} documents searched in {run.seconds:.0f} s with {run.rss_mb:.0f} MB: {run.facts}")
    return {**measure_sketches(quick), **run.facts, "near_rss_mb": run.rss_mb}


def measure_sketches(quick: bool) -> dict[str, object]:
    """How many megabytes of text are sketched in a second on one core, and how far estimates are off."""
    draw = random.Random(20)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 10))) for _ in range(_WORDS)]
    texts = [
        [" ".join(draw.choices(words, k=draw.randint(3, 60))) for _ in range(_LINES)]
        for _ in range(25 if quick else 200)
    ]
    size = sum(len(line.encode()) for lines in texts for line in lines)
    rounds = []
    for _ in range(3 if quick else 9):
        began = time.process_time()
        for lines in texts:
            sketch_lines(lines)
        rounds.append(size / (time.process_time() - began) / 1e6)
    errors, by_words = [], []
    for lines in texts:
        for kept in (_LINES * percent // 100 for percent in (95, 80, 50, 20)):
            other = lines[:kept] + [" ".join(draw.choices(words, k=30)) for _ in range(_LINES - kept)]
            pieces = [set(split_pieces(each)) for each in (lines, other)]
            exact = jaccard_similarity(*pieces)
            estimate = estimate_resemblance(sketch_lines(lines), sketch_lines(other))
            errors.append(((estimate - exact) / standard_error(exact)) ** 2)
            by_words.append(abs(exact - text_resemblance("\n".join(lines), "\n".join(other))))
    return {
        "minhash_mb_per_s": round(sorted(rounds)[len(rounds) // 2], 1),
        "resemblance_error": round((sum(errors) / len(errors)) ** 0.5, 3),
        "pieces_vs_ten_word_shingles": round(sum(by_words) / len(by_words), 3),
    }


def _documents(count: int) -> Iterator[tuple[int, bytes]]:
    """Sketches of documents, each with the number of what it is a version of."""
    made = number = 0
    while made < count:
        lines = [f"document {number} says in its line {line} what no other says there" for line in range(80)]
        for copy in range(_COPIES if number % 10 == 0 else 1):
            if made == count:
                return
            lines[copy] = f"version {copy} of document {number} differs in this line"
            yield number, sketch_lines(lines)
            made += 1
        number += 1


def _search(count: int) -> dict[str, object]:
    found = NearDuplicates()
    origins = []
    for number, sketch in _documents(count):
        origins.append(number)
        found.add(sketch)
    began = time.process_time()
    groups = found.groups()
    wrong = sum(len({origins[page] for page in group}) > 1 for group in groups)
    versions = sum(number % 10 == 0 for number in origins)
    grouped = sum(len(group) for group in groups)
    return {
        "near_documents": count,
        "near_recall": round(grouped / max(versions, 1), 4),
        "near_wrong_groups": wrong,
        "near_threshold": SAME_TEXT_SIMILARITY,
        "near_join_s": round(time.process_time() - began, 1),
    }


if __name__ == "__main__":
    print(json.dumps(_search(int(sys.argv[1]))))
