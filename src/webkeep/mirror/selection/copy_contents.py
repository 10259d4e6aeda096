"""What is in a copy: for each URL the version nearest to a moment (`--at`), and the name of its file; what counts as
gone (`--with-gone`), and which pages need a live server (POST, WebSocket).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from webkeep.errors import StorageError, UsageError
from webkeep.formats.status import GONE_STATUSES, NOT_MODIFIED, OK, is_error, is_redirection, is_successful
from webkeep.mirror.names.file_system_profile import FileSystemProfile
from webkeep.mirror.names.name_register import NameRegister, PriorNames
from webkeep.mirror.selection.withheld_requests import withheld_needs
from webkeep.model import CONTENT_TYPES, Moment, RecordPlace
from webkeep.store.archive import Archive
from webkeep.store.views import ObservationOutline, find_state_entries, read_outlines
from webkeep.url import normalize_url, resolve_url
from webkeep.url.canonical import FETCH_IDENTITY

if TYPE_CHECKING:
    from webkeep.redaction import Redactor

_WEB_SCHEMES = ("http://", "https://", "ftp://")
_SOCKET_SCHEMES = ("ws://", "wss://")
_SHOWN_ANSWER_TYPES = ("json", "/html", "/xml")
"""Types of answers that a page shows; those that it sends to be counted have others, or none."""
_MAX_REDIRECTS = 20
"""As many as browsers follow."""
# Nearly all URLs are spelled as a browser would: nothing to escape, no dots or slashes to be taken out.
_is_plain = re.compile(
    r"https?://(?:[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)+|127\.0\.0\.1)(?::[1-9][0-9]{3,4})?"
    r"/(?:[\w~-][\w.~-]*+/)*+(?:[\w~-][\w.~-]*+)?",
    re.ASCII,
).fullmatch
_USUAL_DIGEST, _USUAL_LENGTH = "sha1:", 37
_RECORD_ORDER = itemgetter(5, 6)
"""Of an item: the file of its record and its place in that."""
_LENGTH_BITS = 40
"""The low bits of a span are the length of a record, of at most a terabyte; the others are its offset."""
_MAX_LENGTH = (1 << _LENGTH_BITS) - 1
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_REDIRECT_TYPE = "text/html"
"""Redirects become small pages."""


@dataclass(frozen=True, slots=True)
class CopySelection:
    """Which versions of which URLs a copy is made of."""

    at: Moment
    strictly: bool = False
    """Whether nothing that was seen after the moment is taken."""
    capture: str = ""
    includes: Callable[[str], bool] = lambda _: True
    embeds: Callable[[str], bool] | None = None
    """Which URLs beyond these are taken where something in the copy embeds them; None for none."""
    accepts: Callable[[ObservationOutline], bool] = lambda _: True
    """Which of their versions may be taken."""
    with_gone: bool = False
    """Whether what was gone by the moment is taken as it last was."""


class GoneUrl(NamedTuple):
    """What the archive holds of a URL that was gone by the moment of a copy."""

    status: int
    """What the server said in place of it."""
    micros: int
    """When it said that."""
    held_micros: int
    """When the version is from that would be in the copy if there were none of this."""

    def describe(self, is_shown: bool) -> str:
        """What is told of it."""
        held = f"{'is shown as it was' if is_shown else 'is held as it was'} {Moment(self.held_micros).iso()}"
        return f"was gone (status {self.status}) {Moment(self.micros).iso()}; {held}"


# Copies have a hundred thousand of these, in every process that builds: plain values take half the room of objects.
class CopyItem(NamedTuple):
    """One URL of a copy."""

    url: str
    folder: str
    """The folder its file is in, with slashes, below the folder of the copy; with none at its end."""
    own_leaf: str
    """The name of its file within that; empty where it is what the URL ends with, as nearly always."""
    media_type: str
    status: int
    file: str
    span: int
    """Where its record begins, and behind that in `_LENGTH_BITS` bits how long it is."""
    micros: int
    """When it was captured."""
    digest: bytes = b""
    """Of its payload, packed; empty where that is not known."""
    target: str = ""
    """Where a redirect leads, absolute."""

    @property
    def offset(self) -> int:
        """Where its record begins."""
        return self.span >> _LENGTH_BITS

    @property
    def length(self) -> int:
        """How long its record is."""
        return self.span & _MAX_LENGTH

    @property
    def place(self) -> RecordPlace:
        """Where its record lies."""
        return RecordPlace(self.file, self.offset, self.length)

    @property
    def moment(self) -> Moment:
        """When it was captured."""
        return Moment(self.micros)

    @property
    def leaf(self) -> str:
        """The name of its file within its folder."""
        return self.own_leaf or _url_leaf(self.url)

    @property
    def name(self) -> str:
        """The name of its file, with slashes, below the folder of the copy."""
        return f"{self.folder}/{self.leaf}"

    @property
    def is_redirect(self) -> bool:
        """Whether it only leads elsewhere."""
        return bool(self.target)

    @property
    def is_page(self) -> bool:
        """Whether it is a page with something to read."""
        return self.media_type in _PAGE_TYPES and not self.target


def _url_leaf(url: str) -> str:
    """What stands behind the last slash of a URL."""
    return url[url.rfind("/") + 1 :]


FrozenPageSource = Callable[[CopyItem, bool], bytes | None]
"""Gives a page as a browser left it, in UTF-8; told whether it cannot be had alive. None leaves the page as it is."""


@dataclass
class CopyContents:
    """The URLs of a copy with the names of their files."""

    items: dict[str, CopyItem] = field(repr=False)
    live_pages: dict[str, str] = field(default_factory=dict)
    """Pages that had from a server what no file gives, with what that was."""
    renamed: set[str] = field(default_factory=set)
    """The URLs whose files are not called what they would be if there were no others."""
    gone: dict[str, GoneUrl] = field(default_factory=dict)
    """What the archive holds and was gone by the moment of the copy."""
    was_run: bool = False
    """Whether pages of it were run in a browser, so that it is known what these needed."""
    withheld: dict[str, str] = field(default_factory=dict)
    """Pages that sent what the capture held back, with what they need; nobody has an answer to that."""

    def __post_init__(self) -> None:
        # Found out when it is first asked for, and no part of what two copies are compared by.
        self._scripts: dict[str, list[str]] | None = None
        self._hides_secrets: bool | None = None
        self._order: list[CopyItem] | None = None

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[CopyItem]:
        """All of them, in the order of their records."""
        return iter(self.in_order)

    @property
    def in_order(self) -> Sequence[CopyItem]:
        """The same, to take some from anywhere."""
        if self._order is None:
            self._order = sorted(self.items.values(), key=_RECORD_ORDER)
        return self._order

    def find(self, url: str) -> CopyItem | None:
        """What the copy has of a URL, with no fragment, or of the URL without its secrets."""
        return self.items.get(url) or (self.find_redacted(url) if "?" in url else None)

    def find_redacted(self, url: str) -> CopyItem | None:
        """What the copy has of a URL whose secrets were not kept."""
        if self._hides_secrets is None:
            self._hides_secrets = any("redacted" in known for known in self.items)
        if not self._hides_secrets:
            return None
        return self.items.get(self._redactor.redact_url(url)[0])

    @cached_property
    def _redactor(self) -> Redactor:
        from webkeep.redaction import Redactor

        return Redactor()

    def follow_redirects(self, url: str) -> CopyItem | None:
        """What the copy has of a URL behind all redirects; None where they lead out of it or around."""
        item = self.find(url)
        for _ in range(_MAX_REDIRECTS):
            if item is None or not item.target:
                return item
            item = self.find(item.target.partition("#")[0])
        return None

    def scripts_in(self, folder: str) -> list[str]:
        """The URLs of the scripts right below a URL that ends in a slash."""
        if self._scripts is None:
            self._scripts = {}
            for url, item in self.items.items():
                if "script" in item.media_type:
                    self._scripts.setdefault(url[: url.rfind("/") + 1], []).append(url)
        return self._scripts.get(folder, [])

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return sum(1 for item in self.items.values() if item.is_page)


def choose_contents(
    archive: Archive, wanted: CopySelection, profile: FileSystemProfile, prior: PriorNames | None = None
) -> CopyContents:
    """Choose versions, find out where redirects lead, and name files; those keep the names that they had before."""
    items, live_pages, gone = _choose_versions(archive, wanted)
    if not wanted.with_gone:
        for url in gone:
            del items[url]
    for url in list(items):
        item = items[url]
        if is_redirection(item.status) and (target := _redirect_target(archive, item)):
            items[url] = item._replace(media_type=_REDIRECT_TYPE, target=target)
        elif not is_successful(item.status):
            del items[url]
    if wanted.embeds is not None:
        from webkeep.mirror.selection.embed_closure import collect_embeds  # what reads pages takes long to load

        taken = collect_embeds(archive, CopyContents(items).find, filter(wanted.includes, items))
        items = {url: item for url, item in items.items() if url in taken}
    register = NameRegister(profile, prior)
    for url, name in register.name_all(items.values()):
        folder, _, leaf = name.rpartition("/")
        items[url] = CopyItem(url, intern(folder), "" if leaf == _url_leaf(url) else leaf, *items[url][3:])
    left_out = {url: each for url, each in gone.items() if wanted.includes(url)}
    was_run = next(find_state_entries(archive), None) is not None
    contents = CopyContents(items, live_pages, register.renamed, left_out, was_run)
    if contents.was_run:
        for url, need in withheld_needs(archive, wanted.capture, wanted.at, wanted.strictly).items():
            if (page := contents.follow_redirects(url)) is not None:
                contents.withheld[page.url] = need
    return contents


def check_frozen_pages(contents: CopyContents, pages: Iterable[str]) -> None:
    """Refuse pages that are wanted in a state and are not in the copy at all."""
    for url in pages:
        if (item := contents.find(url)) is None or not item.is_page:
            raise UsageError(f"{url}, which is to be frozen, is not in the copy; take that state away, or the page in")


def _choose_versions(
    archive: Archive, wanted: CopySelection
) -> tuple[dict[str, CopyItem], dict[str, str], dict[str, GoneUrl]]:
    """The version of each URL that is nearest, with no name yet; pages that had more of a server than that; and those
    of all that were gone by then.
    """
    chosen: dict[str, CopyItem] = {}
    live_pages: dict[str, str] = {}
    refused: dict[str, tuple[int, int]] = {}
    at = wanted.at.micros
    latest = at if wanted.strictly else None
    embeds = wanted.embeds
    may_be_in = wanted.includes if embeds is None else lambda url: wanted.includes(url) or embeds(url)
    for seen in read_outlines(archive, wanted.capture):
        url = seen.url if _is_plain(seen.url) else _fetch_identity(seen.url)
        if not _is_wanted(seen, latest) or not may_be_in(url) or not wanted.accepts(seen):
            if seen.via and (what := _live_answer(seen)):
                live_pages[seen.via] = what
            continue
        status = OK if seen.status is None else seen.status
        if is_error(status):  # what failed takes no place of what there is
            if status in GONE_STATUSES and (url not in refused or abs(seen.micros - at) <= abs(refused[url][1] - at)):
                refused[url] = status, seen.micros
            continue
        known = chosen.get(url)
        media_type = intern(seen.media_type)
        if known is None or abs(seen.micros - at) < abs(known.micros - at):
            file = intern(seen.file)
            span, digest = seen.offset << _LENGTH_BITS | seen.length, _pack_digest(seen.payload)
            chosen[url] = CopyItem(url, "", "", media_type, status, file, span, seen.micros, digest)
    gone = {
        url: GoneUrl(status, micros, chosen[url].micros)
        for url, (status, micros) in refused.items()
        if url in chosen and abs(micros - at) < abs(chosen[url].micros - at)
    }
    return chosen, live_pages, gone


def _fetch_identity(url: str) -> str:
    """A URL as links name it; other tools put down what they were told."""
    return FETCH_IDENTITY(normalize_url(url) or url)


def _pack_digest(digest: str) -> bytes:
    """A digest in few bytes, where it is of the usual kind."""
    is_usual = len(digest) == _USUAL_LENGTH and digest.startswith(_USUAL_DIGEST)
    return (digest[len(_USUAL_DIGEST) :] if is_usual else digest).encode("utf-8", "surrogatepass")


def unpack_digest(digest: bytes) -> str:
    """A packed digest as catalogs spell it."""
    text = digest.decode("utf-8", "replace")
    return text if not text or ":" in text else f"{_USUAL_DIGEST}{text}"


def _is_wanted(seen: ObservationOutline, latest: int | None) -> bool:
    is_early = latest is None or seen.micros <= latest
    # "Not modified" is the status of nothing but what refers to something that is not held.
    return (
        is_early
        and seen.status != NOT_MODIFIED
        and seen.method == "GET"
        and seen.record_type in CONTENT_TYPES
        and seen.url.startswith(_WEB_SCHEMES)
    )


def _live_answer(seen: ObservationOutline) -> str:
    """What something was that only a server can give again; empty where it is nothing of that kind."""
    if seen.url.startswith(_SOCKET_SCHEMES):
        return f"a live connection ({seen.url})"
    is_told = seen.method == "POST" and is_successful(seen.status) and seen.media_type.endswith(_SHOWN_ANSWER_TYPES)
    return f"an answer to what it sends ({seen.url})" if is_told and seen.record_type in CONTENT_TYPES else ""


def _redirect_target(archive: Archive, item: CopyItem) -> str:
    try:
        head = archive.read_place(item.place).head
    except StorageError:
        return ""
    location = head.headers.get("location").strip() if head is not None else ""
    return resolve_url(item.url, location) or "" if location else ""
