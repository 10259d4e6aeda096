"""Content security policies of archived pages, in the words of the replay hosts that their sources are shown on: which
directives are dropped, how hosts are renamed, and where a policy becomes wider.

What a page forbade itself stays forbidden, where replay can tell it: host names are renamed like links. Where it cannot
(wildcards, digests of scripts that were wrapped) a policy becomes wider, never narrower, and the shim is always let in.
What it says of frames is left out: the error page that Chromium puts in place of a frame has no security fields (see
`security_headers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webkeep.replay.shim.replay_host import ReplayNaming
from webkeep.replay.shim.scripts import OWN_PATH
from webkeep.url import normalize_url, split_url

# What speaks of the live web's transport, of frames around the page, of whom to tell, or of what the shim must do.
_DROPPED_DIRECTIVES = frozenset(
    ("upgrade-insecure-requests", "block-all-mixed-content", "frame-ancestors", "sandbox", "report-to", "report-uri",
     "trusted-types", "require-trusted-types-for", "require-sri-for", "plugin-types", "reflected-xss", "referrer",
     "navigate-to", "frame-src", "child-src", "fenced-frame-src")
)  # fmt: skip
_DEFAULT_SRC_DIRECTIVES = ("script-src", "style-src", "img-src", "font-src", "media-src", "object-src", "worker-src",
"manifest-src",
              "connect-src")  # fmt: skip
"""What `default-src` stands for, but for frames."""
_SCRIPT_DIRECTIVES = ("script-src-elem", "script-src")
_KEPT_SCHEMES = frozenset(("data:", "blob:", "mediastream:", "filesystem:"))
_DIGEST = re.compile(r"'sha(?:256|384|512)-", re.IGNORECASE)
_HOST = re.compile(r"(?:([a-z][a-z0-9+.-]*)://)?([^\s:/*]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?(/\S*)?", re.IGNORECASE)
_MAX_POLICY_CHARS = 16 * 1024
"""Longer policies are left out: browsers refuse answers whose heads are too long."""


def translate_policy(value: str, page: str, naming: ReplayNaming) -> str:
    """The value of a Content-Security-Policy field for a page on its replay host; empty where nothing of it is left."""
    if len(value) > _MAX_POLICY_CHARS:
        return ""
    translation = _PolicyTranslation.for_page(page, naming)
    policies = (translation.translate(policy) for policy in value.split(","))
    told = ", ".join(policy for policy in policies if policy)
    return told if len(told) <= _MAX_POLICY_CHARS else ""  # browsers refuse answers whose heads are too long


@dataclass(frozen=True, slots=True)
class _PolicyTranslation:
    naming: ReplayNaming
    scheme: str
    """The archived page's own."""
    home: str
    """The page's replay host."""
    secure_home: str
    """Where the same host is replayed over https; `'self'` means that as well."""
    everywhere: str
    """All replay hosts."""

    @classmethod
    def for_page(cls, page: str, naming: ReplayNaming) -> _PolicyTranslation:
        url = split_url(page)
        base_scheme, _, base = naming.base.partition("://")
        origin, secure = (naming.replay_url(f"{scheme}://{url.authority}/") for scheme in (url.scheme, "https"))
        return cls(
            naming,
            url.scheme,
            (origin or "").rstrip("/"),
            (secure or "").rstrip("/"),
            f"{base_scheme}://*.{base}",
        )

    def translate(self, text: str) -> str:
        directives: dict[str, list[str]] = {}
        for directive in text.split(";"):
            name, *sources = directive.split() or [""]
            if name and name.lower() not in _DROPPED_DIRECTIVES:
                directives.setdefault(name.lower(), self._translate_sources(name.lower(), sources))
        default = directives.pop("default-src", None)
        if default is not None:
            directives |= {name: list(default) for name in _DEFAULT_SRC_DIRECTIVES if name not in directives}
        governing = next((name for name in _SCRIPT_DIRECTIVES if name in directives), None)
        if governing is not None:
            scripts = [each for each in directives[governing] if each != "'none'"]
            directives[governing] = [*scripts, f"{self.home}{OWN_PATH}"]
        if any(source != "'none'" for source in directives.get("connect-src", ())):
            directives["connect-src"].append(f"{self.home}{OWN_PATH}")  # where recorded sockets are asked for
        return "; ".join(" ".join((name, *sources)) for name, sources in directives.items())

    def _translate_sources(self, name: str, sources: list[str]) -> list[str]:
        if any(map(_DIGEST.match, sources)) and not name.startswith("style-src"):
            # Wrapped scripts have other digests.
            return [self.everywhere, "data:", "blob:", "'unsafe-inline'", "'unsafe-eval'"]
        found = [each for source in sources for each in self._translate_source(source)]
        return list(dict.fromkeys(found))

    def _translate_source(self, source: str) -> Iterator[str]:
        low = source.lower()
        if low == "'self'":
            yield from ("'self'", self.secure_home)
        elif low == "'strict-dynamic'":
            yield self.everywhere  # whatever a trusted script loads
        elif source.startswith("'") or low in _KEPT_SCHEMES:
            yield source
        else:
            yield from self._host_sources(low, source)

    def _host_sources(self, low: str, source: str) -> Iterator[str]:
        match = _HOST.fullmatch(source)
        if match is None or low.endswith(":"):
            yield self.everywhere  # a scheme, or a wildcard, which cannot stand within a label
            return
        scheme, host, port, path = match.groups()
        scheme = {"ws": "http", "wss": "https"}.get((scheme or self.scheme).lower(), (scheme or self.scheme).lower())
        for each in dict.fromkeys((scheme, "https")):
            url = normalize_url(f"{each}://{host}{f':{port}' if port else ''}{path or '/'}")
            address = self.naming.replay_url(url) if url else None
            if address is not None:
                yield address if path else address.removesuffix("/")
