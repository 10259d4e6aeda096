"""Chromium for a recording: a fresh profile, everything through the proxy, gone when it is closed; its switches, and
which requests of its own (updates, safe browsing) are refused.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from webkeep.browser.process import find_program, quiet_switches
from webkeep.fetch.proxy import InterceptedRequest, ProxyDecision, RecordingProxy, RefuseRequest

_EXIT_SECONDS = 10.0
"""How long Chromium may take to write its profile and end before it is killed."""
OWN_REQUEST_REASON = "the browser's own affair"
"""Why something is refused that no page asked for."""

_match_own_request = re.compile(
    r"https?://(?:update\.googleapis\.com/service/|clients[0-9]?\.google\.com/(?:time|service)/|"
    r"accounts\.google\.com/ListAccounts|optimizationguide-pa\.googleapis\.com/|content-autofill\.googleapis\.com/|"
    r"safebrowsing(?:ohttpgateway)?\.googleapis\.com/|edgedl\.me\.gvt1\.com/|redirector\.gvt1\.com/)"
).match


async def refuse_own_requests(asked: InterceptedRequest) -> ProxyDecision | None:
    """Refuse what Chromium asks for on its own account and no switch keeps it from: it is no part of a session."""
    return RefuseRequest(403, OWN_REQUEST_REASON) if _match_own_request(asked.url) else None


def browser_command(
    program: str, url: str, port: int, key_hashes: tuple[str, ...], profile: str, headless: bool
) -> list[str]:
    """How Chromium is started; it trusts our authority in this profile alone."""
    return [
        find_program(program, has_window=True),
        f"--user-data-dir={profile}",
        f"--proxy-server=http://127.0.0.1:{port}",
        "--proxy-bypass-list=<-loopback>",
        f"--ignore-certificate-errors-spki-list={','.join(key_hashes)}",
        *quiet_switches(),
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
        *(["--headless=new"] if headless else []),
        url,
    ]


@asynccontextmanager
async def open_browser(
    program: str, url: str, proxy: RecordingProxy, headless: bool = False
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Chromium at a URL, ended with the block if it has not been closed."""
    with tempfile.TemporaryDirectory(prefix="webkeep-browser-", ignore_cleanup_errors=True) as profile:
        words = browser_command(program, url, proxy.port, proxy.authority.key_hashes, profile, headless)
        nowhere = asyncio.subprocess.DEVNULL
        browser = await asyncio.create_subprocess_exec(*words, stdin=nowhere, stdout=nowhere, stderr=nowhere)
        try:
            yield browser
        finally:
            await _end_browser(browser)


async def _end_browser(browser: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        browser.terminate()
    try:
        async with asyncio.timeout(_EXIT_SECONDS):
            await browser.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            browser.kill()
        await browser.wait()
