"""A page with nothing on it, for scripts of ours that need what only a browser has, such as reading pictures; it has no
way to the web.
"""

from __future__ import annotations

from webkeep.browser.process.browser_errors import PageGone
from webkeep.browser.process.chromium import Chromium
from webkeep.browser.process.chromium_command import DEAD_PROXY


class ScriptPage:
    """An empty page in a context of its own; `open` comes first."""

    def __init__(self, browser: Chromium) -> None:
        self._pipe = browser.pipe
        self._session = ""

    async def open(self) -> None:
        """Make it."""
        made = await self._pipe.call("Target.createBrowserContext", proxyServer=f"http://{DEAD_PROXY}")
        context = str(made["browserContextId"])
        target = await self._pipe.call("Target.createTarget", url="about:blank", browserContextId=context)
        attached = await self._pipe.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = str(attached["sessionId"])

    async def call_function(self, function: str, seconds: float, *values: object) -> object:
        """What a function in JavaScript gives for values of JSON, once it is there."""
        scope = await self._pipe.call("Runtime.evaluate", self._session, expression="globalThis")
        answer = await self._pipe.call(
            "Runtime.callFunctionOn",
            self._session,
            seconds,
            functionDeclaration=function,
            objectId=scope["result"]["objectId"],
            arguments=[{"value": each} for each in values],
            awaitPromise=True,
            returnByValue=True,
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise PageGone(str(details.get("exception", {}).get("description") or details["text"]))
        return answer["result"].get("value")
