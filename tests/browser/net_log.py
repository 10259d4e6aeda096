"""Chromium's own network log: every request it made, and the bytes that came of it."""

import base64
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

_SENT = frozenset({"HTTP_TRANSACTION_SEND_REQUEST_HEADERS", "HTTP_TRANSACTION_TUNNEL_SEND_REQUEST"})
Event = tuple[str, dict[str, object]]


@dataclass
class Logged:
    """One request as Chromium logged it; of a chain of redirects, one of its steps."""

    url: str
    method: str = "GET"
    body: bytes = b""
    is_sent: bool = False
    """Whether it went to the network, rather than to the browser's cache."""
    is_failed: bool = False


def requests_in(path: Path) -> list[Logged]:
    """The requests that went to the network, with what their jobs read."""
    text = path.read_text()
    # A browser that is ended may leave the last line unfinished.
    whole = text if text.rstrip().endswith("]}") or "polledData" in text else text[: text.rindex(",\n")] + "]}"
    log = json.loads(whole)
    names = {number: name for name, number in log["constants"]["logEventTypes"].items()}
    sources: defaultdict[int, list[Event]] = defaultdict(list)
    for event in log["events"]:
        sources[event["source"]["id"]].append((names[event["type"]], event.get("params") or {}))
    return [logged for events in sources.values() for logged in _requests(events) if logged.is_sent]


def _requests(events: list[Event]) -> list[Logged]:
    found: list[Logged] = []
    for name, params in events:
        if name == "URL_REQUEST_START_JOB" and str(params.get("url", "")).startswith(("http", "ws")):
            found.append(Logged(str(params["url"]), str(params.get("method", "GET"))))
        elif not found:
            continue
        elif name in _SENT:
            found[-1].is_sent = True
        elif name == "URL_REQUEST_JOB_FILTERED_BYTES_READ" and "bytes" in params:
            found[-1].body += base64.b64decode(str(params["bytes"]))
        elif name in ("FAILED", "CANCELLED"):
            found[-1].is_failed = True
    return found
