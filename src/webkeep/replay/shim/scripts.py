"""The shim's scripts out of the package, and how they get into what is replayed: which parts make those of pages and of
workers, the tag that starts the shim, and the prelude of workers.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from urllib.parse import quote

from webkeep.rewrite.shim import join_script, read_shared_part

OWN_PATH = "/.webkeep/"
"""What the paths of the server's own things on a replay host begin with."""

_HOST_NAMES_PART = "host_names"
_COMMON_PARTS = (
    _HOST_NAMES_PART,
    "addresses",
    "patching",
    "styles",
    "location",
    "names",
    "clock",
    "sockets",
    "fields",
    "network",
)
_PAGE_PARTS = (
    *_COMMON_PARTS,
    "markup",
    "elements",
    "cookies",
    "documents",
    "frames",
    "navigation",
    "motion",
    "states",
    "page",
)
_WORKER_PARTS = (*_COMMON_PARTS, "answers", "worker")
_SHARED_PARTS = frozenset({"patching", "styles", "names", "markup", "elements", "frames"})
"""Parts that copies have too."""
_MODULE_SIGN = re.compile(
    rb"\s*+(?:(?://[^\n]*+\n|/\*(?:[^*]++|\*(?!/))*+\*/|['\"]use strict['\"];?)\s*+)*+"
    rb"(?:import(?![\w$])\s*+[\w$*{\"']|export(?![\w$])\s*+[\w${*])"
)

# What could stand for a module that is loaded before all else; what is written with escapes cannot.
_LOADING_WORD = re.compile(rb"(?<![\w$.])(?:import(?!\s*+[(.])|export)(?![\w$])")
_NO_MODULE = b"<!-- no module\n"
"""A comment that only scripts may have: to a module it is an error."""

_STRICT_DIRECTIVE = re.compile(rb"\s*+(?:(?://[^\n]*+\n|/\*(?:[^*]++|\*(?!/))*+\*/)\s*+)*+['\"]use strict['\"]")


@cache
def shim_script() -> bytes:
    """The script that every replayed page begins with."""
    return _join_parts(_PAGE_PARTS)


def host_names_script() -> str:
    """The part of the shim that reads replay hosts, for a page around a replayed one."""
    return _read_part(_HOST_NAMES_PART)


@cache
def worker_script() -> bytes:
    """The script that every replayed worker begins with."""
    return _join_parts(_WORKER_PARTS)


@cache
def shim_version() -> str:
    """A name for this state of the scripts, so that browsers may keep them for ever."""
    return hashlib.sha256(shim_script() + worker_script()).hexdigest()[:12]


def shim_tag(replay_origin: str, archived_origin: str, control_origin: str = "", has_cookies: bool = True) -> str:
    """The tag that starts the shim in a page.

    `replay_origin` is the page's own (`http://LABEL.localhost:8080`), `archived_origin` the one it stands for, and
    `control_origin`, where there is one, a page around it that wants to be told where the reader is. A page whose host
    has no cookies gets a jar for those of its scripts.
    """
    facts = {"origin": archived_origin, "control": control_origin, "jar": not has_cookies}
    told = escape(json.dumps({name: value for name, value in facts.items() if value}))
    return f'<script src="{escape(replay_origin)}{OWN_PATH}shim.js?v={shim_version()}" data-webkeep="{told}"></script>'


def worker_prelude(
    script: bytes,
    replay_origin: str,
    archived_origin: str,
    locks: Mapping[str, str],
    has_cookies: bool = True,
    is_service: bool = False,
) -> bytes:
    """What goes before the script of a worker; `locks` are the fields that a service worker's answers have to bear.

    Nothing tells whether a worker is a module but its statements. Where it imports, so does the prelude, because
    imports are carried out before all else; any other script gets the whole shim, which works in both. A service worker
    that could import without being taken for a module must not be one: what it imports would come before the shim.
    """
    values = {"origin": archived_origin, "locks": dict(locks), "jar": not has_cookies}
    facts = json.dumps(values).replace("</", "<\\/")
    told = f"self.webkeep_facts$={facts};"
    if _MODULE_SIGN.match(script):
        address = f"{replay_origin}{OWN_PATH}worker.js?v={shim_version()}"
        return f'import "data:text/javascript,{quote(told, safe="")}";import {json.dumps(address)};'.encode()
    comment = _NO_MODULE if is_service and _LOADING_WORD.search(script) else b""
    strict = b"'use strict';" if _STRICT_DIRECTIVE.match(script) else b""
    return comment + strict + told.encode() + worker_script()


def _join_parts(names: tuple[str, ...]) -> bytes:
    return join_script(read_shared_part(name) if name in _SHARED_PARTS else _read_part(name) for name in names)


def _read_part(name: str) -> str:
    return (files("webkeep.replay.shim") / "source" / f"{name}.js").read_text("utf-8")
