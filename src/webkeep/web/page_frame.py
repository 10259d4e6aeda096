"""What all pages of the server have in common: the head, the search field, style and script, and the security headers
(Content-Security-Policy) that keep strangers' content out.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from webkeep.memento import DO_NOT_NEGOTIATE
from webkeep.presentation.drawings import read_canvas_script
from webkeep.presentation.pages import SERVER_STYLE, Markup, element, read_style, render_page, script_policy
from webkeep.replay.server import Response, SecurityClass, ServerName
from webkeep.replay.shim import host_names_script

ASSETS = {"style.css": "text/css; charset=utf-8", "view.js": "text/javascript; charset=utf-8"}
"""The files that pages need, and their types."""


@cache
def read_asset(name: str) -> bytes:
    """The content of one of them."""
    if name == "style.css":
        return read_style(SERVER_STYLE).encode()
    script = (files("webkeep.web") / "assets" / name).read_text("utf-8")
    return f"'use strict';\n{host_names_script()}\n{script}".encode()


def render_document(
    title: str, *content: object, query: str = "", script: bool = False, wide: bool = False, root: str = ""
) -> bytes:
    """A whole page; one with a root stands anywhere: its style is in it, and its links lead to the root."""
    head = (
        None if root else element("link", rel="stylesheet", href="/assets/style.css"),
        element("link", rel="icon", href="data:,"),
        element("script", src="/assets/view.js", defer=True) if script else None,
    )
    body = content if wide else (_render_header(query, root), element("main", *content, id="content"))
    return render_page(f"{title} · webkeep", body, head=head, style=SERVER_STYLE if root else ())


def page_response(
    server_name: ServerName, page: bytes, status: int = 200, fields: Iterable[tuple[str, str]] = ()
) -> Response:
    """A page as an answer."""
    told = [("Content-Type", "text/html; charset=utf-8"), DO_NOT_NEGOTIATE, *fields, *security_fields(server_name)]
    return Response(status, told, page, security_class=SecurityClass.OWN)


def security_fields(server_name: ServerName) -> list[tuple[str, str]]:
    """Nothing but our own style, our own script and replayed pages in frames."""
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src {server_name.control_url}/assets/",
            f"script-src {server_name.control_url}/assets/",
            "img-src data:",
            "form-action 'self'",
            f"connect-src {server_name.control_url}/parts/",
            f"frame-src {server_name.replay_pattern}",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        )
    )
    return [
        ("Content-Security-Policy", policy),
        ("Cache-Control", "no-cache"),
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]


def report_fields() -> list[tuple[str, str]]:
    """The fields of a report out of an archive's folder: as sealed as its own policy says, and with no origin at all,
    whoever wrote that file.
    """
    allowed = script_policy(read_canvas_script())
    policy = f"sandbox allow-scripts; {allowed}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    return [
        ("Content-Type", "text/html; charset=utf-8"),
        DO_NOT_NEGOTIATE,
        ("Content-Security-Policy", policy),
        ("Cache-Control", "no-cache"),
        ("X-Content-Type-Options", "nosniff"),
    ]


def _render_header(query: str, root: str) -> Markup:
    field = element(
        "input", type="search", name="q", value=query, placeholder="URL, host, title or text",
        aria_label="Search the archive", maxlength=2000, autocapitalize="off", spellcheck="false",
    )  # fmt: skip
    target = "_top" if root else None
    form = element("form", field, element("button", "Search"), action=f"{root}/search", role="search", target=target)
    skip = element("a", "To the content", href="#content", class_="skip")
    return element("header", skip, element("a", "webkeep", href=f"{root}/", class_="home", target=target), form)
