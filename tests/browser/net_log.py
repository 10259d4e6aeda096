"""Chromium's own network log: every request it made, and the bytes that came of it."""

import base64
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Logged:
    """One request as Chromium logged it."""

    url: str
    method: str = "GET"
    body: bytes = b""
    is_failed: bool = False


def requests_in(path: Path) -> list[Logged]:
    """The requests that went to the network, with what their jobs read."""
    text = path.read_text()
    # A browser that is ended may leave the last line unfinished.
    whole = text if text.rstrip().endswith("]}") or "polledData" in text else text[: text.rindex(",\n")] + "]}"
    log = json.loads(whole)
    names = {number: name for name, number in log["constants"]["logEventTypes"].items()}
    sources: defaultdict[int, list[tuple[str, dict[str, object]]]] = defaultdict(list)
    for event in log["events"]:
        sources[event["source"]["id"]].append((names[event["type"]], event.get("params") or {}))
    return [logged for events in sources.values() for logged in _requests(events)]


def _requests(events: list[tuple[str, dict[str, object]]]) -> list[Logged]:
    found: list[Logged] = []
    is_sent = False
    for name, params in events:
        if name == "URL_REQUEST_START_JOB" and str(params.get("url", "")).startswith(("http", "ws")):
            found.append(Logged(str(params["url"]), str(params.get("method", "GET"))))
        elif name in ("HTTP_TRANSACTION_SEND_REQUEST_HEADERS", "HTTP_TRANSACTION_TUNNEL_SEND_REQUEST"):
            is_sent = True
        elif name in ("URL_REQUEST_JOB_FILTERED_BYTES_READ", "URL_REQUEST_JOB_BYTES_READ") and found:
            if "bytes" in params and name == "URL_REQUEST_JOB_FILTERED_BYTES_READ":
                found[-1].body += base64.b64decode(str(params["bytes"]))
        elif name in ("FAILED", "CANCELLED") and found:
            found[-1].is_failed = True
    return found if is_sent else []
