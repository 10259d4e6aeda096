"""Many values looked for in a text at once (multi-pattern search), with one look at it, whatever they have in common.

Theory of operation. Of each value the groups of four letters at its first three places are known; a text is looked at
in every third place, so that one of them is met wherever the value stands. Only what stands there is compared, by its
first letters, of which there are but so many lengths.
"""

from __future__ import annotations

from collections.abc import Iterator

_GROUP_CHARS, _STEP_CHARS = 4, 3
"""Values are filed by groups of four characters from their first three places, so that of a text only every third
place is looked up."""
MIN_INDEXED_CHARS = _GROUP_CHARS + _STEP_CHARS - 1
"""Values that are shorter cannot be found so."""
_PREFIX_CHARS = 64
"""Of a value, by which it is found; the rest is compared then."""
_MAX_LINEAR_VALUES = 24
"""So many are looked for faster one by one."""


class ValueIndex:
    """Finds values in texts."""

    def __init__(self) -> None:
        self._places: dict[str, dict[tuple[int, int], int]] = {}
        """By groups of letters: how far from the begin of values they stand, how long those are, and how many."""
        self._values: dict[str, list[str]] = {}
        """By their first letters."""

    def __bool__(self) -> bool:
        return bool(self._values)

    def add(self, value: str) -> None:
        """Look for another value."""
        first = value[:_PREFIX_CHARS]
        known = self._values.setdefault(first, [])
        if value in known:
            return
        known.append(value)
        if len(known) == 1:
            for offset in range(_STEP_CHARS):
                place = self._places.setdefault(first[offset : offset + _GROUP_CHARS], {})
                place[offset, len(first)] = place.get((offset, len(first)), 0) + 1

    def remove(self, value: str) -> None:
        """Look for it no more."""
        first = value[:_PREFIX_CHARS]
        self._values[first].remove(value)
        if self._values[first]:
            return
        del self._values[first]
        for offset in range(_STEP_CHARS):
            group = first[offset : offset + _GROUP_CHARS]
            place = self._places[group]
            place[offset, len(first)] -= 1
            if not place[offset, len(first)]:
                del place[offset, len(first)]
            if not place:
                del self._places[group]

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Where values begin and end."""
        if len(self._values) <= _MAX_LINEAR_VALUES:
            yield from self._find_one_by_one(text)
            return
        places = self._places
        last = len(text) - _GROUP_CHARS + 1
        for at in [at for at in range(0, last, _STEP_CHARS) if text[at : at + _GROUP_CHARS] in places]:
            for offset, length in places[text[at : at + _GROUP_CHARS]]:
                begin = at - offset
                if begin >= 0 and (known := self._values.get(text[begin : begin + length])) is not None:
                    yield begin, begin + max(_common_length(text, begin, value) for value in known[:_MAX_LINEAR_VALUES])

    def _find_one_by_one(self, text: str) -> Iterator[tuple[int, int]]:
        for first, known in self._values.items():
            at = text.find(first)
            while at >= 0:
                end = at + max(_common_length(text, at, value) for value in known[:_MAX_LINEAR_VALUES])
                yield at, end
                at = text.find(first, end)


def _common_length(text: str, begin: int, value: str) -> int:
    """How much of a value stands there, of which the first letters do."""
    if text.startswith(value, begin):
        return len(value)
    low, high = min(len(value), _PREFIX_CHARS), len(value)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if text.startswith(value[:middle], begin) else (low, middle)
    return low
