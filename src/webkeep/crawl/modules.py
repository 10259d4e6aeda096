"""Modules that scripts import by bare names, brought together with the import maps of pages, whichever come first."""

from __future__ import annotations

from webkeep.crawl.studied import Found, Studied

_MOST = 20_000
_EMBED = 1


class Modules:
    """The names and the maps of one capture."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._prefixes: set[tuple[str, str]] = set()

    def with_links(self, studied: Studied) -> Studied:
        """What was read out of a response, with links to modules whose addresses are known by now."""
        prefixes = [each for each in studied.prefixes if each not in self._prefixes]
        names = [each for each in studied.imports if each not in self._names]
        if not prefixes and not names:
            return studied
        from webkeep.extract.import_map import mapped  # few captures need what is behind it

        found = [mapped(name, prefixes) for name in self._names] if prefixes else []
        if len(self._prefixes) + len(prefixes) <= _MOST and len(self._names) + len(names) <= _MOST:
            self._prefixes.update(prefixes)
            self._names.update(names)
        found += [mapped(name, self._prefixes) for name in names]
        links: list[Found] = [(url.partition("#")[0], _EMBED, False) for url in found if url is not None]
        return studied._replace(links=[*studied.links, *links])
