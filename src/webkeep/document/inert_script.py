"""Scripts that do nothing when they are loaded: which ones are certain to declare functions and nothing else, and up to
what length they are looked at.

Theory of operation. A declaration runs nothing, whatever stands in the function; who calls it is another script or a
handler, which counts for itself. So a script that is nothing but declarations of functions changes nothing on its page
and asks for nothing. Where anything is unclear (a slash that is no comment, a template) a script is taken to do
something.
"""

from __future__ import annotations

import re

MAX_INERT_CHARS = 64 * 1024
"""Characters; longer scripts are not looked at, as hardly one of them only declares."""

_COMMENT = r"/\*.*?\*/|//[^\n\r\u2028\u2029]*"
_STRING = r"""("[^"\\\n\r]*"|'[^'\\\n\r]*')"""
_CLEAR = re.compile(rf"{_COMMENT}|{_STRING}|[^/\"'`\\]+", re.DOTALL)
_NOTHING = re.compile(r'(?:\s|;|"";)*')
_NAME = r"[A-Za-z_$][\w$]*+"
_FUNCTION = re.compile(rf"function\s+(?!on[a-z]+\b){_NAME}\s*\(\s*(?:{_NAME}\s*(?:,\s*{_NAME}\s*)*)?\)\s*\{{")
"""Its beginning; one whose name is like `onload` may be called by events of the window."""
_BRACE = re.compile(r"[{}]")


def is_inert_script(script: str) -> bool:
    """Whether a script is certain to do nothing when it is loaded."""
    if len(script) > MAX_INERT_CHARS:
        return False
    code = _blank_literals(script)
    if code is None:
        return False
    at = _skip_empty(code, 0)
    while at < len(code):
        declared = _FUNCTION.match(code, at)
        at = _body_end(code, declared.end()) if declared is not None else 0
        if not at:
            return False
        at = _skip_empty(code, at)
    return True


def _blank_literals(script: str) -> str | None:
    """A script with its comments gone and its strings empty; None where it has anything else that quotes."""
    pieces, at = [], 0
    while at < len(script):
        match = _CLEAR.match(script, at)
        if match is None:
            return None
        at = match.end()
        pieces.append('""' if match[1] else " " if match[0][0] == "/" else match[0])
    return "".join(pieces)


def _skip_empty(code: str, at: int) -> int:
    match = _NOTHING.match(code, at)
    return match.end() if match is not None else at


def _body_end(code: str, start: int) -> int:
    """Where the block that was opened before `start` is closed; 0 if it is not."""
    depth = 1
    for brace in _BRACE.finditer(code, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    return 0
