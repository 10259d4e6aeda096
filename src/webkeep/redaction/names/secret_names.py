"""Which names are secret for one person: the list of credentials, what they add to it (`*` as wildcard), and what they
want kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate

from webkeep.redaction.names.credential_names import (
    ValueTest,
    header_secrecy_of,
    is_meaningful,
    secrecy_of,
    url_secrecy_of,
)


class SecretNames:
    """Names whose values are secret; in those that a person gives, `*` is any characters."""

    def __init__(self, credentials: bool, added: Iterable[str] = (), kept: Iterable[str] = ()) -> None:
        self._credentials = credentials
        self._added, self._kept = _name_pattern(added), _name_pattern(kept)

    @property
    def is_empty(self) -> bool:
        """Whether no name is secret."""
        return not self._credentials and self._added is None

    def secrecy_of(self, name: str) -> ValueTest | None:
        """What says of the values of a decoded name whether they are secret; None where none of them is."""
        own = self._own_test(name)
        return own or (secrecy_of(name) if self._credentials and not self._is_kept(name) else None)

    def url_secrecy_of(self, name: str) -> ValueTest | None:
        """The same for a parameter of a URL."""
        own = self._own_test(name)
        return own or (url_secrecy_of(name) if self._credentials and not self._is_kept(name) else None)

    def header_secrecy_of(self, name: str, in_response: bool) -> ValueTest | None:
        """The same for a field of a head."""
        own = self._own_test(name)
        return own or (header_secrecy_of(name, in_response) if self._credentials and not self._is_kept(name) else None)

    def _own_test(self, name: str) -> ValueTest | None:
        return (
            is_meaningful
            if self._added is not None and self._added.fullmatch(name) and not self._is_kept(name)
            else None
        )

    def _is_kept(self, name: str) -> bool:
        return self._kept is not None and self._kept.fullmatch(name) is not None


def _name_pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    found = list(names)
    return re.compile("|".join(map(translate, found)), re.IGNORECASE) if found else None
