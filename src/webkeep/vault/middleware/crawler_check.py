"""Whether a client is one that gets blocks: all, unless a person wants crawlers only and is warned of cloaking."""

from __future__ import annotations

import logging
import re

from webkeep.errors import UsageError

_LOG = logging.getLogger("webkeep.vault")


class CrawlerCheck:
    """Tells by its User-Agent whether a client gets blocks."""

    def __init__(self, expression: str) -> None:
        self._pattern: re.Pattern[str] | None = None
        if expression:
            try:
                self._pattern = re.compile(expression, re.IGNORECASE)
            except re.error as error:
                raise UsageError(f"{expression!r} is no expression for crawlers ({error})") from error
            _LOG.warning(
                "crawlers are given other pages than people: search engines call that cloaking and may drop the site; "
                "archives that visit as browsers do get no blocks"
            )

    def admits(self, agent: str) -> bool:
        """Whether a client that calls itself so gets blocks."""
        return self._pattern is None or self._pattern.search(agent) is not None
