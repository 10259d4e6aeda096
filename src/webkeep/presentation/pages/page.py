"""The HTML document that every page of ours is: its head, its style sheets, and the Content-Security-Policy of reports,
which load nothing from outside.

Pages of the server have more around them (`web/page_frame.py`); reports, copies' start pages and the proxy's pages are
files or answers of their own, with their style in them.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

from webkeep.presentation.pages.markup import Markup, element, join_markup

PAGE_STYLE = ("base",)
"""Style sheets of a plain page."""
REPORT_STYLE = ("base", "charts", "reports")
SERVER_STYLE = ("base", "server")
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""A report loads nothing and runs no script, whatever is in it."""


@cache
def read_style(sheets: tuple[str, ...]) -> str:
    """Style sheets, one behind the other; `base` has the colours and fonts that all others use."""
    return "".join(
        (files("webkeep.presentation.pages") / "style" / f"{name}.css").read_text("utf-8") for name in sheets
    )


def begin_page(title: str, head: object = None, style: tuple[str, ...] = PAGE_STYLE) -> Markup:
    """A page up to the beginning of its body, with its style in it; `head` is what else goes into its head."""
    content = element(
        "head",
        element("meta", charset="utf-8"),
        head,
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(read_style(style))) if style else None,
    )
    return Markup(f'<!doctype html>\n<html lang="en">{content}<body>\n')


PAGE_END = Markup("\n</body></html>\n")


def render_page(title: str, *content: object, head: object = None, style: tuple[str, ...] = PAGE_STYLE) -> bytes:
    """A whole page."""
    whole = begin_page(title, head, style) + join_markup(content) + PAGE_END
    return whole.encode("utf-8", "replace")


def script_policy(script: str) -> str:
    """The policy of a report that runs one script, known by its digest, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{REPORT_POLICY}; script-src 'sha256-{digest}'"


def stream_report(title: str, content: Iterable[object], script: str = "") -> Iterator[bytes]:
    """A report as a page, piece by piece: one file that needs nothing from outside; a script of ours ends it."""
    policy = script_policy(script) if script else REPORT_POLICY
    meta = Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">')
    yield begin_page(title, meta, REPORT_STYLE).encode("utf-8", "replace")
    yield b"<main>\n"
    for piece in content:
        yield join_markup(piece).encode("utf-8", "replace")
    yield b"</main>"
    if script:
        yield f"<script>{script}</script>".encode()
    yield PAGE_END.encode()
