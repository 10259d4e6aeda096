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


def asked(number: str, url: str) -> dict[str, object]:
    return {"requestId": number, "type": "Stylesheet", "request": {"method": "GET", "url": url}}


def test_requests_that_failed_are_told_with_their_status_whatever_the_order_of_events() -> None:
    called_off = {"canceled": True, "errorText": "net::ERR_ABORTED"}

    async def look() -> tuple[tuple[str, int], ...]:
        journal = TabJournal()
        journal.begin_document()
        for number in "1234":
            journal.on_network_event("Network.requestWillBeSent", asked(number, f"http://site.test/{number}"))
        received = {"requestId": "1", "response": {"url": "http://site.test/1", "status": 404}}
        journal.on_network_event("Network.responseReceived", received)
        journal.on_network_event("Network.loadingFinished", {"requestId": "1"})
        # What has not the type that it is wanted for is called off, before or after its status is told.
        journal.on_network_event("Network.responseReceivedExtraInfo", {"requestId": "2", "statusCode": 451})
        journal.on_network_event("Network.loadingFailed", {"requestId": "2", **called_off})
        journal.on_network_event("Network.loadingFailed", {"requestId": "3", **called_off})
        journal.on_network_event("Network.responseReceivedExtraInfo", {"requestId": "3", "statusCode": 500})
        journal.on_network_event("Network.loadingFailed", {"requestId": "4", **called_off})
        return tuple((each.url[-1], each.status) for each in journal.take_effects().failures)

    assert asyncio.run(look()) == (("1", 404), ("2", 451), ("3", 500)), "the page itself called off the fourth"


def test_errors_on_the_console_are_told_and_bounded() -> None:
    journal = TabJournal()
    journal.on_console_event("Runtime.exceptionThrown", {"exceptionDetails": {"text": "Uncaught", "exception": {}}})
    journal.on_console_event("Runtime.consoleAPICalled", {"type": "log", "args": [{"value": "tide"}]})
    entry = {"level": "error", "source": "network", "text": "Failed to load resource"}
    journal.on_console_event("Log.entryAdded", {"entry": entry})
    for _ in range(1000):
        journal.on_console_event("Runtime.consoleAPICalled", {"type": "error", "args": [{"value": "x" * 9999}, {}]})
    errors = journal.take_effects().errors
    assert errors[:2] == ("Uncaught", "x" * 500)
    assert len(errors) == 100
