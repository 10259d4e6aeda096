"""What scripts use that a copy has to make up for, told by a look at their text: requests, workers, canvas pixels; and
what needs a server (WebSocket, synchronous XHR, worklets).
"""

from __future__ import annotations

import enum
import re


class ScriptUse(enum.StrEnum):
    """Something that scripts of a copy use."""

    SCRIPTS = "scripts"
    """There are some at all."""
    REQUESTS = "requests"
    WORKERS = "workers"
    DOTS = "dots"
    """Pictures are looked at dot by dot, which files do not allow."""


_USE_WORDS: dict[ScriptUse, tuple[bytes, ...]] = {
    ScriptUse.REQUESTS: (b"fetch", b"XMLHttpRequest"),
    ScriptUse.WORKERS: (b"Worker", b"importScripts"),
    ScriptUse.DOTS: (b"getImageData", b"texImage2D", b"toDataURL", b"toBlob", b"createImageBitmap", b"crossOrigin"),
}
_USE_SIGNS = {
    ScriptUse.REQUESTS: re.compile(rb"\bfetch\b|XMLHttpRequest"),
    ScriptUse.WORKERS: re.compile(rb"\b(?:Shared)?Worker\s*\(|\bserviceWorker\b|\bimportScripts\b"),
    ScriptUse.DOTS: re.compile(rb"\b(?:getImageData|texImage2D|toDataURL|toBlob|createImageBitmap|crossOrigin)\b"),
}
_PAGE_SIGNS = (b"<html", b"<!doctype", b"<body", b"<head", b"<title", b"<frameset")
_PAGE_SIGN_BYTES = 2048
"""Where a page would have shown that it is one."""
# Beginning with plain letters, each is looked for at the speed of memory.
_HANDLER_ATTRIBUTES = [
    re.compile(before + rb"[A-Za-z]{3,24}\s?=") for before in (b" on", b"\non", b"\ton", b" ON", b" On", b'"on', b"'on")
]
_REQUEST = re.compile(
    rb"""(?:\bfetch\(\s*|\.getJSON\(\s*|\.open\(\s*["']GET["']\s*,\s*)["'`]([^"'`${}\s\\]{1,1000})["'`]"""
    rb"""(?!\s*\+)(?!\s*,\s*\{[^}]{0,200}?method\s*:\s*["'](?!GET))"""
)
_WEBSOCKET = re.compile(rb"\bnew\s+WebSocket\b")
_SYNCHRONOUS = re.compile(rb"\.open\([^;()]{1,200}?,\s{0,9}(?:false|!1)\s{0,9}[,)]")
_WORKLET = re.compile(rb"\.addModule\s*\(")


def detect_uses(text: bytes) -> set[ScriptUse]:
    """What a script uses, or may."""
    # Most pages are told by plain words, which takes a hundredth of the time.
    named = [use for use, words in _USE_WORDS.items() if any(word in text for word in words)]
    return {ScriptUse.SCRIPTS, *(use for use in named if _USE_SIGNS[use].search(text))} if text else set()


def has_handlers(page: bytes) -> bool:
    """Whether a page has scripts in its attributes."""
    return b"javascript:" in page or any(sign.search(page) for sign in _HANDLER_ATTRIBUTES)


def server_need(text: bytes) -> str:
    """What a script needs that no copy can give it; empty where that is nothing."""
    if b"WebSocket" in text and _WEBSOCKET.search(text) is not None:
        return "a live connection (WebSocket)"
    if b"XMLHttpRequest" in text and _SYNCHRONOUS.search(text) is not None:
        return "an answer while it waits (a synchronous XMLHttpRequest), which no page on a disk gets"
    if b"addModule" in text and _WORKLET.search(text) is not None:
        return "a worklet"
    return ""


def requested_addresses(text: bytes) -> set[str]:
    """The addresses that a script asks for, where it says in so many words that it does."""
    if b"fetch(" not in text and b'"GET"' not in text and b"'GET'" not in text and b"getJSON" not in text:
        return set()
    return {match[1].decode("utf-8", "replace") for match in _REQUEST.finditer(text)}


def is_whole_page(content: bytes) -> bool:
    """Whether HTML is a page, and not a piece for scripts to put into one."""
    beginning = content[:_PAGE_SIGN_BYTES].lower()
    return any(sign in beginning for sign in _PAGE_SIGNS)
