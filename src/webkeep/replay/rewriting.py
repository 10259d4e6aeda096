"""What is renamed in which document, by what a browser will take it for.

On a replay host references that name no host stay as they are, because paths there are those of the archived site.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from webkeep.extract import Kind, Link
from webkeep.formats.content_type import bare_type, charset
from webkeep.memento import link_field, read_links
from webkeep.model import Headers
from webkeep.replay.declared_policy import declared_policies
from webkeep.replay.message import Fields, Request
from webkeep.replay.shim import Naming, replayed_policy, worker_prelude
from webkeep.rewrite import HtmlEdits, Renaming, Scripts, rewrite_document, rewrite_field

Job = Callable[[bytes], bytes]
"""Makes a document's content into what is sent."""

KINDS: Mapping[str, Kind] = {
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.XML,
    "text/css": Kind.CSS,
    "image/svg+xml": Kind.XML,
    "application/manifest+json": Kind.MANIFEST,
    "application/importmap+json": Kind.IMPORT_MAP,
    "application/speculationrules+json": Kind.SPECULATION,
    "application/vnd.apple.mpegurl": Kind.PLAYLIST,
    "application/x-mpegurl": Kind.PLAYLIST,
    "audio/mpegurl": Kind.PLAYLIST,
    "audio/x-mpegurl": Kind.PLAYLIST,
    "application/dash+xml": Kind.XML,
    "text/javascript": Kind.SCRIPT,
    "application/javascript": Kind.SCRIPT,
    "application/x-javascript": Kind.SCRIPT,
    "application/ecmascript": Kind.SCRIPT,
    "text/ecmascript": Kind.SCRIPT,
}
"""What documents of these types are, where a browser does not say what it wants them for."""

_PAGES = frozenset({"document", "iframe", "frame", "object", "embed"})
_WORKERS = frozenset({"worker", "sharedworker", "serviceworker"})
_DESTINED: Mapping[str, Kind] = {"script": Kind.SCRIPT, "style": Kind.CSS, "manifest": Kind.MANIFEST}
_PLAYED = frozenset({Kind.PLAYLIST})
_LINKING = frozenset({"link", "refresh"})
_MOST_LINKING = 16
_MOST_POLICIES = 4
_LOADING = frozenset({"stylesheet", "preload", "modulepreload", "prefetch", "icon"})

PLAIN = HtmlEdits(lift_integrity=True, lift_policies=True, lift_connecting=True)
"""What is done to pages that are to be read without scripts."""


@dataclass(frozen=True, slots=True)
class ScriptHome:
    """Where scripts live, and what those of workers are told of that before they begin."""

    replay_origin: str
    archived_origin: str
    locks: Mapping[str, str]
    has_cookies: bool = True

    def begun(self, script: bytes, is_service: bool) -> bytes:
        """A worker's script with the shim before it."""
        places = self.replay_origin, self.archived_origin
        return worker_prelude(script, *places, dict(self.locks), self.has_cookies, is_service) + script


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How documents are changed on their way out."""

    url: str
    """The URL that the document was archived under."""
    naming: Naming
    edits: HtmlEdits
    """What is done to pages beside renaming."""
    named_hosts_only: bool
    home: ScriptHome | None = None
    """Where scripts live; None where none run."""

    def job(self, content_type: str, request: Request) -> Job | None:
        """What is to be done with a document of that type; None where it goes out as it is."""
        is_service = request.is_service_worker
        destination = "serviceworker" if is_service else request.headers.get("sec-fetch-dest", "")
        kind = _kind(bare_type(content_type).lower(), destination)
        if kind is None:
            return None
        rewrite = partial(
            self._rewritten,
            kind=kind,
            charset_name=charset(Headers((("Content-Type", content_type),))),
        )
        home = self.home if destination in _WORKERS else None
        return rewrite if home is None else lambda content: home.begun(rewrite(content), is_service)

    def fields(self, headers: Headers) -> Fields:
        """Archived fields that hold addresses, renamed; of links only those that make a browser load something."""
        found = [(name, value) for name, value in headers.fields if name.lower() in _LINKING][:_MOST_LINKING]
        kept = [(name, _loading(value) if name.lower() == "link" else value) for name, value in found]
        renamed = [(name, rewrite_field(name, value, self.url, self._renaming)) for name, value in kept if value]
        return renamed + self._policies(headers.all("content-security-policy"))

    def declared(self, content: bytes, content_type: str) -> Fields:
        """The policies that a page declares itself, as fields; rewriting puts the elements out of force."""
        is_page = self.home is not None and bare_type(content_type).lower() == "text/html"
        return self._policies(declared_policies(content)) if is_page else []

    def _policies(self, written: Sequence[str]) -> Fields:
        """What a page forbade itself, in the words of replay hosts; where no scripts run the locks forbid more."""
        if self.home is None:
            return []
        kept = [replayed_policy(value, self.url, self.naming) for value in written[:_MOST_POLICIES]]
        return [("Content-Security-Policy", policy) for policy in kept if policy]

    @property
    def _renaming(self) -> Renaming:
        return Renaming(self._renamed, self.named_hosts_only, Scripts.CERTAIN, data=False)

    def _renamed(self, link: Link) -> str | None:
        return self.naming.address(link.url)

    def _rewritten(self, content: bytes, kind: Kind, charset_name: str) -> bytes:
        return rewrite_document(content, self.url, self._renaming, charset=charset_name, kind=kind, edits=self.edits)


def _kind(media_type: str, destination: str) -> Kind | None:
    """What a browser takes a document for, by what it wants to do with it; None where nothing is renamed in it."""
    if destination in ("script", "style", "manifest"):
        return _DESTINED[destination]
    if destination in _WORKERS or destination.endswith("worklet"):
        return Kind.SCRIPT
    kind = KINDS.get(media_type)
    if destination == "empty":
        # What a script fetches it gets as it was; a playlist is followed by a player that knows no shim.
        return kind if kind in _PLAYED or media_type == "application/dash+xml" else None
    if destination in _PAGES and kind not in (Kind.HTML, Kind.XML):
        return None if media_type else Kind.HTML
    return kind


def _loading(value: str) -> str:
    """The links of a field that make a browser load something; others could pass for what an archive says of itself."""
    return link_field(link for link in read_links(value) if link.relations and _LOADING.issuperset(link.relations))
