"""What of an archived head goes out, and under which name."""

import pytest

from webkeep.model import Headers
from webkeep.replay.delivery.archived_headers import entity_headers, replay_cookies


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ("a=1", "a=1"),
        ("a=1; Path=/x; Secure; HttpOnly; SameSite=Lax", "a=1; Path=/x; Secure; HttpOnly; SameSite=Lax"),
        ("a=1; Domain=base.example; path=/", "a=1; Path=/"),
        ("a=1;\x01Domain=base.example", "a=1"),
        ("a=1; \x0bdomain=base.example; secure", "a=1; Secure"),
        ("a=1;\tDOMAIN\t=base.example", "a=1"),
        ("a=1; Partitioned; Priority=High; Foo=Bar", "a=1"),
        ("a=1; Path=/\x01x", "a=1"),
        ("a\x00=1; Path=/", None),
        ("a=1\x01Domain=base.example", None),
        ("a=1; Expires=Wed, 01 Jan 2025 00:00:00 GMT", "a=1"),
        ("a=; Max-Age=0; Domain=.base.example", "a=; Max-Age=0"),
        ("a=; expires=Thu, 01-Jan-1970 00:00:00 GMT", "a=; Max-Age=0"),
        ("[redacted]", None),
        ("caf\xe9=cr\xe8me", "caf\xe9=cr\xe8me"),
        ("", ""),
    ],
)
def test_a_cookie_is_written_anew(value: str, sent: str | None) -> None:
    found = [each for _, each in replay_cookies(Headers((("Set-Cookie", value),)))]
    assert found == ([sent] if sent else [])


def test_only_known_names_go_out_as_they_are() -> None:
    names = ("Content-Language", "Last-Modified", "X-Reproxy-URL", "X-Anything", "Anything", "Refresh", "Server")
    headers = Headers(tuple((name, "v") for name in names))
    assert [name for name, _ in entity_headers(headers)] == ["Content-Language", "Last-Modified"]


def test_what_scripts_of_other_origins_may_read_they_may_read_by_the_name_it_goes_out_with() -> None:
    headers = Headers((("Access-Control-Expose-Headers", "X-Total, ETag, bad name"),))
    assert entity_headers(headers) == [
        ("Access-Control-Expose-Headers", "X-Total, ETag, bad name, X-Archive-Orig-X-Total, X-Archive-Orig-ETag")
    ]
