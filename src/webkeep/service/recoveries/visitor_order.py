"""What a visitor asks for: a lost site or one page of it, out of which repositories, of which time.

Visitors are anybody. The address goes through `sent_values`, repositories are chosen by the names that the
administrator gave them, and all else is a date or a yes.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from webkeep.errors import UsageError
from webkeep.service.sent_values import check_sent_url

_MAX_LOST_URL_CHARS = 2000
"""Of the address of a site that people remember."""


class LostExtent(enum.StrEnum):
    """How much is wanted."""

    SITE = "site"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class VisitorOrder:
    """What is to be recovered."""

    url: str
    extent: LostExtent = LostExtent.SITE
    repositories: tuple[str, ...] = ()
    """By the names that the administrator gave them."""
    since: str = ""
    """A day, as 2004-02-01; empty for any."""
    until: str = ""
    has_windows_names: bool = False
    """Whether files are named so that Windows can have them."""


def build_visitor_order(
    url: str,
    extent: str,
    chosen: Iterable[str],
    period: tuple[str, str],
    offered: Sequence[str],
    has_windows_names: bool = False,
) -> VisitorOrder:
    """What somebody sent, held against what may be asked for."""
    text = url.strip()
    if len(text) > _MAX_LOST_URL_CHARS:
        raise UsageError(f"the address has more than {_MAX_LOST_URL_CHARS:,} characters; write that of the site")
    if text and "://" not in text:
        text = f"http://{text}"
    try:
        wanted = LostExtent(extent)
    except ValueError:
        raise UsageError("say whether the whole site is wanted or one page of it") from None
    named = tuple(each for each in offered if each in set(chosen))
    if not named:
        raise UsageError("choose at least one of the repositories")
    since, until = _read_day(period[0]), _read_day(period[1])
    if since and until and until < since:
        raise UsageError(f"the time ends ({until}) before it begins ({since}); turn the dates round")
    return VisitorOrder(check_sent_url(text), wanted, named, since, until, has_windows_names)


def _read_day(text: str) -> str:
    if not text.strip():
        return ""
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise UsageError(f"not a day: {text[:40]!r}; write it as 2004-02-01") from None
