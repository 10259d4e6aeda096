"""Validators: what the server says about a version's identity and age, honestly or not, and whether 304 may follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import format_datetime
from enum import Enum

from webkeep.formats.http_date import read_date
from webkeep.lab.demo.site import DemoSite, State
from webkeep.model import Moment

_SECOND = 1_000_000
_DAY = 86400


class Validators(Enum):
    """How the server treats ETag, Last-Modified and conditional requests."""

    HONEST = "honest"
    NONE = "none"
    LYING = "lying"
    """Nothing ever seems to change: every version carries the first one's validators."""
    RESTLESS = "restless"
    """Everything always seems to change: a fresh ETag with every answer, and a Last-Modified in the future."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What an answer says of its version."""

    etag: str
    modified: Moment
    sole: bool
    """Whether no other version of the page began in the same second, which is all Last-Modified can tell."""

    def headers(self) -> dict[str, str]:
        """The validator fields of the answer."""
        return {"etag": self.etag, "last-modified": http_date(self.modified)}

    def holds(self, request: Mapping[str, str]) -> bool:
        """Whether a conditional GET or HEAD finds its copy unchanged (RFC 9110, section 13.2.2)."""
        if (known := request.get("if-none-match")) is not None:
            names = {name.strip().removeprefix("W/") for name in known.split(",")}
            return "*" in names or self.etag in names
        since = read_date(request.get("if-modified-since", ""))
        if since is None:
            return False
        second = self.modified.micros // _SECOND
        return second < since.micros // _SECOND or (second == since.micros // _SECOND and self.sole)

    def allows_range(self, request: Mapping[str, str]) -> bool:
        """Whether a range may be cut from this version (If-Range: strong ETag or the very date)."""
        wanted = request.get("if-range")
        return wanted is None or wanted == self.etag or (self.sole and wanted == http_date(self.modified))


def claim(kind: Validators, site: DemoSite, path: str, state: State, asked: int, now: Moment) -> Claim | None:
    """What to say of a version; `asked` is the number of the request."""
    match kind:
        case Validators.NONE:
            return None
        case Validators.HONEST:
            return Claim(_etag(site, path, state.version), state.began, _sole(site, path, state))
        case Validators.LYING:
            return Claim(_etag(site, path, 0), site.began(path, 0), sole=True)
        case Validators.RESTLESS:
            return Claim(f'"{asked:x}-{now.micros:x}"', now.plus(_DAY), sole=True)


def http_date(moment: Moment) -> str:
    """A moment as HTTP writes it, cut to the second."""
    return format_datetime(Moment(moment.micros - moment.micros % _SECOND).datetime, usegmt=True)


def _etag(site: DemoSite, path: str, version: int) -> str:
    return f'"{site.name(path)}-{version}"'


def _sole(site: DemoSite, path: str, state: State) -> bool:
    second = state.began.micros - state.began.micros % _SECOND
    return site.version(path, Moment(second - 1)) >= state.version - 1
