"""What a resource is: by what its server says, unless its bytes say otherwise.

Servers send binaries as HTML, HTML as plain text, style sheets as anything. Signatures decide first, then the media
type where it can be believed, then the first characters, then the name.
"""

from __future__ import annotations

import enum
import re

from webkeep.document import wide_charset
from webkeep.extract.unpacking import is_packed
from webkeep.formats.flash import SIGNATURES
from webkeep.formats.java_class import MAGIC


class Kind(enum.StrEnum):
    """A format that links are sought in."""

    HTML = "html"
    XML = "xml"
    CSS = "css"
    SCRIPT = "script"
    JSON = "json"
    MANIFEST = "manifest"
    JSON_FEED = "json feed"
    LINKED_DATA = "json-ld"
    IMPORT_MAP = "import map"
    SPECULATION = "speculation rules"
    PLAYLIST = "m3u"
    PLAYLIST_ENTRIES = "pls"
    LINK_SET = "link set"
    MARKDOWN = "markdown"
    TEXT = "text"
    ROBOTS = "robots"
    JAVA_CLASS = "java class"
    FLASH = "flash"
    PDF = "pdf"
    PACKED = "gzip"
    OTHER = "other"


_TYPES = {
    "text/html": Kind.HTML, "application/xhtml+xml": Kind.XML, "application/vnd.wap.xhtml+xml": Kind.XML,
    "text/css": Kind.CSS, "text/javascript": Kind.SCRIPT, "application/javascript": Kind.SCRIPT,
    "application/x-javascript": Kind.SCRIPT, "application/ecmascript": Kind.SCRIPT, "text/ecmascript": Kind.SCRIPT,
    "text/jscript": Kind.SCRIPT, "text/vbscript": Kind.SCRIPT, "application/manifest+json": Kind.MANIFEST,
    "application/feed+json": Kind.JSON_FEED, "application/ld+json": Kind.LINKED_DATA,
    "application/importmap+json": Kind.IMPORT_MAP, "application/speculationrules+json": Kind.SPECULATION,
    "application/vnd.apple.mpegurl": Kind.PLAYLIST, "application/x-mpegurl": Kind.PLAYLIST,
    "audio/mpegurl": Kind.PLAYLIST, "audio/x-mpegurl": Kind.PLAYLIST, "audio/x-scpls": Kind.PLAYLIST_ENTRIES,
    "text/xml": Kind.XML, "application/xml": Kind.XML, "text/vnd.wap.wml": Kind.XML, "text/xsl": Kind.XML,
    "video/x-ms-asf": Kind.XML, "application/dash+xml": Kind.XML, "text/x-component": Kind.HTML,
    "text/x-opml": Kind.XML, "application/linkset": Kind.LINK_SET, "text/plain": Kind.TEXT,
    "text/markdown": Kind.MARKDOWN, "text/x-markdown": Kind.MARKDOWN,
}  # fmt: skip
_DOUBTFUL = frozenset(("", "text/plain", "application/octet-stream", "application/x-unknown", "unknown/unknown", "*/*"))
_NAMES = {
    "html": Kind.HTML, "htm": Kind.HTML, "xhtml": Kind.XML, "css": Kind.CSS, "js": Kind.SCRIPT, "mjs": Kind.SCRIPT,
    "json": Kind.JSON, "webmanifest": Kind.MANIFEST, "m3u8": Kind.PLAYLIST, "m3u": Kind.PLAYLIST,
    "pls": Kind.PLAYLIST_ENTRIES, "xml": Kind.XML, "svg": Kind.XML, "rss": Kind.XML, "atom": Kind.XML,
    "rdf": Kind.XML, "opml": Kind.XML, "mpd": Kind.XML, "xsl": Kind.XML, "xslt": Kind.XML, "kml": Kind.XML,
    "txt": Kind.TEXT, "md": Kind.MARKDOWN, "markdown": Kind.MARKDOWN, "map": Kind.OTHER,
}  # fmt: skip
_BINARIES = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"PK\x03\x04", b"ID3", b"OggS", b"wOFF", b"wOF2", b"OTTO", b"MZ",
    b"\x7fELF", b"\0asm", b"BM", b"\0\0\1\0", b"7z\xbc\xaf", b"Rar!", b"\x1aE\xdf\xa3", b"fLaC", b"BZh", b"\xfd7zXZ",
    b"\0\1\0\0", b"II*\0", b"MM\0*", b"\x30\x26\xb2\x75", b"SQLite format", b"!<arch>", b"\xd0\xcf\x11\xe0",
)  # fmt: skip
_HTML = re.compile(
    rb"\s*(?:<!--.{0,400}?-->\s*)*<(?:!doctype\s+html|html|head|body|title|script|meta|link|style|table|frameset|iframe|"
    rb"div|h1|h2|p|a|b|br|font|center|img|form|span|ul|base)[\s>/]",
    re.IGNORECASE | re.DOTALL,
)
_XML = re.compile(rb"\s*+<(?:\?xml|rss|feed|opml|urlset|sitemapindex|rdf:RDF|MPD|svg|kml|playlist|asx|wml)[\s>]", re.I)
# What may stand in a page as well is no sign that a page is none.
_XML_FOR_SURE = re.compile(rb"\s*+<(?:\?xml|rss|feed|opml|urlset|sitemapindex|rdf:RDF|MPD)[\s>]", re.IGNORECASE)
_XHTML_ROOT = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
# Markdown may begin with any other tag.
_PAGE = re.compile(rb"\s*+<(?:!doctype\s+html|html[\s>])", re.IGNORECASE)
_TAG = re.compile(rb"<[a-zA-Z!/?]")
_BINARY_BYTES = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_NAME = re.compile(r"([^/?#]*)(?:[?#].*)?\Z", re.DOTALL)
_LOOKED_AT = 1024


def kind_of(media_type: str, content: bytes, url: str = "") -> Kind:
    """What a resource most likely is."""
    start = content[:_LOOKED_AT].removeprefix(b"\xef\xbb\xbf")
    signed = _by_signature(start)
    if signed is not None:
        return signed
    name = _last_name(url)
    claimed = _claimed(media_type.lower(), name)
    wide = wide_charset(start) != ""
    if claimed is Kind.HTML and not wide:
        return _checked_html(start, name)
    if claimed in (Kind.TEXT, Kind.OTHER, Kind.CSS, Kind.SCRIPT) and (seen := _by_looks(start)) is not None:
        return seen if claimed is not Kind.OTHER or media_type in _DOUBTFUL else claimed
    if claimed is Kind.MARKDOWN and _PAGE.match(start):
        return Kind.HTML
    if not wide and claimed in (Kind.TEXT, Kind.MARKDOWN, Kind.SCRIPT, Kind.CSS) and _is_binary(start):
        return Kind.OTHER
    return claimed


def _by_signature(start: bytes) -> Kind | None:
    if start.startswith(MAGIC):
        return Kind.JAVA_CLASS
    if start.startswith(SIGNATURES) and len(start) > 8 and 0 < start[3] < 60:
        return Kind.FLASH
    if b"%PDF-" in start[:_LOOKED_AT]:
        return Kind.PDF
    if is_packed(start):
        return Kind.PACKED
    if start.startswith(b"#EXTM3U"):
        return Kind.PLAYLIST
    # Two letters could begin a text as well; binaries give themselves away by other bytes soon after.
    if start.startswith(_BINARIES) and _is_binary(start):
        return Kind.OTHER
    return None


def _claimed(media_type: str, name: str) -> Kind:
    if name == "robots.txt":
        return Kind.ROBOTS
    if media_type in _DOUBTFUL:
        default = Kind.TEXT if media_type == "text/plain" else Kind.OTHER
        return _NAMES.get(name.rpartition(".")[2].lower(), default)
    if media_type in _TYPES:
        return _TYPES[media_type]
    if media_type.endswith("+xml"):
        return Kind.XML
    if media_type.endswith(("+json", "/json")) or media_type == "text/x-json":
        return Kind.MANIFEST if name in ("manifest.json", "site.webmanifest") else Kind.JSON
    return Kind.TEXT if media_type.startswith("text/") else Kind.OTHER


def _checked_html(start: bytes, name: str) -> Kind:
    """HTML, unless there is not a tag in sight and the bytes or the name say otherwise."""
    if _XML_FOR_SURE.match(start) and _XHTML_ROOT.search(start) is None:
        return Kind.XML
    if _TAG.search(start) is not None:
        return Kind.HTML
    if _is_binary(start):
        return Kind.OTHER
    named = _NAMES.get(name.rpartition(".")[2].lower(), Kind.HTML)
    return named if named in (Kind.CSS, Kind.SCRIPT, Kind.JSON, Kind.MARKDOWN, Kind.TEXT) else Kind.HTML


def _by_looks(start: bytes) -> Kind | None:
    if _HTML.match(start):
        return Kind.HTML
    return Kind.XML if _XML.match(start) else None


def _is_binary(start: bytes) -> bool:
    return _BINARY_BYTES.search(start) is not None


def _last_name(url: str) -> str:
    match = _NAME.search(url.partition("?")[0].partition("#")[0])
    return match[1] if match else ""
