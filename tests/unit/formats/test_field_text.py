import pytest

from webkeep.formats.warc import clean_field, clean_target_uri, parse_named_fields


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("  around\t", "around"),
        ("two  inside", "two  inside"),
        ("a\r\nInjected: b", "a  Injected: b"),
        ("\n", ""),
        ("é\u00a0", "é"),
        ("\x00", "\x00"),
        ("lone \ud800", "lone ?"),
        ("<x>", "<x>"),
    ],
)
def test_what_is_written_is_what_is_read(text: str, found: str) -> None:
    assert clean_field(text) == found
    _, headers = parse_named_fields(f"WARC/1.1\r\nName: {found}\r\nOther: x\r\n\r\n".encode())
    assert list(headers) == [("Name", found), ("Other", "x")]


@pytest.mark.parametrize(
    ("url", "found"), [("http://x/<a>", "http://x/<a>"), ("<http://x/>", "http://x/"), ("<< a >>", "a"), ("<>", "")]
)
def test_targets_have_no_brackets(url: str, found: str) -> None:
    assert clean_target_uri(url) == found
