"""Chromium for a recording: a fresh profile, everything through the proxy, gone when it is closed."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from webkeep.browser.command import PROGRAMS
from webkeep.errors import UsageError
from webkeep.fetch.recording import Asked, Choice, RecordingProxy, Refuse

_QUIET = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-default-apps",
    "--disable-extensions",
    "--metrics-recording-only",
    "--disable-features=OptimizationHints,MediaRouter,Translate,NetworkTimeServiceQuerying,AutofillServerCommunication",
)
_SECONDS = 10.0
OWN_AFFAIR = "the browser's own affair"
"""Why something is refused that no page asked for."""

_OWN = re.compile(
    r"https?://(?:update\.googleapis\.com/service/|clients[0-9]?\.google\.com/(?:time|service)/|"
    r"accounts\.google\.com/ListAccounts|optimizationguide-pa\.googleapis\.com/|content-autofill\.googleapis\.com/|"
    r"safebrowsing(?:ohttpgateway)?\.googleapis\.com/|edgedl\.me\.gvt1\.com/|redirector\.gvt1\.com/)"
).match


async def without_own_affairs(asked: Asked) -> Choice | None:
    """Refuse what Chromium asks for on its own account and no switch keeps it from: it is no part of a session."""
    return Refuse(403, OWN_AFFAIR) if _OWN(asked.url) else None


def command(program: str, url: str, port: int, key_hashes: tuple[str, ...], profile: str, headless: bool) -> list[str]:
    """How Chromium is started; it trusts our authority in this profile alone."""
    found = program or next((name for name in PROGRAMS if shutil.which(name)), "")
    if not found or shutil.which(found) is None:
        raise UsageError("no Chromium was found to open; install one, or name it with --browser-program PROGRAM")
    return [
        found,
        f"--user-data-dir={profile}",
        f"--proxy-server=http://127.0.0.1:{port}",
        "--proxy-bypass-list=<-loopback>",
        f"--ignore-certificate-errors-spki-list={','.join(key_hashes)}",
        *_QUIET,
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
        *(["--headless=new"] if headless else []),
        url,
    ]


@asynccontextmanager
async def opened(
    program: str, url: str, proxy: RecordingProxy, headless: bool = False
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Chromium at a URL, ended with the block if it has not been closed."""
    with tempfile.TemporaryDirectory(prefix="webkeep-browser-", ignore_cleanup_errors=True) as profile:
        words = command(program, url, proxy.port, proxy.authority.key_hashes, profile, headless)
        nowhere = asyncio.subprocess.DEVNULL
        browser = await asyncio.create_subprocess_exec(*words, stdin=nowhere, stdout=nowhere, stderr=nowhere)
        try:
            yield browser
        finally:
            await _ended(browser)


async def _ended(browser: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        browser.terminate()
    try:
        await asyncio.wait_for(browser.wait(), _SECONDS)
    except TimeoutError:
        with suppress(ProcessLookupError):
            browser.kill()
        await browser.wait()
