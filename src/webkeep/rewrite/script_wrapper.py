"""Scripts that see the archived address: `location`, dynamic imports and postMessage go through names of the shim's;
which scripts are left as they are because that would not be safe.

Theory of operation. `location` cannot be replaced in a browser, so its name is: every `location` in a script that
stands for a variable becomes `webkeep_location$`, an accessor the shim defines. As all of them change together, a
variable of the script's own that has this name changes with its uses. What is no variable stays: members of other
things, names of members, strings, comments. A member of `window`, `document`, `self` and `globalThis` changes too, for
these are always the page's own. Any other variable that something called `location` is a member of is passed through a
function of the shim, which puts something else in the place of windows. So are what `import(…)` imports and the
arguments of `….postMessage(…)`.

The scanner knows strings, comments, regular expressions and brackets, and no grammar; what stands before a place is
looked up where it matters. Where brackets do not match it gives up and nothing changes.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from webkeep.rewrite.text_edits import TextEdit

SHIM_LOCATION, SHIM_FRAME = "webkeep_location$", "webkeep_frame$"
"""What the shim calls its location, and what it passes things through that may be windows."""

SHIM_MODULE, SHIM_MESSAGE = "webkeep_module$", "webkeep_message$"
"""What the shim passes the arguments of imports and messages through."""

SHIM_IMPORT = "webkeep_import$"
"""What the shim of copies has in the place of `import(…)`; it is told where the script is from."""

MAX_WRAPPED_CHARS = 8 * 1024 * 1024
"""Longer scripts are left as they are, for somebody waits while they are read."""

_WRAP_SIGN = re.compile(r"\blocation\b|\bimport\s*\(|\bpostMessage\s*\(")
# Names that other files know a variable by cannot change.
_SHARED_LOCATION = re.compile(
    r"\b(?:import|export)\b[^;'\"()]{0,200}?\{[^}]{0,400}?\blocation\b"
    r"|\bexport\s+(?:const|let|var|class|(?:async\s+)?function)\b[^;=({]{0,200}?\blocation\b"
)
_SCANNED_TOKEN = re.compile(r"""["'`/()\[\]{}]|(?<![\w$])(?:location|import|postMessage|class)(?![\w$])""")
_STRINGS = {
    '"': re.compile(r'"(?:[^"\\\n\r]++|\\(?:\r\n|[\s\S]))*+"?+'),
    "'": re.compile(r"'(?:[^'\\\n\r]++|\\(?:\r\n|[\s\S]))*+'?+"),
}
_TEMPLATE = re.compile(r"(?:[^`\\$]++|\\[\s\S]|\$(?!\{))*+")
_REGEX = re.compile(r"/(?:[^\\/\[\n\r]++|\\[^\n\r]|\[(?:[^\]\\\n\r]++|\\[^\n\r])*+\])++/[a-zA-Z]*")
_LINE_END = re.compile(r"[\n\r\u2028\u2029]|\Z")
_GAP = re.compile(r"(?:\s++|//[^\n\r]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+")
_NAME_REVERSED = re.compile(r"[\w$]+")
_MAX_NAME_CHARS, _MAX_REGEX_CHARS, _MAX_OPEN_BRACKETS = 40, 4096, 10_000
"""How far back a keyword is looked for, how long a regular expression and how deep brackets may be: so every script
is read in linear time."""
_OPERANDS_FOLLOW = "return typeof case in of delete void throw new else do await yield instanceof default extends"
_OPERAND_WORDS = frozenset(_OPERANDS_FOLLOW.split())
_OWN_WINDOWS = frozenset(("window", "document", "self", "globalThis"))
_NON_VARIABLES = frozenset(("this", "super", "import", "null", "true", "false", "new"))
_VARIABLE = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]*+)\s*+\??\.\s*+\Z")
_ARGUMENT_TOKEN = re.compile(
    r"""["'/()\[\]{},]|`(?:[^`\\$]++|\\[\s\S]|\$(?!\{)|\$\{[^}]*+\})*+`|//[^\n\r]*+|/\*(?:[^*]++|\*(?!/))*+\*/"""
)
_BLOCK_BEFORE = frozenset((*"){};", "=>", "", "else", "do", "try", "finally", "catch", "static"))
_OPENING = {")": "(", "]": "[", "}": "{"}


class _OpenBracket(NamedTuple):
    """A bracket that is open; `${` stands for a substitution in a template."""

    sign: str
    start: int = 0
    is_class: bool = False
    closing: str = ""
    """What goes before the bracket that closes it."""
    is_import: bool = False


_PLAIN_OPEN = {sign: _OpenBracket(sign) for sign in "(["}


def wrap_script(text: str, imports_from: str = "") -> list[TextEdit]:
    """What changes in a script so that it sees the archived address; nothing where that is not safe.

    With `imports_from`, a URL, what it imports is left to the shim, and is relative to that.
    """
    if len(text) > MAX_WRAPPED_CHARS or _WRAP_SIGN.search(text) is None or _SHARED_LOCATION.search(text) is not None:
        return []
    return _Scanner(text, imports_from).scan_edits()


class _Scanner:
    def __init__(self, text: str, imports_from: str) -> None:
        self._text = text
        self._importer = f"{SHIM_IMPORT}.from({_script_literal(imports_from)})" if imports_from else ""
        self._edits: list[TextEdit] = []
        self._open: list[_OpenBracket] = []
        self._comment = (0, 0)
        self._class_ahead = False

    def scan_edits(self) -> list[TextEdit]:
        """Everything that changes; nothing where brackets do not match."""
        text, opened, search = self._text, self._open, _SCANNED_TOKEN.search
        at: int | None = 0
        while at is not None and (match := search(text, at)) is not None:
            sign = match[0]
            # Most of what is met are these, and they need no more than this.
            if sign in "([":
                at = match.end()
                opened.append(_PLAIN_OPEN[sign])
            elif sign in ")]" and opened and opened[-1].sign == _OPENING[sign] and not opened[-1].closing:
                at = match.end()
                opened.pop()
            else:
                at = self._scan_token(sign, match.start(), match.end()) if len(opened) < _MAX_OPEN_BRACKETS else None
        return [] if at is None or opened else self._edits

    def _scan_token(self, sign: str, start: int, end: int) -> int | None:
        """Where to go on behind something of interest; None where the script cannot be understood."""
        if sign == "{":
            self._open.append(_OpenBracket(sign, start, self._class_ahead))
            self._class_ahead = False
            return end
        if sign in ")]}":
            return self._close_bracket(sign, start)
        if sign == "/":
            return self._skip_slash(start)
        if sign == "`":
            return self._skip_template(end)
        if sign in "\"'":
            string = _STRINGS[sign].match(self._text, start)
            return string.end() if string else end
        if sign == "class":
            self._class_ahead = self._token_before(start) not in (".", "?.")
        elif sign == "location":
            self._wrap_location(start, end)
        else:
            return self._wrap_call(sign, start, end)
        return end

    def _close_bracket(self, sign: str, start: int) -> int | None:
        opened = self._open.pop() if self._open else _OpenBracket("")
        if opened.closing:
            # Of an import only what is imported is passed on; what follows says how.
            end = _first_comma(self._text, opened.start + 1, start) if opened.is_import else start
            self._edits.append(TextEdit(end, end, opened.closing))
        if opened.sign == "${" and sign == "}":
            return self._skip_template(start + 1)
        return start + 1 if opened.sign == _OPENING[sign] else None

    def _skip_template(self, at: int) -> int | None:
        """Behind a stretch of template, or behind the sign of a substitution in it; None where it never ends."""
        match = _TEMPLATE.match(self._text, at)
        end = match.end() if match else at
        if end >= len(self._text):
            return None
        if self._text[end] == "`":
            return end + 1
        self._open.append(_OpenBracket("${"))
        return end + 2

    def _skip_slash(self, at: int) -> int:
        text = self._text
        if text.startswith("//", at):
            match = _LINE_END.search(text, at)
            return self._note_comment(at, match.start() if match else len(text))
        if text.startswith("/*", at):
            end = text.find("*/", at + 2)
            return self._note_comment(at, len(text) if end < 0 else end + 2)
        before = self._token_before(at)
        if before in _OPERAND_WORDS or not (before and (before in ")]}\"'`" or _NAME_REVERSED.match(before))):
            regex = _REGEX.match(text, at, at + _MAX_REGEX_CHARS)
            return regex.end() if regex else at + 1
        return at + 1

    def _note_comment(self, start: int, end: int) -> int:
        begin, last = self._comment
        # Comments one behind the other count as one.
        self._comment = (begin if last and not self._text[last:start].strip() else start, end)
        return end

    def _wrap_location(self, start: int, end: int) -> None:
        before, following = self._token_before(start), self._sign_after(end)
        if before in (".", "?.") and not self._text[max(0, start - 80) : start].rstrip().endswith("..."):
            self._wrap_member(start, end)
            return
        around = self._open[-1] if self._open else _OpenBracket("")
        if following == "(" or around.is_class or (following == ":" and before in ("{", ",", ";", "}", ")", "")):
            return  # a method, a field, the name of a member, a label
        is_member = around.sign == "{" and before in ("{", ",") and not self._is_block(len(self._open) - 1)
        if is_member and following in (",", "}", "="):
            self._edits.append(TextEdit(end, end, f":{SHIM_LOCATION}"))
        else:
            self._edits.append(TextEdit(start, end, SHIM_LOCATION))

    def _wrap_call(self, name: str, start: int, end: int) -> int:
        gap = _GAP.match(self._text, end)
        bracket = gap.end() if gap else end
        is_member = self._token_before(start) in (".", "?.")
        if self._text[bracket : bracket + 1] != "(" or is_member is (name == "import"):
            return end
        if self._sign_after(bracket + 1) == ")":
            return end
        if name == "import" and self._importer:
            self._edits.append(TextEdit(start, end, self._importer))
            return end
        function = SHIM_MODULE if name == "import" else f"...{SHIM_MESSAGE}"
        self._edits.append(TextEdit(bracket + 1, bracket + 1, f"{function}("))
        self._open.append(_OpenBracket("(", bracket, False, ")", name == "import"))
        return bracket + 1

    def _is_block(self, index: int) -> bool:
        """Whether a brace begins statements, not members."""
        if index < 0:
            return True
        opened = self._open[index]
        before = self._token_before(opened.start)
        if before != ":":
            return opened.sign == "${" or before in _BLOCK_BEFORE
        # Behind a colon stands a block after `case` or a label, and a value among members.
        return index == 0 or (self._open[index - 1].sign == "{" and self._is_block(index - 1))

    def _wrap_member(self, start: int, end: int) -> None:
        """What changes about a member called `location`."""
        begin = max(0, start - 2 * _MAX_NAME_CHARS)
        match = _VARIABLE.search(self._text[begin:start])
        if match is None or match[1] in _NON_VARIABLES:
            return
        first, last = (begin + at for at in match.span(1))
        if match[1] in _OWN_WINDOWS:
            self._edits.append(TextEdit(start, end, SHIM_LOCATION))
        elif self._token_before(first) not in (".", "?.", "new"):
            self._edits += (TextEdit(first, first, f"{SHIM_FRAME}("), TextEdit(last, last, ")"))

    def _token_before(self, at: int) -> str:
        """The name or sign before a place, space and comments left out."""
        start = max(0, at - _MAX_NAME_CHARS)
        code = self._text[start:at].rstrip()
        begin, end = self._comment
        if end and start + len(code) <= end <= at and not self._text[end:at].strip():
            code = self._text[max(0, begin - _MAX_NAME_CHARS) : begin].rstrip()
        if not code:
            return ""
        name = _NAME_REVERSED.match(code[::-1])
        if name is not None:
            return name[0][::-1]
        return code[-2:] if code[-2:] in ("=>", "?.") else code[-1]

    def _sign_after(self, at: int) -> str:
        """The sign that follows a place, space and comments left out."""
        gap = _GAP.match(self._text, at)
        end = gap.end() if gap else at
        # A comparison is no assignment.
        return "==" if self._text.startswith("==", end) else self._text[end : end + 1]


def _script_literal(text: str) -> str:
    """A text as a string of a script, which may stand in a page, in a string of another one or in an attribute."""
    return json.dumps(text).replace("</", "<\\/")


def _first_comma(text: str, start: int, end: int) -> int:
    """Where the first argument between two places ends."""
    depth, at = 0, start
    while (match := _ARGUMENT_TOKEN.search(text, at, end)) is not None:
        sign, at = match[0], match.end()
        if sign in _STRINGS:
            string = _STRINGS[sign].match(text, match.start(), end)
            at = string.end() if string else at
        elif sign in ("(", "[", "{"):
            depth += 1
        elif sign in (")", "]", "}"):
            depth -= 1
        elif sign == "," and not depth:
            return match.start()
    return end
