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

MAX_PATTERN_CHARS = 256
"""Longer expressions are refused."""

_MAX_STATES = 4000
"""An expression that needs more is refused; matching takes time by their number."""
_MAX_CACHED_SETS = 2000
"""Sets of states that are remembered while a pattern runs; when they are more, all are found anew."""
_MAX_REPEATS = 100
_REPEAT = re.compile(r"\{([0-9]{1,3})(,([0-9]{1,3})?)?\}")
_CLASSES: dict[str, Callable[[str], bool]] = {
    "d": lambda char: "0" <= char <= "9",
    "w": lambda char: char == "_" or char.isalnum(),
    "s": str.isspace,
}
_UNKNOWN_ESCAPE = re.compile(r"[A-Za-z0-9]")

CharTest = Callable[[str], bool]


@dataclass(slots=True)
class _State:
    test: CharTest | None = None
    """What a character must be to go on; None where one goes on without."""
    edges: list[int] = field(default_factory=list)


class SafePattern:
    """An expression, ready to be held against texts."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_PATTERN_CHARS:
            raise UsageError(f"the expression is longer than {MAX_PATTERN_CHARS} characters; shorten it")
        anchored = text.removeprefix("^")
        self._open_end = not (anchored.endswith("$") and not anchored.endswith("\\$"))
        builder = _NfaBuilder(anchored if self._open_end else anchored[:-1])
        self._states = builder.states
        start, self._end = builder.build()
        self._start = self._epsilon_closure((start,))
        self._sets: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def matches(self, text: str) -> bool:
        """Whether the whole text is what the expression describes."""
        return self._end in self._run(text, whole=True)

    def matches_start(self, text: str) -> bool:
        """Whether the text begins with what the expression describes, and ends with it where that says `$`."""
        return self._end in self._run(text, whole=not self._open_end)

    def _run(self, text: str, whole: bool) -> frozenset[int]:
        current = self._start
        for char in text:
            if not current or (not whole and self._end in current):
                break
            found = self._sets.get((current, char))
            current = self._step(current, char) if found is None else found
        return current

    def _step(self, current: frozenset[int], char: str) -> frozenset[int]:
        states = self._states
        reached = [way for at in current if (test := states[at].test) and test(char) for way in states[at].edges]
        found = self._epsilon_closure(tuple(reached))
        if len(self._sets) >= _MAX_CACHED_SETS:
            self._sets.clear()
        self._sets[current, char] = found
        return found

    def _epsilon_closure(self, start: tuple[int, ...]) -> frozenset[int]:
        """All states that can be reached without a character."""
        seen, todo = set(start), list(start)
        while todo:
            state = self._states[todo.pop()]
            if state.test is None:
                new = [way for way in state.edges if way not in seen]
                seen.update(new)
                todo += new
        return frozenset(seen)


class _NfaBuilder:
    """Reads an expression by recursive descent; a piece is given as the numbers of its first and last state."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.states: list[_State] = []

    def build(self) -> tuple[int, int]:
        """The whole expression."""
        piece = self._parse_choice()
        if self._at < len(self._text):
            raise self._refusal("a bracket that was not opened is closed")
        return piece

    def _parse_choice(self) -> tuple[int, int]:
        branches = [self._parse_sequence()]
        while self._accept("|"):
            branches.append(self._parse_sequence())
        if len(branches) == 1:
            return branches[0]
        end = self._add_state()
        for _, last in branches:
            self.states[last].edges.append(end)
        return self._add_state(*(first for first, _ in branches)), end

    def _parse_sequence(self) -> tuple[int, int]:
        first = last = self._add_state()
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            begin = self._at
            piece = self._parse_repeat(self._parse_atom(), begin)
            self.states[last].edges.append(piece[0])
            last = piece[1]
        return first, last

    def _parse_repeat(self, piece: tuple[int, int], begin: int) -> tuple[int, int]:
        source_end = self._at
        if self._accept("*"):
            piece = self._build_loop(piece, least=0)
        elif self._accept("+"):
            piece = self._build_loop(piece, least=1)
        elif self._accept("?"):
            self.states[piece[0]].edges.append(piece[1])
        elif counted := _REPEAT.match(self._text, self._at):
            self._at = counted.end()
            return self._build_counted(piece, counted, begin, source_end)
        else:
            return piece
        self._accept("?")  # whether it takes little or much makes no difference to what matches
        return piece

    def _build_counted(self, piece: tuple[int, int], counted: re.Match[str], begin: int, end: int) -> tuple[int, int]:
        behind = self._at
        least = int(counted[1])
        most = least if counted[2] is None else int(counted[3]) if counted[3] else None
        if max(least, most or 0) > _MAX_REPEATS or (most is not None and most < least):
            raise self._refusal("a count is too large or backwards")
        first = last = self._add_state()
        for number in range(max(least, most or least + 1)):
            if number:  # each turn has states of its own: read the piece once more
                self._at = begin
                piece = self._parse_atom()
                assert self._at == end
            self.states[last].edges.append(piece[0])
            if number >= least:
                self.states[piece[0]].edges.append(piece[1])
            if most is None and number == least:
                self.states[piece[1]].edges.append(piece[0])
            last = piece[1]
        self._at = behind
        return first, last

    def _build_loop(self, piece: tuple[int, int], least: int) -> tuple[int, int]:
        first, last = piece
        end = self._add_state()
        self.states[last].edges += [first, end]
        return (first if least else self._add_state(first, end)), end

    def _parse_atom(self) -> tuple[int, int]:
        char = self._text[self._at]
        self._at += 1
        if char == "(":
            return self._parse_group()
        if char in "*+?":
            raise self._refusal(f"there is nothing for {char!r} to repeat")
        if char in "^$":
            raise self._refusal(f"{char!r} may stand only at the very start or end")
        return self._build_single(
            self._parse_set() if char == "[" else self._parse_escape() if char == "\\" else _char_test(char)
        )

    def _parse_group(self) -> tuple[int, int]:
        if self._accept("?") and not self._accept(":"):
            raise self._refusal("only plain groups and (?: are understood")
        first, last = self._parse_choice()
        if not self._accept(")"):
            raise self._refusal("a bracket is not closed")
        # What is repeated or left out gets ends of its own, lest ways of other pieces be mixed with it.
        end = self._add_state()
        self.states[last].edges.append(end)
        return self._add_state(first), end

    def _build_single(self, test: CharTest) -> tuple[int, int]:
        end = self._add_state()
        at = self._add_state(end)
        self.states[at].test = test
        return self._add_state(at), end

    def _parse_set(self) -> CharTest:
        negated = self._accept("^")
        tests = [self._parse_member(self._next_char())]  # a bracket that stands first is one of the characters
        while not self._accept("]"):
            tests.append(self._parse_member(self._next_char()))
        return lambda char: any(test(char) for test in tests) is not negated

    def _parse_member(self, char: str) -> CharTest:
        if char == "\\":
            return self._parse_escape()
        text, at = self._text, self._at
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]"):
            high = text[at + 1]
            self._at = at + 2
            if high == "\\":
                high = self._next_char()
            return lambda other: char <= other <= high
        return lambda other: other == char

    def _parse_escape(self) -> CharTest:
        char = self._next_char()
        if char.lower() in _CLASSES:
            test = _CLASSES[char.lower()]
            return test if char.islower() else (lambda other: not test(other))
        if _UNKNOWN_ESCAPE.match(char):
            raise self._refusal(f"\\{char} is not understood")
        return lambda other: other == char

    def _next_char(self) -> str:
        if self._at >= len(self._text):
            raise self._refusal("it breaks off")
        self._at += 1
        return self._text[self._at - 1]

    def _accept(self, char: str) -> bool:
        if self._text.startswith(char, self._at):
            self._at += 1
            return True
        return False

    def _add_state(self, *ways: int) -> int:
        if len(self.states) >= _MAX_STATES:
            raise self._refusal("it is too intricate")
        self.states.append(_State(edges=list(ways)))
        return len(self.states) - 1

    def _refusal(self, reason: str) -> UsageError:
        return UsageError(f"the expression {self._text!r} cannot be used: {reason}")


def _char_test(char: str) -> CharTest:
    return (lambda other: other != "\n") if char == "." else (lambda other: other == char)
