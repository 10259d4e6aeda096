"""URLs with secrets in them: URL store and archive know them redacted, and requests are made with them; how many are
remembered, and what is said of one whose secret was lost.

The secrets are in memory alone. A capture that goes on in another process has lost them; what it finds queued under
such a URL is told as failed, unless a page leads there again.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.redaction import Redactor

SECRET_LOST = "its address has a secret in it, which is kept nowhere; begin a new capture to ask for it"
"""Why a URL is not asked for whose secret was lost."""

_MAX_URLS = 200_000
"""URLs whose secrets are remembered; those met longest ago are lost."""
_REDACTED_WORD = "redacted"


class SecretUrls:
    """What URLs are called where they are written down, and how they are asked for."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._real: OrderedDict[str, str] = OrderedDict()

    def redact(self, url: str) -> str:
        """The URL without its secrets, by which it is found again."""
        redacted, count = self._redactor.redact_url(url)
        if count:
            self._real[redacted] = url
            self._real.move_to_end(redacted)
            if len(self._real) > _MAX_URLS:
                self._real.popitem(last=False)
        return redacted

    def restore(self, redacted: str) -> str:
        """The URL as it is asked for."""
        return self._real.get(redacted, redacted) if _REDACTED_WORD in redacted else redacted

    def is_lost(self, redacted: str) -> bool:
        """Whether a URL had a secret that nobody knows any more."""
        if _REDACTED_WORD not in redacted or redacted in self._real:
            return False
        return self._redactor.redact_url(redacted.replace(_REDACTED_WORD, "0x0"))[0] == redacted
