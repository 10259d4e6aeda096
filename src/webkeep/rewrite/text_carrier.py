"""Carriers: a document's bytes as text that can be edited and turned into bytes again without loss, and for which
charsets that is not done (ISO-2022-JP).

Theory of operation. Decoding as a browser does loses what was wrong with the bytes, and other charsets cannot be
encoded back with certainty. So a document is edited in a text that stands for its bytes one to one: UTF-8 with its
wrong bytes set aside, UTF-16 with lone surrogates, everything else byte by byte, as markup in all other charsets is
ASCII. What a stretch of a carrier means is asked for where it matters, which is in addresses beyond ASCII.
"""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.document import detect_charset, sniff_utf16

_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_UNSUPPORTED_CHARSETS = frozenset(("replacement", "iso-2022-jp"))
_CODECS = {"utf-8": "utf-8", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}


@dataclass(frozen=True, slots=True)
class TextCarrier:
    """A document as text; `before` and `after` are bytes that are no part of it."""

    text: str
    charset: str
    before: bytes = b""
    after: bytes = b""

    @classmethod
    def from_bytes(cls, content: bytes, declared: str = "") -> TextCarrier | None:
        """The carrier of a document; None where its charset mixes markup and text in the same bytes."""
        charset = sniff_utf16(content) or detect_charset(content, declared)
        if charset in _UNSUPPORTED_CHARSETS:
            return None
        before = next((mark for mark in _BYTE_ORDER_MARKS if content.startswith(mark)), b"")
        # A mark is one of this charset only; under another it is text.
        before = before if charset in _CODECS else b""
        end = len(content) - ((len(content) - len(before)) % 2 if charset.startswith("utf-16") else 0)
        codec, errors = _codec_of(charset)
        return cls(content[len(before) : end].decode(codec, errors), charset, before, content[end:])

    def to_bytes(self, text: str) -> bytes:
        """The bytes of the document with other text in it."""
        codec, errors = _codec_of(self.charset)
        return self.before + text.encode(codec, errors) + self.after

    def decode_span(self, text: str) -> str:
        """What a stretch of the text means."""
        if text.isascii() or self.charset in _CODECS:
            return text
        try:
            return text.encode("latin-1").decode(f"whatwg-{self.charset}", "replace")
        except UnicodeEncodeError:  # a character reference in it was resolved already
            return text


def _codec_of(charset: str) -> tuple[str, str]:
    if charset == "utf-8":
        return "utf-8", "surrogateescape"
    return (_CODECS[charset], "surrogatepass") if charset in _CODECS else ("latin-1", "strict")
