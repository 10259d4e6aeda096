"""What is known of pages that were served before, and when it is not true any more."""

import pytest

from webkeep.vault.blocks import can_carry
from webkeep.vault.middleware import known_pages
from webkeep.vault.middleware.known_pages import KnownPages

PAGE = "<!DOCTYPE html><html><head><title>Tides</title></head><body>{rest}<p>{tide} m</p>{words}</body></html>"
WORDS = "<p>words</p>" * 200


def page(tide: str, rest: str = "") -> bytes:
    return PAGE.format(tide=tide, rest=rest, words=WORDS).encode()


@pytest.fixture
def looked_through(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The pages that were looked through."""
    seen: list[bytes] = []
    real = known_pages._look_through
    monkeypatch.setattr(known_pages, "_look_through", lambda *args: seen.append(args[0]) or real(*args))
    return seen


def test_a_page_that_stays_is_looked_through_once(looked_through: list[bytes]) -> None:
    known = KnownPages()
    assert all(known.can_carry("a", page("1.2")) for _ in range(5))
    assert len(looked_through) == 1


def test_of_a_page_that_is_never_the_same_twice_two_are_looked_through(looked_through: list[bytes]) -> None:
    known = KnownPages()
    assert all(known.can_carry("a", page(f"{number / 7}")) for number in range(100))
    assert len(looked_through) == 2


@pytest.mark.parametrize(
    "strange", ["<textarea>", "<script>", "<!--", "--><!--", "\x1b$B", "</title><title>", "<style", "<plaintext "]
)
def test_what_is_left_open_is_found_in_whatever_is_known(strange: str) -> None:
    known = KnownPages()
    for tide in ("1.2", "3.4", "5.6", strange, "7.8", strange + "9", "1.3"):
        assert known.can_carry("a", page(tide)) is can_carry(page(tide)), tide


def test_more_that_is_no_mark_is_known_too_and_other_marks_are_not(looked_through: list[bytes]) -> None:
    known = KnownPages()
    for tide in ("1.2", "3.4", "5.6"):
        assert known.can_carry("a", page(tide))
    assert known.can_carry("a", page("1.2", rest="<p>News</p>"))
    assert not known.can_carry("a", page("1.2", rest="<textarea>"))
    assert len(looked_through) == 3


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_pages, "_MAX_KEPT_BYTES", 10_000)
    known = KnownPages()
    for number in range(100):
        assert known.can_carry(str(number), page(str(number)))
        assert sum(len(each.page) for each in known._pages.values()) <= 10_000 + len(page("100"))
