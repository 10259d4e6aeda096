"""Media types and charsets as servers spell them."""

import pytest

from webkeep.formats.http import bare_media_type, declared_charset, declared_media_type
from webkeep.model import Headers


@pytest.mark.parametrize(
    ("value", "bare", "named"),
    [
        ("Text/HTML; charset=UTF-8", "Text/HTML", "utf-8"),
        ("text/html;charset='latin-1'", "text/html", "latin-1"),
        ('text/html ; CharSet = "windows-1252"', "text/html", "windows-1252"),
        ('text/html; charset="unclosed', "text/html", "unclosed"),
        ("text/html charset=utf8", "text/html", ""),
        ("text/html; boundary=x; charset=euc-jp; q=1", "text/html", "euc-jp"),
        ("text/html,text/plain", "text/html,text/plain", ""),
        (";charset=x", "", "x"),
        ("", "", ""),
    ],
)
def test_content_types(value: str, bare: str, named: str) -> None:
    headers = Headers((("Content-Type", value), ("Content-Type", "text/second")))
    assert bare_media_type(value) == bare
    assert declared_media_type(headers) == bare.lower()
    assert declared_charset(headers) == named


def test_no_content_type() -> None:
    assert declared_media_type(Headers()) == ""
    assert declared_charset(Headers()) == ""
