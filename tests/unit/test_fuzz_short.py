"""A little of the fuzzing that `python -m bench.fuzz` does at length, and that it would notice."""

from collections.abc import Callable
from random import Random

import pytest
from bench.fuzz import fuzz
from bench.fuzz_targets import TARGETS, Target

from webkeep.errors import FormatError


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_raises_a_foreign_exception_or_takes_long(name: str) -> None:
    tally = fuzz(name, TARGETS[name], 11, range(600))
    assert list(tally.examples.values()) == []
    assert (tally.inputs, tally.foreign, tally.hangs) == (600, 0, 0)


def test_the_same_seed_gives_the_same_inputs() -> None:
    def inputs(seed: int) -> list[bytes]:
        seen: list[bytes] = []
        fuzz("x", Target([b"abcdef" * 9], [b"word"], lambda _, data: seen.append(data)), seed, range(50))
        return seen

    assert inputs(1) == inputs(1) != inputs(2)
    assert len(set(inputs(1))) > 30


def raising(error: Exception) -> Callable[[Random, bytes], None]:
    def put(_: Random, data: bytes) -> None:
        if b"b" in data:
            raise error

    return put


def test_foreign_exceptions_are_counted_and_our_own_are_not() -> None:
    tally = fuzz("x", Target([b"abc"], [b"b"], raising(KeyError("b"))), 1, range(100))
    assert tally.foreign > 50
    (example,) = tally.examples.values()
    assert "KeyError" in example
    tally = fuzz("x", Target([b"abc"], [b"b"], raising(FormatError("b"))), 1, range(100))
    assert (tally.foreign, tally.refused > 50) == (0, True)


def test_what_does_not_end_is_stopped_and_counted() -> None:
    def put(_: Random, data: bytes) -> None:
        while data:
            pass

    tally = fuzz("x", Target([b"abc"], [b"b"], put), 1, range(3), seconds=0.05)
    assert tally.hangs > 0
    assert tally.foreign == 0
