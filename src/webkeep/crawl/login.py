"""Logins: what sites keep in a person's browser, in a folder of its own, for captures of what only they may see.

The folder is made by `webkeep login` and readable by its owner alone; nothing of it goes into an archive.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webkeep.errors import StorageError, UsageError
from webkeep.formats.json_value import read_json
from webkeep.frontier.answer import Answer
from webkeep.process.new_file import write_whole

Cookie = Mapping[str, Any]
"""A cookie in the words of the debugging protocol."""

BROWSER = "browser"
"""The folder, within, of the browser's own profile."""
_FACTS, _JAR = "login.json", "cookies.txt"
_UNAUTHORIZED = 401
_HIDDEN, _COUNT = "#HttpOnly_", 7
_JAR_HEAD = "# Netscape HTTP Cookie File\n"


@dataclass(frozen=True, slots=True)
class Login:
    """A saved login."""

    folder: Path
    url: str
    """Where a person logged in; whoever is sent there again is logged in no more."""
    cookies: Sequence[Cookie] = ()
    stores: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    """What sites keep in a browser beside cookies, by origin."""

    @property
    def jar(self) -> str:
        """The cookies as a file for the fast tier."""
        return str(self.folder / _JAR)

    def has_ended(self, url: str, answer: Answer) -> bool:
        """Whether an answer shows that nobody is logged in any more."""
        if answer.status == _UNAUTHORIZED:
            return True
        return bool(answer.redirect) and _place(answer.redirect) == _place(self.url) != _place(url)


def save_login(
    folder: Path, url: str, cookies: Sequence[Cookie], stores: Mapping[str, Mapping[str, str]] | None = None
) -> None:
    """Put a login into its folder, for its owner's eyes alone."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(folder / _JAR, _JAR_HEAD + "".join(_jar_lines(cookies)))
        _write(folder / _FACTS, json.dumps({"url": url, "cookies": list(cookies), "stores": stores or {}}))
    except OSError as error:
        raise StorageError(f"cannot keep the login in {folder} ({error.strerror}); name another folder") from error


def read_login(folder: Path) -> Login:
    """The login that a folder holds."""
    try:
        values = read_json((folder / _FACTS).read_bytes())
        stores = {
            str(origin): {str(name): str(value) for name, value in store.items()}
            for origin, store in values.get("stores", {}).items()
        }
        return Login(folder, str(values["url"]), tuple(dict(each) for each in values["cookies"]), stores)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        advice = "make it with webkeep login URL"
        raise UsageError(f"{folder} holds no login that can be read; {advice} --browser-profile {folder}") from error


def cookies_in(jar: Path) -> list[dict[str, Any]]:
    """The cookies of a Netscape cookie file, in the words of the debugging protocol."""
    found: list[dict[str, Any]] = []
    for line in jar.read_text("utf-8", "replace").splitlines():
        is_hidden = line.startswith(_HIDDEN)
        fields = line.removeprefix(_HIDDEN).split("\t")
        if len(fields) == _COUNT and (is_hidden or not line.startswith("#")):
            domain, _, path, secure, expires, name, value = fields
            cookie = {"name": name, "value": value, "domain": domain, "path": path, "secure": secure == "TRUE"}
            lasting = {"expires": int(expires)} if expires.isdecimal() and int(expires) else {}
            found.append({**cookie, "httpOnly": is_hidden, **lasting})
    return found


def _jar_lines(cookies: Iterable[Cookie]) -> Iterable[str]:
    for cookie in cookies:
        domain = str(cookie["domain"])
        expires = max(int(float(cookie.get("expires", 0))), 0)
        fields = (
            f"{_HIDDEN}{domain}" if cookie.get("httpOnly") else domain,
            "TRUE" if domain.startswith(".") else "FALSE",
            str(cookie["path"]),
            "TRUE" if cookie.get("secure") else "FALSE",
            str(expires),
            str(cookie["name"]),
            str(cookie["value"]),
        )
        if not any("\t" in each or "\n" in each for each in fields):
            yield "\t".join(fields) + "\n"


def _place(url: str) -> str:
    """A page without its query: logins are told there where to go on."""
    return url.partition("#")[0].partition("?")[0].rstrip("/")


def _write(path: Path, text: str) -> None:
    write_whole(path, text.encode("utf-8"), 0o600)
