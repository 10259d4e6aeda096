"""robots.txt: what a site asks crawlers to leave alone, by RFC 9309: which group speaks of a crawler, which Allow or
Disallow decides, Crawl-delay and Sitemap lines, misspelled names, and how much of a file counts.

The longest rule that fits decides, and of two as long the one that allows. A rule keeps its line, so that whoever is
refused can be told by which. Patterns are matched without backtracking, however many stars they have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_ROBOTS_BYTES = 512 * 1024
"""How many bytes of a file count; the standard asks for at least 500 KiB."""


# The colon may be missing, as in the wild.
_FIELDS = (re.compile(r"\s*+([A-Za-z][A-Za-z -]{0,20}+):(.*)"), re.compile(r"\s*+([A-Za-z-]{1,20}+)\s(.*)"))
_FIELD_NAMES = {
    "user-agent": "agent", "useragent": "agent", "user agent": "agent",
    "allow": "allow",
    "disallow": "disallow", "dissallow": "disallow", "dissalow": "disallow", "disalow": "disallow",
    "crawl-delay": "delay", "crawldelay": "delay", "crawl delay": "delay",
    "sitemap": "sitemap", "site-map": "sitemap", "sitemaps": "sitemap",
}  # fmt: skip
_PRODUCT = re.compile(r"[A-Za-z_-]+")
_DELAY = re.compile(r"\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}")
_UNUSUAL = re.compile(r"%([0-9A-Fa-f]{2})|([^\x21-\x7e]+)")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@dataclass(frozen=True, slots=True)
class RobotsRule:
    """One Allow or Disallow line."""

    allows: bool
    pattern: str
    line: int
    prefix: str = field(repr=False, compare=False)
    """What a path must begin with for the rule to fit."""
    _pieces: tuple[str, ...] = field(repr=False, compare=False)
    _anchored: bool = field(repr=False, compare=False)

    @classmethod
    def parse(cls, allows: bool, pattern: str, line: int) -> RobotsRule:
        """A rule from its pattern as written."""
        spelled = _normalize_escapes(pattern)
        anchored = spelled.endswith("$")
        pieces = tuple(spelled.removesuffix("$").split("*"))
        return cls(allows, pattern, line, pieces[0], pieces, anchored)

    @property
    def weight(self) -> int:
        """How specific the rule is."""
        return sum(map(len, self._pieces)) + len(self._pieces) - 1 + self._anchored

    def matches(self, target: str) -> bool:
        """Whether the rule speaks of a path and query in their usual spelling."""
        first, *rest = self._pieces
        if not target.startswith(first):
            return False
        at = len(first)
        if not rest:
            return not self._anchored or at == len(target)
        last = rest.pop() if self._anchored else ""
        for piece in rest:
            found = target.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        return len(target) - len(last) >= at and target.endswith(last)

    def __str__(self) -> str:
        return f"{'Allow' if self.allows else 'Disallow'}: {self.pattern} (line {self.line})"


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """What a file asks of one crawler."""

    agent: str = ""
    """The name by which the file speaks of it: its own, `*`, or nothing where no group is meant for it."""
    rules: tuple[RobotsRule, ...] = ()
    """The weightiest first."""
    delay: float | None = None

    def deciding_rule(self, target: str) -> RobotsRule | None:
        """The rule that decides on a path and query; None where none fits, and all is allowed."""
        spelled = _normalize_escapes(target) or "/"
        if spelled == "/robots.txt":
            return None
        # Nearly all rules are about other paths, and a look at their beginning tells.
        for rule in self.rules:
            if spelled.startswith(rule.prefix) and rule.matches(spelled):
                return rule
        return None

    def allows(self, target: str) -> bool:
        """Whether a path and query may be asked for."""
        rule = self.deciding_rule(target)
        return rule is None or rule.allows


@dataclass(frozen=True, slots=True)
class RobotsTxt:
    """A robots.txt file."""

    sitemaps: tuple[str, ...] = ()
    _groups: dict[str, _AgentGroup] = field(default_factory=dict, repr=False)

    def rules_for(self, product: str) -> RobotsRules:
        """What the file asks of the crawler with this product token."""
        for name in (product.lower(), "*"):
            if (group := self._groups.get(name)) is not None:
                return RobotsRules(name, group.by_weight(), group.delay)
        return RobotsRules()


def parse_robots(content: bytes) -> RobotsTxt:
    """Read a robots.txt file, whatever its bytes."""
    groups: dict[str, _AgentGroup] = {}
    sitemaps: dict[str, None] = {}
    meant: list[_AgentGroup] = []
    heading = False
    for number, name, value in _read_fields(content):
        if name == "sitemap":
            if value:
                sitemaps[value] = None
        elif name == "agent":
            meant = meant if heading else []
            meant.append(groups.setdefault(_product_token(value), _AgentGroup()))
            heading = True
        else:
            heading = False
            for group in meant:
                group.add(name, value, number)
    return RobotsTxt(tuple(sitemaps), groups)


@dataclass(slots=True)
class _AgentGroup:
    rules: list[RobotsRule] = field(default_factory=list)
    delay: float | None = None

    def add(self, name: str, value: str, line: int) -> None:
        if name == "delay":
            if self.delay is None and (match := _DELAY.match(value)):
                self.delay = float(match[0])
        elif value:
            self.rules.append(RobotsRule.parse(name == "allow", value, line))

    def by_weight(self) -> tuple[RobotsRule, ...]:
        return tuple(sorted(self.rules, key=lambda rule: (-rule.weight, not rule.allows)))


def _read_fields(content: bytes) -> Iterator[tuple[int, str, str]]:
    text = content[:MAX_ROBOTS_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
    for number, line in enumerate(re.split(r"\r\n?|\n", text), 1):
        said = line.partition("#")[0]
        for match in filter(None, (pattern.match(said) for pattern in _FIELDS)):
            if (name := _FIELD_NAMES.get(match[1].strip().lower())) is not None:
                yield number, name, match[2].strip()
                break


def _product_token(value: str) -> str:
    match = _PRODUCT.match(value)
    return match[0].lower() if match else "*" if value.startswith("*") else ""


def _normalize_escapes(target: str) -> str:
    """One spelling for all ways to escape the same characters."""
    return target if _UNUSUAL.search(target) is None else _UNUSUAL.sub(_normalize_escape, target)


def _normalize_escape(match: re.Match[str]) -> str:
    if match[2] is not None:
        return "".join(f"%{byte:02X}" for byte in match[2].encode("utf-8", "replace"))
    char = chr(int(match[1], 16))
    return char if char in _UNRESERVED else f"%{match[1].upper()}"
