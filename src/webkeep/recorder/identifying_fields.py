"""Fields of requests that tell who asks (as Cookie does), known at once by their names, in the spelling of ASGI or of
WSGI; how many names are remembered.
"""

from __future__ import annotations

from webkeep.redaction.names import header_secrecy_of

_MAX_NAMES = 2000
"""Names remembered: anyone can send more, and the usual ones are few."""


class IdentifyingFields(dict[bytes, bytes]):
    """By its name in lower case, what a field tells; nothing where it tells nothing that matters here."""

    def __init__(self, told: dict[bytes, bytes], credentials: bool) -> None:
        super().__init__(told)
        self._credentials = credentials

    def __missing__(self, name: bytes) -> bytes:
        """What a field tells that was not met before."""
        is_telling = self._credentials and header_secrecy_of(name.decode("latin-1")) is not None
        found = name if is_telling else b""
        if len(self) < _MAX_NAMES:  # anyone can think of more
            self[name] = found
        return found


class IdentifyingVariables(dict[str, bytes]):
    """The same for the variables in which WSGI has fields."""

    def __init__(self, fields: IdentifyingFields) -> None:
        super().__init__()
        self._fields = fields

    def __missing__(self, variable: str) -> bytes:
        """What a variable tells that was not met before."""
        is_field = variable.startswith("HTTP_")
        name = variable[5:].replace("_", "-").lower().encode("latin-1", "replace")
        found = self._fields[name] if is_field else b""
        if len(self) < _MAX_NAMES:
            self[variable] = found
        return found
