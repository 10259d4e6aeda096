"""What is no text by its media type is never read as text, whatever it begins with."""

from hypothesis import given, strategies as st

from webkeep.extract import DocumentKind, detect_kind, is_opaque_type

READ_KINDS = {
    DocumentKind.HTML,
    DocumentKind.XML,
    DocumentKind.TEXT,
    DocumentKind.MARKDOWN,
    DocumentKind.JSON,
    DocumentKind.ROBOTS,
}
TYPES = ("image/png", "image/svg+xml", "video/mp4", "font/woff2", "text/html", "text/x", "application/octet-stream",
         "application/pdf", "application/json", "application/x-unknown", "", "a/b+xml")  # fmt: skip
STARTS = (b"<!doctype html><p>", b"<?xml version='1.0'?><a/>", b"plain words", b"{}", b"%PDF-", b"\x1f\x8b", b"\0", b"")


@given(
    st.sampled_from(TYPES), st.sampled_from(STARTS), st.binary(max_size=40), st.sampled_from(("a.html", "a.md", "x"))
)
def test_opaque_types_are_never_read(media_type: str, start: bytes, rest: bytes, name: str) -> None:
    kind = detect_kind(media_type, start + rest, f"http://site.example/{name}")
    assert not (is_opaque_type(media_type) and kind in READ_KINDS)


def test_pictures_are_opaque_and_drawings_are_not() -> None:
    assert is_opaque_type("image/png")
    assert is_opaque_type("font/woff2")
    assert not is_opaque_type("image/svg+xml")
    assert not is_opaque_type("application/octet-stream")
