"""Regular expressions that strangers send, matched in a time that grows with the text and no faster.

Theory of operation. The library's engine tries one way after another and can be made to try for years. Here an
expression becomes a net of states (Thompson's construction) and a text is followed through all ways at once; the sets
of states that occur are remembered with where each character leads, so that most characters cost one look-up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from webkeep.errors import UsageError

LONGEST = 256
"""Longer expressions are refused."""

_MOST_STATES = 4000
_MOST_SETS = 2000
_MOST_REPEATS = 100
_REPEAT = re.compile(r"\{([0-9]{1,3})(,([0-9]{1,3})?)?\}")
_CLASSES: dict[str, Callable[[str], bool]] = {
    "d": lambda char: "0" <= char <= "9",
    "w": lambda char: char == "_" or char.isalnum(),
    "s": str.isspace,
}
_UNKNOWN_ESCAPE = re.compile(r"[A-Za-z0-9]")

Test = Callable[[str], bool]


@dataclass(slots=True)
class _State:
    test: Test | None = None
    """What a character must be to go on; None where one goes on without."""
    ways: list[int] = field(default_factory=list)


class Pattern:
    """An expression, ready to be held against texts."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise UsageError(f"the expression is longer than {LONGEST} characters; shorten it")
        anchored = text.removeprefix("^")
        self._open_end = not (anchored.endswith("$") and not anchored.endswith("\\$"))
        builder = _Builder(anchored if self._open_end else anchored[:-1])
        self._states = builder.states
        start, self._end = builder.built()
        self._start = self._closed((start,))
        self._sets: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def matches(self, text: str) -> bool:
        """Whether the whole text is what the expression describes."""
        return self._end in self._followed(text, whole=True)

    def begins(self, text: str) -> bool:
        """Whether the text begins with what the expression describes, and ends with it where that says `$`."""
        return self._end in self._followed(text, whole=not self._open_end)

    def _followed(self, text: str, whole: bool) -> frozenset[int]:
        current = self._start
        for char in text:
            if not current or (not whole and self._end in current):
                break
            found = self._sets.get((current, char))
            current = self._step(current, char) if found is None else found
        return current

    def _step(self, current: frozenset[int], char: str) -> frozenset[int]:
        states = self._states
        reached = [way for at in current if (test := states[at].test) and test(char) for way in states[at].ways]
        found = self._closed(tuple(reached))
        if len(self._sets) >= _MOST_SETS:
            self._sets.clear()
        self._sets[current, char] = found
        return found

    def _closed(self, start: tuple[int, ...]) -> frozenset[int]:
        """All states that can be reached without a character."""
        seen, todo = set(start), list(start)
        while todo:
            state = self._states[todo.pop()]
            if state.test is None:
                new = [way for way in state.ways if way not in seen]
                seen.update(new)
                todo += new
        return frozenset(seen)


class _Builder:
    """Reads an expression by recursive descent; a piece is given as the numbers of its first and last state."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.states: list[_State] = []

    def built(self) -> tuple[int, int]:
        """The whole expression."""
        piece = self._choice()
        if self._at < len(self._text):
            raise self._refusal("a bracket that was not opened is closed")
        return piece

    def _choice(self) -> tuple[int, int]:
        branches = [self._row()]
        while self._took("|"):
            branches.append(self._row())
        if len(branches) == 1:
            return branches[0]
        end = self._state()
        for _, last in branches:
            self.states[last].ways.append(end)
        return self._state(*(first for first, _ in branches)), end

    def _row(self) -> tuple[int, int]:
        first = last = self._state()
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            begin = self._at
            piece = self._repeated(self._atom(), begin)
            self.states[last].ways.append(piece[0])
            last = piece[1]
        return first, last

    def _repeated(self, piece: tuple[int, int], begin: int) -> tuple[int, int]:
        source_end = self._at
        if self._took("*"):
            piece = self._looped(piece, least=0)
        elif self._took("+"):
            piece = self._looped(piece, least=1)
        elif self._took("?"):
            self.states[piece[0]].ways.append(piece[1])
        elif counted := _REPEAT.match(self._text, self._at):
            self._at = counted.end()
            return self._counted(piece, counted, begin, source_end)
        else:
            return piece
        self._took("?")  # whether it takes little or much makes no difference to what matches
        return piece

    def _counted(self, piece: tuple[int, int], counted: re.Match[str], begin: int, end: int) -> tuple[int, int]:
        behind = self._at
        least = int(counted[1])
        most = least if counted[2] is None else int(counted[3]) if counted[3] else None
        if max(least, most or 0) > _MOST_REPEATS or (most is not None and most < least):
            raise self._refusal("a count is too large or backwards")
        first = last = self._state()
        for number in range(max(least, most or least + 1)):
            if number:  # each turn has states of its own: read the piece once more
                self._at = begin
                piece = self._atom()
                assert self._at == end
            self.states[last].ways.append(piece[0])
            if number >= least:
                self.states[piece[0]].ways.append(piece[1])
            if most is None and number == least:
                self.states[piece[1]].ways.append(piece[0])
            last = piece[1]
        self._at = behind
        return first, last

    def _looped(self, piece: tuple[int, int], least: int) -> tuple[int, int]:
        first, last = piece
        end = self._state()
        self.states[last].ways += [first, end]
        return (first if least else self._state(first, end)), end

    def _atom(self) -> tuple[int, int]:
        char = self._text[self._at]
        self._at += 1
        if char == "(":
            return self._group()
        if char in "*+?":
            raise self._refusal(f"there is nothing for {char!r} to repeat")
        if char in "^$":
            raise self._refusal(f"{char!r} may stand only at the very start or end")
        return self._single(self._set() if char == "[" else self._escape() if char == "\\" else _tested(char))

    def _group(self) -> tuple[int, int]:
        if self._took("?") and not self._took(":"):
            raise self._refusal("only plain groups and (?: are understood")
        first, last = self._choice()
        if not self._took(")"):
            raise self._refusal("a bracket is not closed")
        # What is repeated or left out gets ends of its own, lest ways of other pieces be mixed with it.
        end = self._state()
        self.states[last].ways.append(end)
        return self._state(first), end

    def _single(self, test: Test) -> tuple[int, int]:
        end = self._state()
        at = self._state(end)
        self.states[at].test = test
        return self._state(at), end

    def _set(self) -> Test:
        negated = self._took("^")
        tests = [self._member(self._next())]  # a bracket that stands first is one of the characters
        while not self._took("]"):
            tests.append(self._member(self._next()))
        return lambda char: any(test(char) for test in tests) is not negated

    def _member(self, char: str) -> Test:
        if char == "\\":
            return self._escape()
        text, at = self._text, self._at
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]"):
            high = text[at + 1]
            self._at = at + 2
            if high == "\\":
                high = self._next()
            return lambda other: char <= other <= high
        return lambda other: other == char

    def _escape(self) -> Test:
        char = self._next()
        if char.lower() in _CLASSES:
            test = _CLASSES[char.lower()]
            return test if char.islower() else (lambda other: not test(other))
        if _UNKNOWN_ESCAPE.match(char):
            raise self._refusal(f"\\{char} is not understood")
        return lambda other: other == char

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise self._refusal("it breaks off")
        self._at += 1
        return self._text[self._at - 1]

    def _took(self, char: str) -> bool:
        if self._text.startswith(char, self._at):
            self._at += 1
            return True
        return False

    def _state(self, *ways: int) -> int:
        if len(self.states) >= _MOST_STATES:
            raise self._refusal("it is too intricate")
        self.states.append(_State(ways=list(ways)))
        return len(self.states) - 1

    def _refusal(self, reason: str) -> UsageError:
        return UsageError(f"the expression {self._text!r} cannot be used: {reason}")


def _tested(char: str) -> Test:
    return (lambda other: other != "\n") if char == "." else (lambda other: other == char)
