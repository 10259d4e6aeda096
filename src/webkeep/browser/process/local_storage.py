"""What sites keep in a browser beside cookies (localStorage), such as logins: read from a person's windows, put into
pages before their scripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from webkeep.browser.process.browser_errors import PageGone
from webkeep.browser.process.devtools_pipe import DevToolsPipe

LocalStores = Mapping[str, Mapping[str, str]]
"""Local storage by origin."""

_WEB_SCHEMES = ("http:", "https:")
_STORAGE_SCRIPT = """(() => {
  const kept = STORES[location.origin];
  try {
    for (const [name, value] of Object.entries(kept || {})) {
      if (localStorage.getItem(name) === null) localStorage.setItem(name, value);
    }
  } catch { /* a frame that may keep nothing */ }
})();"""


async def read_open_stores(pipe: DevToolsPipe) -> dict[str, dict[str, str]]:
    """What the pages that are open keep, by their origins and those of their frames."""
    found: dict[str, dict[str, str]] = {}
    for target in (await pipe.call("Target.getTargets"))["targetInfos"]:
        if target["type"] == "page":
            try:
                found |= await _read_stores(pipe, target["targetId"])
            except PageGone:  # closed, or on its way elsewhere: there is a next look
                continue
    return found


async def _read_stores(pipe: DevToolsPipe, target: str) -> dict[str, dict[str, str]]:
    session = (await pipe.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
    try:
        frames = (await pipe.call("Page.getFrameTree", session))["frameTree"]
        origins = {origin for origin in _frame_origins(frames) if origin.startswith(_WEB_SCHEMES)}
        return {origin: await _read_items(pipe, session, origin) for origin in sorted(origins)}
    finally:
        pipe.send("Target.detachFromTarget", sessionId=session)


async def _read_items(pipe: DevToolsPipe, session: str, origin: str) -> dict[str, str]:
    place = {"securityOrigin": origin, "isLocalStorage": True}
    entries = (await pipe.call("DOMStorage.getDOMStorageItems", session, storageId=place))["entries"]
    return {str(name): str(value) for name, value in entries}


def _frame_origins(tree: dict[str, Any]) -> Iterator[str]:
    yield str(tree["frame"]["securityOrigin"]).rstrip("/")
    for child in tree.get("childFrames", ()):
        yield from _frame_origins(child)


def storage_script(stores: LocalStores) -> str:
    """A script that puts into each page what its origin had, unless it has that already."""
    return _STORAGE_SCRIPT.replace("STORES", json.dumps(stores))
