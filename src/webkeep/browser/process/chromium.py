"""A Chromium of our own: started, restarted, and gone without a trace when it is no longer needed; how long it may take
to start and to end.
"""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from webkeep.browser.process.browser_account import BrowserAccount, candidate_accounts
from webkeep.browser.process.browser_errors import BrowserGone
from webkeep.browser.process.chromium_command import BrowserSettings, build_command, find_program
from webkeep.browser.process.devtools_pipe import DevToolsPipe

_GRACE_SECONDS = 3.0
"""Between asking Chromium to end and killing it: a person waits for it, and its profile is thrown away."""
_START_SECONDS = 30.0
"""Until Chromium answers for the first time. It takes half a second; a loaded machine gets sixty times as long."""
_MAX_TMPDIR_CHARS = 60
"""Chromium puts a socket below it, whose path may have but 107 characters."""
_OWN_VARIABLES = "WEBKEEP_"
"""How variables begin that webkeep reads and Chromium does not."""
# Chromium reads from descriptor 3 and writes to 4, which need not be free in this process.
_START_SHELL = 'exec "$0" "$@" 3</proc/self/fd/{reading} 4>/proc/self/fd/{writing}'


class Chromium:
    """One process, and all that it starts; an asynchronous context manager."""

    def __init__(self, settings: BrowserSettings = BrowserSettings()) -> None:  # noqa: B008 - a frozen value
        self._settings = settings
        self._process: asyncio.subprocess.Process | None = None
        self._profile: tempfile.TemporaryDirectory[str] | None = None
        self.pipe = DevToolsPipe()
        """How it is spoken with; another one after each start."""
        self.starts = 0
        """How often it was started."""
        self._accounts = list(candidate_accounts(os.geteuid() == 0, bool(settings.window)))
        """As whom it may yet be started; the first is tried next."""
        self.user_agent = ""
        """Who pages are told that we are; nothing where they are told what Chromium would say."""

    async def __aenter__(self) -> Self:
        await self._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    async def restart(self) -> None:
        """Start anew; all tabs are gone."""
        await self._stop()
        await self._start()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended by itself."""
        return self._process is not None and self._process.returncode is None and not self.pipe.is_gone

    @property
    def is_sandboxed(self) -> bool:
        """Whether its pages are kept in a sandbox."""
        return self._accounts[0].is_sandboxed

    @property
    def process_id(self) -> int:
        """The number of its process, which leads a group of that number."""
        return self._process.pid if self._process is not None else 0

    @property
    def folder(self) -> str:
        """Where its profile lies while it runs, unless one was named."""
        return "" if self._profile is None else self._profile.name

    async def _start(self) -> None:
        """Start it as the first of those who can; who could once is not asked about again."""
        find_program(self._settings.program, bool(self._settings.window))
        while True:
            try:
                await self._start_as(self._accounts[0])
            except (BrowserGone, OSError) as error:
                await self._stop()
                if self.starts or len(self._accounts) == 1:
                    raise BrowserGone(f"Chromium could not be started: {error}") from error
                del self._accounts[0]
            except BaseException:  # nobody has it yet, who could end it
                await self._stop()
                raise
            else:
                self.starts += 1
                return

    async def _start_as(self, account: BrowserAccount) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="webkeep-browser-", ignore_cleanup_errors=True)
        words = build_command(self._settings, self._settings.profile or self._profile.name, account.is_sandboxed)
        to_browser, from_us = os.pipe()
        to_us, from_browser = os.pipe()
        self.pipe = DevToolsPipe()
        await self.pipe.connect(to_us, from_us)
        try:
            account.hand_over(self._profile.name, to_browser, from_browser)
            self._process = await self._spawn(words, account, to_browser, from_browser)
        finally:
            os.close(to_browser)
            os.close(from_browser)
        version = await self.pipe.call("Browser.getVersion", seconds=_START_SECONDS)
        name, is_alone = self._settings.user_agent, self._settings.is_alone
        self.user_agent = name if is_alone or not name else f"{version['userAgent']} {name}"

    async def _spawn(
        self, words: list[str], account: BrowserAccount, reading: int, writing: int
    ) -> asyncio.subprocess.Process:
        assert self._profile is not None
        nowhere = asyncio.subprocess.DEVNULL
        folder = self._profile.name
        own = {"HOME": folder} if account.is_other_user else {}
        # What it leaves in there when it is killed goes with its profile.
        own |= {"TMPDIR": folder} if len(folder) <= _MAX_TMPDIR_CHARS else {}
        more: dict[str, Any] = {**account.process_arguments(), **({"cwd": folder} if account.is_other_user else {})}
        return await asyncio.create_subprocess_exec(
            *("sh", "-c", _START_SHELL.format(reading=reading, writing=writing), *words),
            pass_fds=(reading, writing), stdin=nowhere, stdout=nowhere, stderr=nowhere,
            start_new_session=True, env={**_public_environment(), **own}, **more,
        )  # fmt: skip

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.returncode is None:
                self.pipe.send("Browser.close")
                with suppress(TimeoutError):
                    async with asyncio.timeout(_GRACE_SECONDS):
                        await process.wait()
            # What it started is of its group and must not outlive it, however it ended.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        self.pipe.close()
        if self._profile is not None:
            await asyncio.to_thread(self._profile.cleanup)
            self._profile = None


def _public_environment() -> dict[str, str]:
    """The environment without what is meant for webkeep alone, passphrases among it."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OWN_VARIABLES)}
