"""Requests of the browser and of its page are told apart, in whatever order the protocol tells of them."""

from typing import Any

import pytest

from webkeep.browser.tabs.background_requests import BackgroundRequestFilter


def told(number: str, initiator: str, kind: str = "Other") -> dict[str, Any]:
    return {"requestId": number, "type": kind, "initiator": {"type": initiator}}


def paused(number: str) -> dict[str, Any]:
    return {"requestId": f"interception-{number}", "networkId": number}


@pytest.mark.parametrize(("initiator", "is_page"), [("other", False), ("parser", True), ("script", True)])
@pytest.mark.parametrize("held_first", [False, True])
def test_a_request_is_settled_once_both_domains_have_told(initiator: str, is_page: bool, held_first: bool) -> None:
    settled: list[tuple[str, bool]] = []
    requests = BackgroundRequestFilter(lambda number, allowed: settled.append((number, allowed)))
    if held_first:
        requests.hold_request(paused("77.1"))
        assert settled == []
    assert requests.is_background_request(told("77.1", initiator)) is not is_page
    if not held_first:
        requests.hold_request(paused("77.1"))
    assert settled == [("interception-77.1", is_page)]


def test_other_kinds_of_requests_are_the_pages() -> None:
    requests = BackgroundRequestFilter(lambda number, allowed: pytest.fail("nothing was held"))
    for kind in ("Document", "Script", "Image", "Fetch"):
        assert not requests.is_background_request(told("77.1", "other", kind))


def test_what_nobody_explains_does_not_outlast_its_document() -> None:
    settled: list[tuple[str, bool]] = []
    requests = BackgroundRequestFilter(lambda number, allowed: settled.append((number, allowed)))
    requests.hold_request({"requestId": "interception-0"})
    requests.hold_request(paused("77.1"))
    requests.forget_all()
    assert settled == [("interception-0", True), ("interception-77.1", False)]


def test_scripts_of_workers_are_never_held_back() -> None:
    """The process of the browser asks for them, and this tab may hear nothing more of that."""
    settled: list[tuple[str, bool]] = []
    requests = BackgroundRequestFilter(lambda number, allowed: settled.append((number, allowed)))
    requests.hold_request(paused("75A3D08195DD2A4DA61D67E7656034CF"))
    requests.is_background_request(told("77.2", "script", "Script"))
    requests.hold_request(paused("77.2"))
    assert settled == [("interception-75A3D08195DD2A4DA61D67E7656034CF", True), ("interception-77.2", True)]
