"""Whether a login still holds, as far as that can be told: its page asked for with its cookies and without.

Only where a stranger is turned away and the login is not, or both are, something is known. Where the page answers
everybody alike, or keeps who one is in local storage, it cannot be told, and that is what is said.
"""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webkeep.crawl.plan import render_login
from webkeep.errors import UsageError
from webkeep.fetch import FetchLimits, FetchRequest, FetchSettings
from webkeep.fetch.client import Fetcher
from webkeep.formats.codings import decode_body
from webkeep.formats.http import parse_response
from webkeep.formats.status import FORBIDDEN, UNAUTHORIZED, is_redirection, is_successful
from webkeep.service.logins import LoginContent, LoginProfile, LoginState
from webkeep.service.sent_values import check_sent_url
from webkeep.url import resolve_url

_MAX_PAGE_BYTES = 2_000_000
"""Of a page: its field for a password stands before that."""
_LIMITS = FetchLimits(connect_seconds=10, seconds=30, max_stall_seconds=15, size=_MAX_PAGE_BYTES)
_PASSWORD_FIELD = re.compile(rb"<input\b[^>]{0,2000}?\btype\s{0,9}=\s{0,9}[\"']?password\b", re.IGNORECASE)
_COOKIE_FILE = "cookies.txt"


class _Reception(enum.Enum):
    """How a page receives somebody."""

    LET_IN = "let in"
    TURNED_AWAY = "turned away"
    LED_ELSEWHERE = "led elsewhere"
    UNKNOWN = "no answer"


@dataclass(frozen=True, slots=True)
class LoginCheck:
    """What a check came to."""

    state: LoginState
    message: str


async def check_login(profile: LoginProfile, content: LoginContent, spool: Path) -> LoginCheck:
    """Ask for the page of a login with its cookies and without them."""
    if not content.cookies:
        return LoginCheck(LoginState.UNKNOWN, "it has no cookies, and local storage cannot be checked; renew it to see")
    try:
        with _cookie_file(profile, content) as cookies:
            known, said = await _visit(profile, spool, cookies)
        stranger, _ = await _visit(profile, spool, "")
    except UsageError as error:
        return LoginCheck(LoginState.UNKNOWN, str(error))
    if known is _Reception.TURNED_AWAY:
        return LoginCheck(LoginState.ENDED, said)
    if known is not _Reception.LET_IN:
        return LoginCheck(LoginState.UNKNOWN, f"it cannot be told: {said}")
    if stranger in (_Reception.TURNED_AWAY, _Reception.LED_ELSEWHERE):
        return LoginCheck(LoginState.HOLDS, "its page lets it in, and turns others away")
    return LoginCheck(LoginState.UNKNOWN, "it cannot be told: its page answers everybody alike")


async def _visit(profile: LoginProfile, spool: Path, cookies: str) -> tuple[_Reception, str]:
    """How the page of a login receives somebody, and in which words that is said."""
    url = check_sent_url(profile.page, profile.is_local_allowed)
    spool.mkdir(parents=True, exist_ok=True)
    async with Fetcher(FetchSettings(connections=1, connections_per_host=1, cookies=cookies), spool) as fetcher:
        fetched = await fetcher.fetch(FetchRequest(url, private=profile.is_local_allowed, limits=_LIMITS))
    if fetched.exchange is None:
        return _Reception.UNKNOWN, f"{fetched.failure}: {fetched.detail}"
    head = parse_response(fetched.exchange.response)
    if head.status in (UNAUTHORIZED, FORBIDDEN):
        return _Reception.TURNED_AWAY, f"its page answers {head.status}"
    if is_redirection(head.status):
        target = resolve_url(url, head.headers.get("location").strip()) or ""
        if _page_of(target) == _page_of(profile.url):
            return _Reception.TURNED_AWAY, "its page leads to where one logs in"
        return _Reception.LED_ELSEWHERE, f"its page leads to {target[:200]}"
    if not is_successful(head.status):
        return _Reception.UNKNOWN, f"its page answers {head.status}"
    page = b"".join(decode_body(head.headers, fetched.exchange.body.chunks(), _MAX_PAGE_BYTES))
    if _PASSWORD_FIELD.search(page):
        return _Reception.TURNED_AWAY, "its page asks for a password"
    return _Reception.LET_IN, ""


@contextmanager
def _cookie_file(profile: LoginProfile, content: LoginContent) -> Iterator[str]:
    """The cookies as a file that lies on no disk."""
    text = render_login(profile.url, content.cookies, content.stores)[_COOKIE_FILE]
    handle = os.memfd_create("cookies", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(handle), "wb") as stream:
            stream.write(text.encode())
        yield f"/proc/self/fd/{handle}"
    finally:
        os.close(handle)


def _page_of(url: str) -> str:
    return url.partition("#")[0].partition("?")[0].rstrip("/")
