"""How much two texts share: the worked examples of shingles and of signatures."""

import json
from collections import Counter
from pathlib import Path

import pytest

from webkeep.change.detection import jaccard_similarity, word_shingles
from webkeep.change.detection.minhash import hash_functions, minhash_signature, signature_similarity
from webkeep.change.detection.shingles import character_bag, character_shingles
from webkeep.errors import UsageError

CASE = json.loads((Path(__file__).parents[2] / "data/coherence/rates.json").read_text())["minhash"]
COLUMNS = [{row for row, held in enumerate(column) if held} for column in CASE["columns"]]
HASHES = [values.__getitem__ for values in CASE["hashes"]]


def test_runs_of_characters_and_words() -> None:
    assert character_shingles("abcab", 2) == {"ab", "bc", "ca"}
    assert character_bag("abcab", 2) == Counter(ab=2, bc=1, ca=1)
    assert word_shingles("To be, or NOT to be", 2) == {"to be", "be or", "or not", "not to"}


def test_short_texts_are_one_shingle_and_empty_ones_none() -> None:
    assert word_shingles("three words only") == {"three words only"}
    assert word_shingles("") == frozenset()
    assert jaccard_similarity(word_shingles(""), word_shingles("")) == 1
    with pytest.raises(UsageError, match="holds nothing"):
        character_shingles("abc", 0)


def test_likeness_is_what_is_shared_of_what_there_is() -> None:
    assert jaccard_similarity(set("abcde"), set("cdefgh")) == 3 / 8
    assert jaccard_similarity({1, 2, 4}, {0, 2, 4, 5}) == 2 / 5


def test_signatures() -> None:
    assert [list(minhash_signature(column, HASHES)) for column in COLUMNS] == CASE["signatures"]
    assert minhash_signature(set(), HASHES) == (-1, -1, -1)


@pytest.mark.parametrize("pair", CASE["pairs"], ids=lambda pair: str(pair["columns"]))
def test_likeness_of_columns_and_of_their_signatures(pair: dict[str, list[int]]) -> None:
    one, other = (COLUMNS[number] for number in pair["columns"])
    assert jaccard_similarity(one, other) == pair["sets"]
    told = signature_similarity(minhash_signature(one, HASHES), minhash_signature(other, HASHES))
    assert told == pytest.approx(pair["signatures"], abs=1e-6)


def test_functions_are_the_same_every_time() -> None:
    values = [[function(5) for function in hash_functions(4)] for _ in range(2)]
    assert values[0] == values[1]
    assert len(set(values[0])) == 4
