"""Which part of an archive is meant: a URL and how much it takes in, a capture, a period; whether a `*` stands for a
beginning, for a host's subdomains or for any characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.model import MomentLike, parse_period_end, read_moment
from webkeep.store.archive import Archive, Selection, url_ranges
from webkeep.url import UrlMatch, has_known_suffix, normalize_url, parse_url_pattern, surt

ANY_URL = "*"
_match_host = re.compile(r"[\w-]+(\.[\w-]+)*(:[0-9]+)?").fullmatch


@dataclass(frozen=True, slots=True)
class SelectionRequest:
    """What a person or a program selects by; None for what they leave open."""

    url: str | None = None
    match: UrlMatch | str | None = None
    capture: str | None = None
    since: MomentLike | None = None
    until: MomentLike | None = None

    def __post_init__(self) -> None:
        """What is given and empty must not mean everything: it comes from a variable that was never set."""
        for name in ("url", "capture", "since", "until"):
            given = getattr(self, name)
            if isinstance(given, str) and not given.strip():
                spelled = "the URL" if name == "url" else f"--{name}"
                raise UsageError(f"{spelled} is empty; give it a value or leave it out")
        if self.match and self.url is None:
            raise UsageError("--match says how much a URL takes in; give the URL")
        if self.match and self.match not in set(UrlMatch):
            raise UsageError(f"--match cannot be {self.match!r}; it may be {', '.join(UrlMatch)}")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is selected by."""
        return all(given is None for given in (self.url, self.capture, self.since, self.until))

    def select(self, archive: Archive, match: UrlMatch = UrlMatch.PREFIX) -> Selection:
        """The selection of an archive that this makes; a URL with `*` that is no beginning and no host is a shape.

        `match` is how a URL is meant unless a match or a `*` says otherwise.
        """
        now = archive.clock.now()
        since, until = read_moment(self.since, now), read_moment(self.until, now, parse_period_end)
        if since and until and since > until:
            raise UsageError(f"--since {self.since} is after --until {self.until}; exchange them")
        shape = _wildcard_shape(self.url.strip(), archive) if self.url else ""
        url, match = self._read_url_match(self.url.strip(), match) if self.url and not shape else ("", match)
        if shape and self.match:
            raise UsageError(f"{shape} has a * for any characters; leave out --match {self.match}")
        capture = archive.capture(self.capture).id if self.capture else ""
        return Selection(url, match, capture, since, until, shape)

    def _read_url_match(self, text: str, usual: UrlMatch) -> tuple[str, UrlMatch]:
        url, match = parse_url_pattern(text)
        if self.match and match not in (UrlMatch.EXACT, self.match):
            raise UsageError(f"{text} has the match {match.value} by its *; leave out --match {self.match}")
        if text == ANY_URL:
            return "", match
        if match is UrlMatch.EXACT:
            match = UrlMatch(self.match) if self.match else usual
        check_url(url)
        url_ranges(url, match)  # what cannot be looked up is a wrong call, whatever is held
        return url, match


def _wildcard_shape(text: str, archive: Archive) -> str:
    """A text with wildcards that is to be read as rules of a capture are; empty where it is a look-up.

    `example.org/docs/*` looks up a beginning, and `*.example.org` a host and its subdomains. A host is what has a known
    ending, or what the archive holds something of; `*.png` is none.
    """
    if text == ANY_URL or "*" not in text:
        return ""
    if not text.startswith("*"):
        return "" if text.find("*") == len(text) - 1 and not text.startswith("/") else text
    name = text.removeprefix("*.").removesuffix("*").removesuffix("/")
    is_plain = text.startswith("*.") and _match_host(name) is not None
    return "" if is_plain and (has_known_suffix(name) or archive.count(f"http://{name}/", UrlMatch.DOMAIN)) else text


def check_url(url: str) -> None:
    """A web address without a host, or with one that no browser could open, can only be a slip."""
    if url.lower().startswith(("http:", "https:")) and normalize_url(url) is None and ")" not in surt(url):
        raise UsageError(f"{url[:200]!r} is not a URL; give one such as http://example.org/page")
