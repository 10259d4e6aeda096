"""What sites keep in a browser beside cookies: read from a person's windows, put into pages before their scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from webkeep.browser.failures import PageGone
from webkeep.browser.pipe import Pipe

Stores = Mapping[str, Mapping[str, str]]
"""Local storage by origin."""

_WEB = ("http:", "https:")
_PUT = """(() => {
  const kept = STORES[location.origin];
  try {
    for (const [name, value] of Object.entries(kept || {})) {
      if (localStorage.getItem(name) === null) localStorage.setItem(name, value);
    }
  } catch { /* a frame that may keep nothing */ }
})();"""


async def open_stores(pipe: Pipe) -> dict[str, dict[str, str]]:
    """What the pages that are open keep, by their origins and those of their frames."""
    found: dict[str, dict[str, str]] = {}
    for target in (await pipe.call("Target.getTargets"))["targetInfos"]:
        if target["type"] == "page":
            try:
                found |= await _stores_of(pipe, target["targetId"])
            except PageGone:  # closed, or on its way elsewhere: there is a next look
                continue
    return found


async def _stores_of(pipe: Pipe, target: str) -> dict[str, dict[str, str]]:
    session = (await pipe.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
    try:
        frames = (await pipe.call("Page.getFrameTree", session))["frameTree"]
        origins = {origin for origin in _origins(frames) if origin.startswith(_WEB)}
        return {origin: await _items(pipe, session, origin) for origin in sorted(origins)}
    finally:
        pipe.send("Target.detachFromTarget", sessionId=session)


async def _items(pipe: Pipe, session: str, origin: str) -> dict[str, str]:
    place = {"securityOrigin": origin, "isLocalStorage": True}
    entries = (await pipe.call("DOMStorage.getDOMStorageItems", session, storageId=place))["entries"]
    return {str(name): str(value) for name, value in entries}


def _origins(tree: dict[str, Any]) -> Iterator[str]:
    yield str(tree["frame"]["securityOrigin"]).rstrip("/")
    for child in tree.get("childFrames", ()):
        yield from _origins(child)


def putting(stores: Stores) -> str:
    """A script that puts into each page what its origin had, unless it has that already."""
    return _PUT.replace("STORES", json.dumps(stores))
