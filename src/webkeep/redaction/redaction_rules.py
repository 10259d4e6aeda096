"""Rules of redaction: whether the list of credentials counts, what a person adds to it and what they want kept, written
as header:NAME, field:NAME, response:NAME or frame:NAME with wildcards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.redaction.names.secret_names import SecretNames

CREDENTIALS_RULE = "credentials"
"""How the list of credentials is called among rules."""
_RULE_KINDS = ("header", "field", "response", "frame")
_OLD_KINDS = {"answer": "response"}
"""What kinds were called before, in rules that people have written down."""


@dataclass(frozen=True, slots=True)
class RedactionRules:
    """What is left out of records."""

    credentials: bool = True
    """Whether what is on the list of credentials is."""
    added: tuple[str, ...] = ()
    """As `header:NAME`, `field:NAME`, `response:NAME` or `frame:NAME`, in which `*` is any characters."""
    kept: tuple[str, ...] = ()
    """In the same form: what is recorded all the same."""

    def __post_init__(self) -> None:
        for name in ("added", "kept"):
            object.__setattr__(self, name, tuple(dict.fromkeys(map(parse_rule, getattr(self, name)))))

    @property
    def is_off(self) -> bool:
        """Whether nothing is left out."""
        return not self.credentials and not self.added

    @property
    def rule_texts(self) -> list[str]:
        """The rules for the record: what is kept has a `-` before it."""
        return [*([CREDENTIALS_RULE] if self.credentials else []), *self.added, *(f"-{rule}" for rule in self.kept)]

    @property
    def hint_words(self) -> tuple[bytes, ...] | None:
        """What a head has in it where a rule that was added may hold; None where that can be anything."""
        patterns = _patterns_of(self.added, ("header", "field"))
        longest = [max(pattern.split("*"), key=len) for pattern in patterns]
        return tuple(word.encode() for word in longest) if self.credentials and all(longest) else None

    def secret_names(self, *kinds: str, credentials: bool | None = None) -> SecretNames:
        """The names that rules of these kinds make secret."""
        is_listed = self.credentials if credentials is None else credentials and self.credentials
        return SecretNames(is_listed, _patterns_of(self.added, kinds), _patterns_of(self.kept, kinds))


def parse_rule(text: str) -> str:
    """A rule of redaction, made sure of."""
    kind, colon, name = text.strip().lower().partition(":")
    kind = _OLD_KINDS.get(kind, kind)
    if kind not in _RULE_KINDS or not colon or not name.strip():
        advice = "write header:x-api-key, field:*secret*, response:token or frame:token"
        raise UsageError(f"not a rule of redaction: {text!r}; {advice}")
    return f"{kind}:{name.strip()}"


def _patterns_of(rules: Iterable[str], kinds: tuple[str, ...]) -> list[str]:
    parts = (rule.partition(":") for rule in rules)
    return [name for kind, _, name in parts if kind in kinds]


NO_REDACTION = RedactionRules(credentials=False)
"""Everything is recorded as it was."""
