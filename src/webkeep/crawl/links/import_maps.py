"""Import maps: bare module names that scripts import are resolved by the import maps of pages, whichever come first;
how many names a capture remembers.
"""

from __future__ import annotations

from webkeep.crawl.links.extracted_links import ExtractedLinks
from webkeep.extract.links import EMBED_KIND, FoundLink

_MAX_NAMES = 20_000
"""Names and prefixes remembered in one capture."""


class BareImports:
    """The names and the maps of one capture."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._prefixes: set[tuple[str, str]] = set()

    def add_module_links(self, extracted: ExtractedLinks) -> ExtractedLinks:
        """What was read out of a response, with links to modules whose addresses are known by now."""
        prefixes = [each for each in extracted.prefixes if each not in self._prefixes]
        names = [each for each in extracted.imports if each not in self._names]
        if not prefixes and not names:
            return extracted
        from webkeep.extract.inline import resolve_bare_import

        found = [resolve_bare_import(name, prefixes) for name in self._names] if prefixes else []
        if len(self._prefixes) + len(prefixes) <= _MAX_NAMES and len(self._names) + len(names) <= _MAX_NAMES:
            self._prefixes.update(prefixes)
            self._names.update(names)
        found += [resolve_bare_import(name, self._prefixes) for name in names]
        links: list[FoundLink] = [(url.partition("#")[0], EMBED_KIND, False) for url in found if url is not None]
        return extracted._replace(links=[*extracted.links, *links])
