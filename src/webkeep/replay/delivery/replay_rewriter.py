"""What is renamed in which document, by what a browser will take it for (Content-Type, Sec-Fetch-Dest); which Link and
Refresh fields and which policies (CSP) of head and meta go out with it.

On a replay host references that name no host stay as they are, because paths there are those of the archived site.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from webkeep.document import read_html_parts
from webkeep.extract import DocumentKind
from webkeep.extract.links import Link
from webkeep.formats.http import bare_media_type, declared_charset
from webkeep.memento import format_link_field, parse_links
from webkeep.model import Headers
from webkeep.replay.server.message import Fields, Request
from webkeep.replay.shim.content_policy import translate_policy
from webkeep.replay.shim.replay_host import ReplayNaming
from webkeep.replay.shim.scripts import worker_prelude
from webkeep.rewrite import HtmlEdits, LinkRenaming, ScriptRenaming, rewrite_document, rewrite_field

# Content security policies that a page declares itself, in `meta` elements.
#
# On its replay host they become header fields, which count from the start of a page, while an element counts for what
# follows it. So only those are taken that come before all that a policy could be about.

_META_SCAN_BYTES = 16 * 1024
"""Where a head with such elements begins; what stands further down is not read."""
_MAX_META_POLICIES = 4
"""Of one page, in its markup: all would have to hold."""
_CSP_NAME = "content-security-policy"
_LOADING_TAG = re.compile(
    rb"<(?:script|style|link|img|body|iframe|object|embed|svg|video|audio|base)[\s/>]|\sstyle\s*=", re.IGNORECASE
)


def read_meta_policies(content: bytes) -> list[str]:
    """The policies in the head of a page, in their order."""
    head = content[:_META_SCAN_BYTES]
    if _CSP_NAME.encode() not in head.lower():
        return []
    loading = _LOADING_TAG.search(head)
    text = head[: loading.start() if loading else None].decode("ascii", "replace")
    found = [dict(attributes) for name, attributes, _, _ in read_html_parts(text) if name == "meta"]
    return [
        str(values.get("content", ""))
        for values in found
        if str(values.get("http-equiv", "")).strip().lower() == _CSP_NAME
    ][:_MAX_META_POLICIES]


RewriteJob = Callable[[bytes], bytes]
"""Makes a document's content into what is sent."""

KINDS_BY_TYPE: Mapping[str, DocumentKind] = {
    "text/html": DocumentKind.HTML,
    "application/xhtml+xml": DocumentKind.XML,
    "text/css": DocumentKind.CSS,
    "image/svg+xml": DocumentKind.XML,
    "application/manifest+json": DocumentKind.MANIFEST,
    "application/importmap+json": DocumentKind.IMPORT_MAP,
    "application/speculationrules+json": DocumentKind.SPECULATION,
    "application/vnd.apple.mpegurl": DocumentKind.PLAYLIST,
    "application/x-mpegurl": DocumentKind.PLAYLIST,
    "audio/mpegurl": DocumentKind.PLAYLIST,
    "audio/x-mpegurl": DocumentKind.PLAYLIST,
    "application/dash+xml": DocumentKind.XML,
    "text/javascript": DocumentKind.SCRIPT,
    "application/javascript": DocumentKind.SCRIPT,
    "application/x-javascript": DocumentKind.SCRIPT,
    "application/ecmascript": DocumentKind.SCRIPT,
    "text/ecmascript": DocumentKind.SCRIPT,
}
"""What documents of these types are, where a browser does not say what it wants them for."""

_PAGE_DESTINATIONS = frozenset({"document", "iframe", "frame", "object", "embed"})
_WORKER_DESTINATIONS = frozenset({"worker", "sharedworker", "serviceworker"})
_KINDS_BY_DESTINATION: Mapping[str, DocumentKind] = {
    "script": DocumentKind.SCRIPT,
    "style": DocumentKind.CSS,
    "manifest": DocumentKind.MANIFEST,
}
_PLAYLIST_KINDS = frozenset({DocumentKind.PLAYLIST})
_LINK_FIELDS = frozenset({"link", "refresh"})
_MAX_LINK_FIELDS = 16
"""Of one head, whose addresses are rewritten."""
_MAX_POLICIES = 4
"""Of one head: all would have to hold, and each makes the new head longer."""
_LOADING_RELATIONS = frozenset({"stylesheet", "preload", "modulepreload", "prefetch", "icon"})


def replay_renaming(naming: ReplayNaming, named_hosts_only: bool = True) -> LinkRenaming:
    """Whatever names a host is renamed to its replay host; what only scripts read is left to the shim."""

    def rename(link: Link) -> str | None:
        return naming.replay_url(link.url)

    return LinkRenaming(rename, named_hosts_only, ScriptRenaming.CERTAIN, data=False)


def replay_edits(tag: str) -> HtmlEdits:
    """What is changed on a page so that it works on its replay host; `tag` starts the shim."""
    return HtmlEdits(head=tag, lift_integrity=True, lift_policies=True, lift_connecting=True, wrap_location=bool(tag))


SCRIPTLESS_EDITS = HtmlEdits(lift_integrity=True, lift_policies=True, lift_connecting=True)
"""What is done to pages that are to be read without scripts."""


@dataclass(frozen=True, slots=True)
class ScriptOrigin:
    """Where scripts live, and what those of workers are told of that before they begin."""

    replay_origin: str
    archived_origin: str
    locks: Mapping[str, str]
    has_cookies: bool = True

    def with_prelude(self, script: bytes, is_service: bool) -> bytes:
        """A worker's script with the shim before it."""
        places = self.replay_origin, self.archived_origin
        return worker_prelude(script, *places, dict(self.locks), self.has_cookies, is_service) + script


@dataclass(frozen=True, slots=True)
class ReplayRewriter:
    """How documents are changed on their way out."""

    url: str
    """The URL that the document was archived under."""
    naming: ReplayNaming
    edits: HtmlEdits
    """What is done to pages beside renaming."""
    named_hosts_only: bool
    script_origin: ScriptOrigin | None = None
    """Where scripts live; None where none run."""

    def rewrite_job(self, content_type: str, request: Request) -> RewriteJob | None:
        """What is to be done with a document of that type; None where it goes out as it is."""
        is_service = request.is_service_worker
        destination = "serviceworker" if is_service else request.headers.get("sec-fetch-dest", "")
        kind = _document_kind(bare_media_type(content_type).lower(), destination)
        if kind is None:
            return None
        rewrite = partial(
            self._rewrite_content,
            kind=kind,
            charset_name=declared_charset(Headers((("Content-Type", content_type),))),
        )
        home = self.script_origin if destination in _WORKER_DESTINATIONS else None
        return rewrite if home is None else lambda content: home.with_prelude(rewrite(content), is_service)

    def rewrite_fields(self, headers: Headers) -> Fields:
        """Archived fields that hold addresses, renamed; of links only those that make a browser load something."""
        found = [(name, value) for name, value in headers.fields if name.lower() in _LINK_FIELDS][:_MAX_LINK_FIELDS]
        kept = [(name, _loading_links(value) if name.lower() == "link" else value) for name, value in found]
        renamed = [(name, rewrite_field(name, value, self.url, self._renaming)) for name, value in kept if value]
        return renamed + self._policy_fields(headers.all("content-security-policy"))

    def meta_policy_fields(self, content: bytes, content_type: str) -> Fields:
        """The policies that a page declares itself, as fields; rewriting puts the elements out of force."""
        is_page = self.script_origin is not None and bare_media_type(content_type).lower() == "text/html"
        return self._policy_fields(read_meta_policies(content)) if is_page else []

    def _policy_fields(self, written: Sequence[str]) -> Fields:
        """What a page forbade itself, in the words of replay hosts; where no scripts run the locks forbid more."""
        if self.script_origin is None:
            return []
        kept = [translate_policy(value, self.url, self.naming) for value in written[:_MAX_POLICIES]]
        return [("Content-Security-Policy", policy) for policy in kept if policy]

    @property
    def _renaming(self) -> LinkRenaming:
        return replay_renaming(self.naming, self.named_hosts_only)

    def _rewrite_content(self, content: bytes, kind: DocumentKind, charset_name: str) -> bytes:
        return rewrite_document(content, self.url, self._renaming, charset=charset_name, kind=kind, edits=self.edits)


def _document_kind(media_type: str, destination: str) -> DocumentKind | None:
    """What a browser takes a document for, by what it wants to do with it; None where nothing is renamed in it."""
    if destination in ("script", "style", "manifest"):
        return _KINDS_BY_DESTINATION[destination]
    if destination in _WORKER_DESTINATIONS or destination.endswith("worklet"):
        return DocumentKind.SCRIPT
    kind = KINDS_BY_TYPE.get(media_type)
    if destination == "empty":
        # What a script fetches it gets as it was; a playlist is followed by a player that knows no shim.
        return kind if kind in _PLAYLIST_KINDS or media_type == "application/dash+xml" else None
    if destination in _PAGE_DESTINATIONS and kind not in (DocumentKind.HTML, DocumentKind.XML):
        return None if media_type else DocumentKind.HTML
    return kind


def _loading_links(value: str) -> str:
    """The links of a field that make a browser load something; others could pass for what an archive says of itself."""
    return format_link_field(
        link for link in parse_links(value) if link.relations and _LOADING_RELATIONS.issuperset(link.relations)
    )
