"""Saved logins: a folder of cookies (Netscape cookies.txt) and local storage for captures of what only their owner may
see; how cookie files are read, and which answers show that a login has ended.

The folder is made by `webkeep login` and readable by its owner alone; nothing of it goes into an archive.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webkeep.errors import StorageError, UsageError
from webkeep.formats import read_json
from webkeep.formats.status import UNAUTHORIZED
from webkeep.frontier.urls import FetchOutcome
from webkeep.process import write_atomically

BrowserCookie = Mapping[str, Any]
"""A cookie in the words of the debugging protocol."""

BROWSER_FOLDER = "browser"
"""The folder, within, of the browser's own profile."""
_LOGIN_FILE, _COOKIE_FILE = "login.json", "cookies.txt"
_HTTP_ONLY, _COOKIE_FIELDS = "#HttpOnly_", 7
_NETSCAPE_TITLE = "# Netscape HTTP Cookie File\n"


@dataclass(frozen=True, slots=True)
class SavedLogin:
    """A saved login."""

    folder: Path
    url: str
    """Where a person logged in; whoever is sent there again is logged in no more."""
    cookies: Sequence[BrowserCookie] = ()
    stores: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    """What sites keep in a browser beside cookies, by origin."""

    @property
    def cookie_file(self) -> str:
        """The cookies as a file for the fast tier."""
        return str(self.folder / _COOKIE_FILE)

    def secrets(self) -> Iterator[str]:
        """The values of it that nothing is to be written with."""
        from webkeep.redaction.values import cookie_secrets, stored_secrets

        for cookie in self.cookies:
            yield from cookie_secrets(str(cookie["name"]), str(cookie["value"]))
        yield from stored_secrets(self.stores)

    def has_ended(self, url: str, outcome: FetchOutcome) -> bool:
        """Whether an answer shows that nobody is logged in any more."""
        if outcome.status == UNAUTHORIZED:
            return True
        return bool(outcome.redirect) and _page_of(outcome.redirect) == _page_of(self.url) != _page_of(url)


def save_login(
    folder: Path, url: str, cookies: Sequence[BrowserCookie], stores: Mapping[str, Mapping[str, str]] | None = None
) -> None:
    """Put a login into its folder, for its owner's eyes alone."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, text in render_login(url, cookies, stores or {}).items():
            _write_private(folder / name, text)
    except OSError as error:
        raise StorageError(f"cannot keep the login in {folder} ({error.strerror}); name another folder") from error


def render_login(url: str, cookies: Sequence[BrowserCookie], stores: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The files of the folder of a login, by their names."""
    return {
        _COOKIE_FILE: _NETSCAPE_TITLE + "".join(_cookie_lines(cookies)),
        _LOGIN_FILE: json.dumps({"url": url, "cookies": list(cookies), "stores": stores}),
    }


def read_login(folder: Path) -> SavedLogin:
    """The login that a folder holds."""
    try:
        values = read_json((folder / _LOGIN_FILE).read_bytes())
        stores = {
            str(origin): {str(name): str(value) for name, value in store.items()}
            for origin, store in values.get("stores", {}).items()
        }
        return SavedLogin(folder, str(values["url"]), tuple(dict(each) for each in values["cookies"]), stores)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        advice = "make it with webkeep login URL"
        raise UsageError(f"{folder} holds no login that can be read; {advice} --browser-profile {folder}") from error


def read_cookie_file(jar: Path) -> list[dict[str, Any]]:
    """The cookies of a Netscape cookie file, in the words of the debugging protocol."""
    found: list[dict[str, Any]] = []
    for line in jar.read_text("utf-8", "replace").splitlines():
        is_hidden = line.startswith(_HTTP_ONLY)
        fields = line.removeprefix(_HTTP_ONLY).split("\t")
        if len(fields) == _COOKIE_FIELDS and (is_hidden or not line.startswith("#")):
            domain, _, path, secure, expires, name, value = fields
            cookie = {"name": name, "value": value, "domain": domain, "path": path, "secure": secure == "TRUE"}
            lasting = {"expires": int(expires)} if expires.isdecimal() and int(expires) else {}
            found.append({**cookie, "httpOnly": is_hidden, **lasting})
    return found


def _cookie_lines(cookies: Iterable[BrowserCookie]) -> Iterable[str]:
    for cookie in cookies:
        domain = str(cookie["domain"])
        expires = max(int(float(cookie.get("expires", 0))), 0)
        fields = (
            f"{_HTTP_ONLY}{domain}" if cookie.get("httpOnly") else domain,
            "TRUE" if domain.startswith(".") else "FALSE",
            str(cookie["path"]),
            "TRUE" if cookie.get("secure") else "FALSE",
            str(expires),
            str(cookie["name"]),
            str(cookie["value"]),
        )
        if not any("\t" in each or "\n" in each for each in fields):
            yield "\t".join(fields) + "\n"


def _page_of(url: str) -> str:
    """A page without its query: logins are told there where to go on."""
    return url.partition("#")[0].partition("?")[0].rstrip("/")


def _write_private(path: Path, text: str) -> None:
    write_atomically(path, text.encode("utf-8"), 0o600)
