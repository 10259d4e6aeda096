"""Inputs for fuzzing: valid seeds, damaged in the ways files are damaged and in those an attacker would choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

LONGEST = 1 << 16
"""No input grows beyond this; what takes long on so little is a finding."""

_NUMBERS = [b"0", b"-1", b"1", b"9" * 18, b"9" * 40, b"4294967296", b"18446744073709551615", b"1e9", b"0x10", b"NaN"]
_BYTES = b"\x00\x01\x7f\x80\xff\n\r\t :;,&=%/?#@[]{}\"'\\<>.-+"

Mutation = Callable[[Random, bytes], bytes]


class Mutator:
    """Makes inputs out of seeds and of words that matter to the reader."""

    def __init__(self, seeds: Sequence[bytes], words: Sequence[bytes]) -> None:
        self._seeds = seeds
        self._words = [*words, *_NUMBERS]
        self._mutations: list[Mutation] = [
            _flip_bit, _set_byte, _delete, _double, _truncate, _multiply, self._insert_word, self._splice,
        ]  # fmt: skip

    def input(self, chance: Random) -> bytes:
        """One input: mostly a damaged seed, now and then pure noise, words or a seed as it is."""
        kind = chance.random()
        if kind < 0.04:
            return chance.randbytes(chance.randrange(200))
        if kind < 0.10:
            return b"".join(chance.choices(self._words, k=chance.randrange(1, 12)))
        data = chance.choice(self._seeds)
        for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 5, 8))):
            data = chance.choice(self._mutations)(chance, data)[:LONGEST]
        return data

    def _insert_word(self, chance: Random, data: bytes) -> bytes:
        at = chance.randrange(len(data) + 1)
        over = chance.choice((0, 0, 1, 4))
        return data[:at] + chance.choice(self._words) + data[at + over :]

    def _splice(self, chance: Random, data: bytes) -> bytes:
        other = chance.choice(self._seeds)
        return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def _flip_bit(chance: Random, data: bytes) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def _set_byte(chance: Random, data: bytes) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([chance.choice(_BYTES)]) + data[at + 1 :]


def _span(chance: Random, data: bytes) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.choice((1, 2, 4, 10, 40, 200)))


def _delete(chance: Random, data: bytes) -> bytes:
    start, end = _span(chance, data)
    return data[:start] + data[end:]


def _double(chance: Random, data: bytes) -> bytes:
    start, end = _span(chance, data)
    return data[:end] + data[start:]


def _truncate(chance: Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _multiply(chance: Random, data: bytes) -> bytes:
    start, end = _span(chance, data)
    return data[:end] + data[start:end] * chance.choice((3, 30, 300)) + data[end:]
