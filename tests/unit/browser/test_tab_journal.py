"""What a tab's network says of whether its page may be left."""

import asyncio

import pytest

from webkeep.browser.tabs.tab_journal import TabJournal

SOCKET = {"requestId": "7", "url": "ws://127.0.0.1/socket"}


@pytest.mark.parametrize(
    "end", ["Network.webSocketHandshakeResponseReceived", "Network.webSocketFrameError", "Network.webSocketClosed"]
)
def test_a_socket_is_waited_for_until_it_is_open_or_refused(end: str) -> None:
    async def look() -> None:
        journal = TabJournal()
        journal.begin_document()
        journal.on_network_event("Network.webSocketCreated", SOCKET)
        assert journal.is_awaiting_responses()
        journal.on_network_event("Network.webSocketWillSendHandshakeRequest", {"requestId": "7"})
        assert journal.is_awaiting_responses()
        journal.on_network_event(end, {"requestId": "7"})
        assert not journal.is_awaiting_responses()
        journal.on_network_event("Network.webSocketFrameReceived", {"requestId": "7"})
        assert not journal.is_awaiting_responses(), "what it says has no end"

    asyncio.run(look())


def test_the_first_word_of_a_page_is_waited_for_until_its_answer() -> None:
    async def look() -> None:
        journal = TabJournal()
        journal.begin_document()
        journal.on_network_event("Network.webSocketCreated", SOCKET)
        journal.on_network_event("Network.webSocketHandshakeResponseReceived", {"requestId": "7"})
        journal.on_network_event("Network.webSocketFrameSent", {"requestId": "7"})
        assert journal.is_awaiting_responses()
        journal.on_network_event("Network.webSocketFrameReceived", {"requestId": "7"})
        assert not journal.is_awaiting_responses()
        journal.on_network_event("Network.webSocketFrameSent", {"requestId": "7"})
        assert not journal.is_awaiting_responses(), "what it says has no end"

    asyncio.run(look())


def test_a_socket_that_speaks_first_is_not_waited_for() -> None:
    async def look() -> None:
        journal = TabJournal()
        journal.begin_document()
        journal.on_network_event("Network.webSocketCreated", SOCKET)
        for event in ("HandshakeResponseReceived", "FrameReceived", "FrameSent"):
            journal.on_network_event(f"Network.webSocket{event}", {"requestId": "7"})
        assert not journal.is_awaiting_responses()

    asyncio.run(look())
