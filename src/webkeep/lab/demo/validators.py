"""Validators of the demo site: what ETag and Last-Modified say of a version, honestly or not (`--validators`), and
whether 304 or a range may follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import format_datetime
from enum import Enum

from webkeep.formats.http import parse_http_date
from webkeep.lab.demo.demo_site import DemoSite, DemoState
from webkeep.model import Moment

_SECOND_MICROS = 1_000_000
_DAY_SECONDS = 86400


class ValidatorMode(Enum):
    """How the server treats ETag, Last-Modified and conditional requests."""

    HONEST = "honest"
    NONE = "none"
    LYING = "lying"
    """Nothing ever seems to change: every version carries the first one's validators."""
    RESTLESS = "restless"
    """Everything always seems to change: a fresh ETag with every answer, and a Last-Modified in the future."""


@dataclass(frozen=True, slots=True)
class ValidatorClaim:
    """What an answer says of its version."""

    etag: str
    modified: Moment
    sole: bool
    """Whether no other version of the page began in the same second, which is all Last-Modified can tell."""

    def headers(self) -> dict[str, str]:
        """The validator fields of the answer."""
        return {"etag": self.etag, "last-modified": format_http_date(self.modified)}

    def is_not_modified(self, request: Mapping[str, str]) -> bool:
        """Whether a conditional GET or HEAD finds its copy unchanged (RFC 9110, section 13.2.2)."""
        if (known := request.get("if-none-match")) is not None:
            names = {name.strip().removeprefix("W/") for name in known.split(",")}
            return "*" in names or self.etag in names
        since = parse_http_date(request.get("if-modified-since", ""))
        if since is None:
            return False
        second = self.modified.micros // _SECOND_MICROS
        return second < since.micros // _SECOND_MICROS or (second == since.micros // _SECOND_MICROS and self.sole)

    def allows_range(self, request: Mapping[str, str]) -> bool:
        """Whether a range may be cut from this version (If-Range: strong ETag or the very date)."""
        wanted = request.get("if-range")
        return wanted is None or wanted == self.etag or (self.sole and wanted == format_http_date(self.modified))


def build_claim(
    kind: ValidatorMode, site: DemoSite, path: str, state: DemoState, asked: int, now: Moment
) -> ValidatorClaim | None:
    """What to say of a version; `asked` is the number of the request."""
    match kind:
        case ValidatorMode.NONE:
            return None
        case ValidatorMode.HONEST:
            return ValidatorClaim(
                _version_etag(site, path, state.version), state.began, _is_only_in_second(site, path, state)
            )
        case ValidatorMode.LYING:
            return ValidatorClaim(_version_etag(site, path, 0), site.version_start(path, 0), sole=True)
        case ValidatorMode.RESTLESS:
            return ValidatorClaim(f'"{asked:x}-{now.micros:x}"', now.plus(_DAY_SECONDS), sole=True)


def format_http_date(moment: Moment) -> str:
    """A moment as HTTP writes it, cut to the second."""
    return format_datetime(Moment(moment.micros - moment.micros % _SECOND_MICROS).datetime, usegmt=True)


def _version_etag(site: DemoSite, path: str, version: int) -> str:
    return f'"{site.short_name(path)}-{version}"'


def _is_only_in_second(site: DemoSite, path: str, state: DemoState) -> bool:
    second = state.began.micros - state.began.micros % _SECOND_MICROS
    return site.version_at(path, Moment(second - 1)) >= state.version - 1
