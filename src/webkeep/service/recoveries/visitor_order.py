"""What a visitor asks for: a lost site or one page of it, out of which repositories, of which time.

Visitors are anybody. The address goes through `sent_values`, repositories are chosen by the names that the
administrator gave them, and all else is a date or a yes.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from webkeep.errors import UsageError
from webkeep.service.sent_values import check_sent_url
from webkeep.url import split_url

_MAX_LOST_URL_CHARS = 2000
"""Of the address of a site that people remember."""
_BLANK = "*."
"""Begins what is left of an address, and no address."""


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


def plan_visitor_recovery(order: VisitorOrder, offered: Mapping[str, str]) -> dict[str, Any]:
    """The plan of its job, out of the repositories that are offered still; raises UsageError where none is."""
    sources = [offered[name] for name in order.repositories if name in offered]
    if not sources:
        raise UsageError("none of the repositories that were chosen is offered any more")
    scope = {"scope": "page"} if order.extent is LostExtent.PAGE else {}
    period = {"since": order.since or None, "until": order.until or None}
    return {
        "seeds": [order.url], "repositories": sources, **scope, **period, "exports": True,
        "windows_names": order.has_windows_names,
    }  # fmt: skip


def blank_url(url: str) -> str:
    """What is left of an address where nobody is to be known by it: the end of its name, for the statistics."""
    return url if url.startswith(_BLANK) else f"{_BLANK}{end_of_name(url)}"


def end_of_name(url: str) -> str:
    """The last label of the name in an address, be it blank or whole."""
    return url.removeprefix(_BLANK) if url.startswith(_BLANK) else split_url(url).host.rpartition(".")[2]


def _read_day(text: str) -> str:
    if not text.strip():
        return ""
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise UsageError(f"not a day: {text[:40]!r}; write it as 2004-02-01") from None
