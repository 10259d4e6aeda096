"""Addresses of an archive's resources, written and read: mementos (URI-M) with their modifiers `id_` and `if_`,
TimeGates (URI-G) and TimeMaps (URI-T); merged slashes are put back, and too long URLs refused.

A path holds the URL it is about as it stands, query and all: `/web/20240301120000/https://example.org/a?b=c`.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from webkeep.errors import UsageError
from webkeep.memento.web_link import escape_target
from webkeep.model import Moment
from webkeep.url import parse_seed

MAX_URL_CHARS = 16 * 1024
"""A longer one is refused: no server of its time took it, and it is looked up and echoed."""

_MOMENT = re.compile(r"([0-9]{4,14})?([a-z]{2}_)?/")
_SLASHES = re.compile(r"(https?):/{1,3}(?=[^/])", re.IGNORECASE)
_ENCODED = re.compile(r"https?%3a", re.IGNORECASE)
_FORMAT = re.compile(r"(link|json|cdxj)/(?:([0-9]{14})/)?(?=.)", re.DOTALL)


class MementoForm(enum.StrEnum):
    """In which form a memento is wanted; the value stands behind the digits of its address."""

    REPLAY = ""
    RAW = "id_"
    FRAME = "if_"


class TimeMapFormat(enum.StrEnum):
    """The forms of a TimeMap."""

    LINK = "link"
    JSON = "json"
    CDXJ = "cdxj"


@dataclass(frozen=True, slots=True)
class MementoAddress:
    """What `/web/…` asks for: a URL at a moment, or by negotiation where there is none."""

    url: str
    moment: Moment | None
    form: MementoForm = MementoForm.REPLAY


@dataclass(frozen=True, slots=True)
class TimeMapAddress:
    """What `/timemap/…` asks for: a TimeMap, from its start or from a moment on."""

    url: str
    format: TimeMapFormat
    since: Moment | None = None


@dataclass(frozen=True, slots=True)
class MementoAddresses:
    """How the resources of an archive are called, below one root such as `http://localhost:8080`."""

    root: str

    def memento_uri(self, url: str, moment: Moment, view: MementoForm = MementoForm.REPLAY) -> str:
        """The URI-M."""
        return f"{self.root}/web/{moment.digits()}{view.value}/{escape_target(url)}"

    def timegate_uri(self, url: str) -> str:
        """The URI-G, which answers with a redirection."""
        return f"{self.root}/web/{escape_target(url)}"

    def timemap_uri(self, url: str, form: TimeMapFormat = TimeMapFormat.LINK, since: Moment | None = None) -> str:
        """The URI-T."""
        begin = "" if since is None else f"{since.digits()}/"
        return f"{self.root}/timemap/{form.value}/{begin}{escape_target(url)}"


def parse_memento_path(rest: str) -> MementoAddress:
    """Read what stands behind `/web/`; raises UsageError where it names no URL or no moment."""
    match = _MOMENT.match(rest)
    if match is None or not any(match.groups()):
        return MementoAddress(parse_archived_url(rest), None)
    digits, mark = match.groups()
    moment = _parse_moment(digits) if digits else None
    return MementoAddress(parse_archived_url(rest[match.end() :]), moment, _parse_form(mark or ""))


def parse_timemap_path(rest: str) -> TimeMapAddress:
    """Read what stands behind `/timemap/`; without a form it is link format, as in RFC 7089."""
    match = _FORMAT.match(rest)
    if match is None:
        return TimeMapAddress(parse_archived_url(rest), TimeMapFormat.LINK)
    form, since = match.groups()
    return TimeMapAddress(
        parse_archived_url(rest[match.end() :]), TimeMapFormat(form), _parse_moment(since) if since else None
    )


def parse_archived_url(text: str) -> str:
    """The URL in an address, in a browser's spelling: slashes that were merged and a scheme left out are put back."""
    if len(text) > MAX_URL_CHARS:
        raise UsageError(f"the address is longer than {MAX_URL_CHARS} bytes; shorten it")
    return _restore_url(text)


@lru_cache(1024)
def _restore_url(text: str) -> str:
    if _ENCODED.match(text):
        text = unquote(text, errors="surrogateescape")
    return parse_seed(_SLASHES.sub(r"\1://", text, count=1))


def _parse_form(mark: str) -> MementoForm:
    # Marks of other archives (`im_`, `js_`, …) only say what a link is for.
    return MementoForm(mark) if mark in (MementoForm.RAW, MementoForm.FRAME) else MementoForm.REPLAY


@lru_cache(4096)
def _parse_moment(digits: str) -> Moment:
    return Moment.parse(digits)
