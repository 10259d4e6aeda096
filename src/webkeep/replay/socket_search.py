"""Recorded WebSockets in an archive: which recording answers a socket that is opened again."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.formats.websocket_frames import FRAMES_TYPE
from webkeep.model import Moment
from webkeep.replay.collection import Found
from webkeep.replay.looking import Looker
from webkeep.replay.sockets import LARGEST, recorded_messages
from webkeep.url import normal, surt

_SWITCHING = 101
_TOGETHER = 600.0
"""Seconds within which several sockets count as those of one visit."""


def recorded_socket(looker: Looker, url: str, moment: Moment) -> dict[str, object]:
    """What is known of a socket, of the recording nearest to a moment; nothing where there is none."""
    href = normal(url)
    if href is None or not href.startswith(("ws://", "wss://")):
        return {}
    found = list(looker.visible(surt(href)))
    recording = _recording(found, moment)
    if recording is None:
        return {}
    content = b"".join(recording.read().content(LARGEST))
    told = recorded_messages(content.decode("utf-8", "replace").splitlines())
    return {**told, "protocol": _protocol(found, recording)}


def _recording(found: Sequence[Found], wanted: Moment) -> Found | None:
    """The recording nearest to a moment; of those made about the same time the one that says most."""
    recordings = [each for each in found if each.entry.media_type == FRAMES_TYPE]
    if not recordings:
        return None
    nearest = min(recordings, key=lambda each: abs(each.entry.moment.micros - wanted.micros)).entry.moment
    together = [each for each in recordings if abs(each.entry.moment.seconds_since(nearest)) < _TOGETHER]
    return max(together, key=lambda each: each.entry.place.length)


def _protocol(found: Sequence[Found], recording: Found) -> str:
    """The protocol that was agreed on, by the last handshake before the recording that names one."""
    for each in reversed(found):
        if each.entry.status == _SWITCHING and each.entry.moment <= recording.entry.moment:
            head = each.read().head
            if head is not None and (named := head.headers.get("sec-websocket-protocol")):
                return named
    return ""
