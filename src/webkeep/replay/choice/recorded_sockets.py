"""Recorded WebSockets in an archive: which recording answers a socket that is opened again, how its frames become
messages (permessage-deflate), and how long a recording may be.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from webkeep.formats import read_json
from webkeep.formats.http import FRAMES_TYPE
from webkeep.formats.status import SWITCHING_PROTOCOLS
from webkeep.model import Moment
from webkeep.replay.choice.collection import Memento
from webkeep.replay.choice.memento_lookup import MementoLookup
from webkeep.url import normalize_url, surt

# Recorded WebSockets: the frames that were kept, put together to messages, as the script in a page wants them.

MAX_RECORDING_BYTES = 16 << 20
"""No recording is played that is longer than this, packed or unpacked."""

_CONTINUATION, _TEXT, _BINARY, _CLOSE = 0, 1, 2, 8
"""Opcodes of RFC 6455, 5.2."""
_FIN_FLAG, _DEFLATED_FLAG = 8, 4
"""The last frame of a message, and one whose message is compressed (RFC 6455, RFC 7692)."""
_DEFLATE_TAIL = b"\x00\x00\xff\xff"


@dataclass(slots=True)
class _Direction:
    """One direction: what is left of a message, and how its payloads are unpacked."""

    opcode: int = 0
    packed: bool = False
    pieces: list[bytes] = field(default_factory=list)
    inflater: zlib._Decompress = field(default_factory=lambda: zlib.decompressobj(-15))
    unpacked: int = 0
    """How many bytes its messages have so far."""

    def add_frame(self, opcode: int, flags: int, payload: bytes) -> tuple[int, bytes] | None:
        """A message, where this frame is the last of one; raises zlib.error where it cannot be unpacked."""
        if opcode != _CONTINUATION:
            self.opcode, self.packed, self.pieces = opcode, bool(flags & _DEFLATED_FLAG), []
        self.pieces.append(payload)
        if not flags & _FIN_FLAG:
            return None
        data = b"".join(self.pieces)
        if self.packed:  # an inflater that goes on undoes what begins afresh with each message as well
            data = self.inflater.decompress(data + _DEFLATE_TAIL, MAX_RECORDING_BYTES - self.unpacked + 1)
        self.unpacked += len(data)
        if self.unpacked > MAX_RECORDING_BYTES:
            raise zlib.error("more than is played")
        return self.opcode, data


def read_messages(lines: Iterable[str]) -> dict[str, object]:
    """What is known of a socket: its messages in their order, and how the server closed it, if that was first."""
    sides = {"client": _Direction(), "server": _Direction()}
    messages: list[dict[str, str]] = []
    closing: list[object] | None = None
    for line in lines:
        frame = _parse_frame(line)
        if frame is None:
            continue
        sender, opcode, flags, payload = frame
        if opcode == _CLOSE:
            # A page that closed its socket will do so again; only what the server did is to be done for it.
            if sender == "server":
                closing = [int.from_bytes(payload[:2], "big") or 1005, payload[2:].decode("utf-8", "replace")]
            break
        if opcode in (_CONTINUATION, _TEXT, _BINARY):
            try:
                message = sides[sender].add_frame(opcode, flags, payload)
            except zlib.error:
                break  # without this one the rest cannot be unpacked either
            if message is not None:
                messages.append({"from": sender, **_message_values(*message)})
    told: dict[str, object] = {"protocol": "", "frames": messages}
    return told if closing is None else {**told, "close": closing}


def _parse_frame(line: str) -> tuple[str, int, int, bytes] | None:
    try:
        told = read_json(line)
        text = told.get("text")
        payload = base64.b64decode(told["base64"]) if text is None else str(text).encode("utf-8", "surrogatepass")
        sender = "client" if told["from"] == "client" else "server"
        return sender, int(told["opcode"]), int(told["flags"]), payload
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error):
        return None


def _message_values(opcode: int, data: bytes) -> dict[str, str]:
    if opcode == _TEXT:
        return {"text": data.decode("utf-8", "replace")}
    return {"base64": base64.b64encode(data).decode()}


_SAME_VISIT_SECONDS = 600.0
"""Seconds within which several sockets count as those of one visit."""


def find_recorded_socket(lookup: MementoLookup, url: str, moment: Moment) -> dict[str, object]:
    """What is known of a socket, of the recording nearest to a moment; nothing where there is none."""
    href = normalize_url(url)
    if href is None or not href.startswith(("ws://", "wss://")):
        return {}
    found = list(lookup.visible_versions(surt(href)))
    recording = _nearest_recording(found, moment)
    if recording is None:
        return {}
    content = b"".join(recording.read().content(MAX_RECORDING_BYTES))
    told = read_messages(content.decode("utf-8", "replace").splitlines())
    return {**told, "protocol": _agreed_protocol(found, recording)}


def _nearest_recording(found: Sequence[Memento], wanted: Moment) -> Memento | None:
    """The recording nearest to a moment; of those made about the same time the one that says most."""
    recordings = [each for each in found if each.entry.media_type == FRAMES_TYPE]
    if not recordings:
        return None
    nearest = min(recordings, key=lambda each: abs(each.entry.moment.micros - wanted.micros)).entry.moment
    together = [each for each in recordings if abs(each.entry.moment.seconds_since(nearest)) < _SAME_VISIT_SECONDS]
    return max(together, key=lambda each: each.entry.place.length)


def _agreed_protocol(found: Sequence[Memento], recording: Memento) -> str:
    """The protocol that was agreed on, by the last handshake before the recording that names one."""
    for each in reversed(found):
        if each.entry.status == SWITCHING_PROTOCOLS and each.entry.moment <= recording.entry.moment:
            head = each.read().head
            if head is not None and (named := head.headers.get("sec-websocket-protocol")):
                return named
    return ""
