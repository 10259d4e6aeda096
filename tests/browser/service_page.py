"""One window of a real Chromium on the pages of a service: what a person does there by mouse and keyboard."""

import json
from contextlib import suppress
from typing import Any

from devtools import Browser, BrowserError, Message

_WAIT = """
new Promise((done, fail) => {
  const end = Date.now() + 20000;
  const look = () => {
    let value;
    try { value = (WANTED); } catch (error) { value = false; }
    if (value) done(JSON.stringify(value));
    else if (Date.now() > end) fail(new Error('not so: ' + document.body.innerText.slice(0, 1000)));
    else setTimeout(look, 30);
  };
  look();
})
"""
_PLACE = """
(() => {
  const found = document.querySelector(SELECTOR);
  found.scrollIntoView({block: 'center'});
  const box = found.getBoundingClientRect();
  return JSON.stringify([box.left, box.top, box.width, box.height]);
})()
"""
_TRIES = 20


class ServicePage:
    """A window, with whatever its console complains of."""

    def __init__(self, browser: Browser, url: str, width: int = 1200, scheme: str = "light") -> None:
        self._browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.go(url)

    def call(self, method: str, **params: object) -> Message:
        return self._browser.call(method, self.session, **params)

    def go(self, url: str) -> None:
        self.call("Page.navigate", url=url)

    def close(self) -> None:
        self._browser.call("Target.closeTarget", targetId=self.target)

    def wait(self, wanted: str) -> Any:
        """The value of an expression as soon as it is one, whichever pages come meanwhile."""
        for _ in range(_TRIES):
            with suppress(BrowserError):  # the page went elsewhere while it was asked
                found = self.call(
                    "Runtime.evaluate",
                    expression=_WAIT.replace("WANTED", wanted),
                    awaitPromise=True,
                    returnByValue=True,
                )
                if "exceptionDetails" in found:
                    raise AssertionError(f"{wanted}: {found['exceptionDetails']['exception'].get('description')}")
                return json.loads(found["result"]["value"])
        raise AssertionError(f"{wanted} was never so")

    def run(self, expression: str) -> Any:
        found = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, f"{expression}: {found['exceptionDetails']['exception']['description']}"
        return found["result"].get("value")

    def click(self, selector: str) -> None:
        left, top, width, height = self._place(selector)
        self._click_at(left + width / 2, top + height / 2)

    def click_picture(self, x: float, y: float) -> None:
        """Click into the shown page, at a place of its own."""
        left, top, width, height = self._place("#picture")
        seen = json.loads(str(self.run("JSON.stringify([seen.width, seen.height])")))
        self._click_at(left + x * width / seen[0], top + y * height / seen[1])

    def fill(self, selector: str, text: str) -> None:
        self.run(f"document.querySelector({selector!r}).focus()")
        self.call("Input.insertText", text=text)

    def press(self, *keys: str, modifiers: int = 0) -> None:
        for key in keys:
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            code = {"Tab": 9, "Enter": 13, "F6": 117, "Escape": 27, " ": 32}.get(key, ord(key[0].upper()))
            more = {"text": text} if text else {}
            pressed = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **pressed, **more)
            self.call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def tab_to(self, selector: str, modifiers: int = 0) -> None:
        """Go from field to field until it is this one, as people without a mouse do."""
        for _ in range(60):
            if self.run(f"document.activeElement.matches({selector!r})"):
                return
            self.press("Tab", modifiers=modifiers)
        raise AssertionError(f"no way to {selector} by keyboard")

    def complaints(self) -> list[str]:
        """What the console said so far."""
        found = []
        with suppress(BrowserError):
            while message := self._browser.event("complaints", 0.1):
                if message.get("sessionId") == self.session and message.get("method") == "Runtime.exceptionThrown":
                    found.append(str(message["params"]["exceptionDetails"]))
        return found

    def picture(self) -> bytes:
        import base64

        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def _place(self, selector: str) -> list[float]:
        found = self.run(_PLACE.replace("SELECTOR", json.dumps(selector)))
        assert found, f"there is no {selector}"
        return [float(each) for each in json.loads(str(found))]

    def _click_at(self, x: float, y: float) -> None:
        at = {"x": x, "y": y, "button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.call("Input.dispatchMouseEvent", type="mousePressed", buttons=1, **at)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", **at)
