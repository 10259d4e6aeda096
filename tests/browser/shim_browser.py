"""Chromium over its debugging pipe: pages opened one after the other, what they say, and what goes wrong in them."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import queue
import subprocess
import threading
from pathlib import Path
from typing import Any

PATIENCE = 30
_FLAGS = [
    "--headless=new",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-sync",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-gpu",
    "--mute-audio",
    "--remote-debugging-pipe",
    "--autoplay-policy=no-user-gesture-required",
]


class Chromium:
    """A browser with a fresh profile; names outside are mapped to a port of ours: nothing leaves the machine."""

    def __init__(self, profile: Path, canary: int) -> None:
        to_browser, from_us = os.pipe()
        to_us, from_browser = os.pipe()
        # The browser reads from 3 and writes to 4; high numbers keep the way free.
        reading, writing = (fcntl.fcntl(each, fcntl.F_DUPFD, 20) for each in (to_browser, from_browser))
        words = ["chromium", *_FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else []), f"--user-data-dir={profile}"]
        words += [f"--host-resolver-rules=MAP *.example 127.0.0.1:{canary}", "about:blank"]
        shell = f'exec 3<&{reading} 4>&{writing} {reading}<&- {writing}>&-; exec "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "chromium", *words],
            pass_fds=(reading, writing),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for each in (to_browser, from_browser, reading, writing):
            os.close(each)
        self._out = os.fdopen(from_us, "wb", buffering=0)
        self._in = os.fdopen(to_us, "rb")
        self._numbers = itertools.count(1)
        self._waiting: dict[int, queue.Queue[dict[str, Any]]] = {}
        self._pages: dict[str, Page] = {}
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        self._out.close()
        self._in.close()

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        answers = self._waiting[number] = queue.Queue()
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        self._out.write(json.dumps(message).encode() + b"\0")
        answer = answers.get(timeout=PATIENCE)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, url: str, scripts: bool = True) -> Page:
        """A page of its own, once it has loaded; with scripts switched off if asked for."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable", session)
        self.call("Emulation.setScriptExecutionDisabled", session, value=not scripts)
        self.call("Page.navigate", session, url=url)
        assert page.loaded.wait(PATIENCE), url
        return page

    def _read(self) -> None:
        pending = b""
        while piece := self._in.read1(65536):
            *messages, pending = (pending + piece).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    self._waiting.pop(message["id"]).put(message)
                elif message.get("sessionId") in self._pages:
                    self._pages[message["sessionId"]].heard(message)


class Page:
    """A page in the browser."""

    def __init__(self, browser: Chromium, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target
        self.loaded = threading.Event()
        self.errors: list[str] = []

    def heard(self, message: dict[str, Any]) -> None:
        method, said = message["method"], message["params"]
        if method == "Page.loadEventFired":
            self.loaded.set()
        elif method == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and said["type"] == "error":
            self.errors.append(" ".join(str(each.get("value", each.get("description"))) for each in said["args"]))
        elif method == "Log.entryAdded" and said["entry"]["level"] == "error":
            self.errors.append(f"{said['entry']['text']} {said['entry'].get('url', '')}")

    def value(self, expression: str) -> Any:
        """What an expression, or the promise it gives, comes to."""
        answer = self._browser.call(
            "Runtime.evaluate", self._session, expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def close(self) -> None:
        self._browser.call("Target.closeTarget", targetId=self._target)
