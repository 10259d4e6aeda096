"""What a shown browser asks for, passed on and kept nowhere: for logging in, of which no archive is to know."""

from __future__ import annotations

from webkeep.fetch import FetchResult
from webkeep.fetch.proxy import InterceptedRequest, SendUpstream, WebSocketConversation
from webkeep.url import split_url

_SECURE_PORT, _PLAIN_PORT = 443, 80
"""Those of https and http, where a URL names none."""


def host_and_port(url: str) -> str:
    """Where a URL leads, as `host:port`."""
    parts = split_url(url)
    return f"{parts.host.lower()}:{parts.port or (_SECURE_PORT if parts.scheme in ('https', 'wss') else _PLAIN_PORT)}"


class PassingRecorder:
    """Records nothing; of private addresses those are open, as `host:port`, that an administrator named."""

    def __init__(self, private_hosts: frozenset[str] = frozenset()) -> None:
        self._private_hosts = private_hosts

    def decide(self, asked: InterceptedRequest) -> SendUpstream:
        """Everything is asked for, as far as its address may be."""
        return SendUpstream(is_recorded=False, private=host_and_port(asked.url) in self._private_hosts)

    def is_recorded(self, _url: str, _head: bytes) -> bool:
        """Nothing is."""
        return False

    def record_exchange(self, fetched: FetchResult, kept: bool) -> None:
        """An exchange has come to its end."""

    def record_websocket(self, conversation: WebSocketConversation) -> None:
        """A WebSocket connection has come to its end."""

    def note_left_out(self, url: str, reason: str) -> None:
        """Something passed, or was refused."""

    def note_warning(self, text: str) -> None:
        """Nobody is there to be told."""

    @property
    def serves_unrecorded(self) -> bool:
        """Whatever passes is not recorded."""
        return True
