"""Charsets and titles: decided as browsers do, and never a foreign exception, whatever the bytes."""

import random

import pytest
from hypothesis import given, strategies as st

from webkeep.document import SNIFFED_BYTES, decode_text, detect_charset, read_page_title

RUSSIAN = "Новости дня: сегодня в порту открылась большая выставка кораблей"


@pytest.mark.parametrize(
    ("content", "declared", "charset"),
    [
        (b"", "", "windows-1252"),
        (b"plain words", "", "windows-1252"),
        ("Tütle".encode(), "", "utf-8"),
        (b"\xef\xbb\xbfabc", "koi8-r", "utf-8"),
        (b"\xff\xfea\x00", "utf-8", "utf-16le"),
        (b"\xfe\xff\x00a", "", "utf-16be"),
        (b"<meta charset=koi8-r>", "", "koi8-r"),
        (b"<meta charset=koi8-r>", "Shift_JIS", "shift_jis"),
        (b"<meta charset=koi8-r>", "no such charset", "koi8-r"),
        (b"<meta http-equiv=content-type content='text/html; charset=windows-1251'>", "", "windows-1251"),
        (b"<meta charset=utf-16>", "", "utf-8"),
        (b"abc", "latin1", "windows-1252"),
        (b"abc", "UTF8", "utf-8"),
        (b"abc", "\ud800", "windows-1252"),
        (b"abc", "a\0b", "windows-1252"),
        (b"<!-- <meta charset=koi8-r> -->abc", "", "windows-1252"),
        (b'<?xml version="1.0" encoding="shift_jis"?><html>', "", "shift_jis"),
        (b'<?xml version="1.0" encoding="utf-16"?><html>', "", "utf-8"),
        (b'<?xml version="1.0" encoding="big5"?><meta charset=koi8-r>', "", "koi8-r"),
        (b'<?xml version="1.0" encoding="klingon"?><html>', "", "windows-1252"),
        (b"<head><!--" + b"x" * 3000 + b"--><meta charset=koi8-r>", "", "koi8-r"),
        (b"<head><!--" + b"x" * 3000 + b"<meta charset=koi8-r>-->", "", "windows-1252"),
        (RUSSIAN.encode("windows-1251"), "", "windows-1251"),
        (RUSSIAN.encode("koi8-r"), "", "koi8-u"),
    ],
)
def test_the_charset_is_the_one_a_browser_takes(content: bytes, declared: str, charset: str) -> None:
    assert detect_charset(content, declared) == charset


def test_only_the_start_of_a_document_decides() -> None:
    assert detect_charset(b"x" * SNIFFED_BYTES + "ü".encode()) == "windows-1252"


@pytest.mark.parametrize(
    ("content", "declared", "text"),
    [
        ("été".encode("windows-1252"), "", "été"),
        (b"\xef\xbb\xbfabc", "", "abc"),
        ("\ufeffabc".encode("utf-16le"), "", "abc"),
        (RUSSIAN.encode("koi8-r"), "koi8-r", RUSSIAN),
        (b"a\xff", "utf-8", "a\ufffd"),
    ],
)
def test_text_is_decoded_without_its_mark(content: bytes, declared: str, text: str) -> None:
    assert decode_text(content, declared) == text


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("", ""),
        ("<p>no title", ""),
        ("<title>One</title>", "One"),
        ("<TITLE>\n  One \t two\r\n</TITLE >", "One two"),
        ("<title>a<b>c</b> &amp; &eacute;&#x1F600;</title>", "a<b>c</b> & é😀"),
        ("<title>never closed", "never closed"),
        ("<title></title><title>second</title>", ""),
        ("<!-- <title>comment</title> --><title>real</title>", "real"),
        ("<script>'<title>script</title>'</script><title>real</title>", "real"),
        ("<body><svg><title>picture</title></svg>", ""),
        ("<body><svg><title>picture</title></svg><title>late</title>", "late"),
        ("<template><title>stamp</title></template><title>real</title>", "real"),
        ("<p>text<title>in the body</title>", "in the body"),
        ("<title>half &#xD800; surrogate</title>", "half \ufffd surrogate"),
        ("<title>nul\0nul</title>", "nul\ufffdnul"),
    ],
)
def test_the_title_is_the_first_of_the_page(markup: str, title: str) -> None:
    assert read_page_title(markup.encode(), "utf-8") == title


def test_titles_are_read_in_their_charset() -> None:
    assert read_page_title(f"<meta charset=koi8-r><title>{RUSSIAN}</title>".encode("koi8-r")) == RUSSIAN
    assert read_page_title(f"<title>{RUSSIAN}</title>".encode("windows-1251"), "windows-1251") == RUSSIAN
    assert read_page_title("\ufeff<title>Zwölf</title>".encode("utf-16le"), "utf-8") == "Zwölf"


def test_a_title_beyond_the_part_looked_at_is_not_read() -> None:
    assert read_page_title(b" " * SNIFFED_BYTES + b"<title>late</title>") == ""


PIECES = [
    b"<title>", b"</title>", b"<title", b"</title", b"<svg>", b"</svg>", b"<template>", b"<meta charset=", b"utf-16",
    b"shift_jis>", b"<!--", b"-->", b"<![CDATA[", b"<script>", b"<table>", b"<math>", b"&#x", b"&", b"\xff\xfe",
    b"\x00", b"\xef\xbb\xbf", b"\x1b$B", b"<?xml encoding='", b"'", b'"', b"=", b">", b"<", b"\xe3\x81",
    b"\xf0\x9f", b"word ",
]  # fmt: skip
LABELS = [
    "",
    "utf-8",
    "utf-16",
    "iso-2022-jp",
    "replacement",
    "x-user-defined",
    "hz-gb-2312",
    "big5",
    "\udcff",
    "x" * 999,
]


def test_no_bytes_raise() -> None:
    chance = random.Random(20260101)
    for _ in range(20_000):
        pieces = [chance.choice(PIECES) if chance.random() < 0.8 else chance.randbytes(3) for _ in range(12)]
        content = b"".join(pieces)
        label = chance.choice(LABELS)
        title = read_page_title(content, label)
        assert title == " ".join(title.split())
        assert isinstance(decode_text(content, label), str)


@given(st.binary(), st.text())
def test_no_bytes_and_no_label_raise(content: bytes, label: str) -> None:
    assert detect_charset(content, label) == detect_charset(content, label).lower()
    read_page_title(content, label)
    decode_text(content, label)


@pytest.mark.parametrize(
    "content",
    [
        b"<meta" * 60_000,
        b"<title></title>" * 20_000,
        b"<svg>" + b"<title></title>" * 20_000,
        b"<template>" + b"<div>" * 20_000 + b"<title></title>" * 10_000,
        b"<?xml" + b" encoding" * 30_000,
        b"<table>" * 40_000,
        b"<b><p>" * 40_000,
    ],
    ids=["metas", "titles", "pictures", "template", "xml", "tables", "formatting"],
)
@pytest.mark.timeout(20)
def test_hostile_repetition_ends(content: bytes) -> None:
    assert read_page_title(content) == ""
