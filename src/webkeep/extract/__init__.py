"""Links out of documents, each with its role, where it came from, and whether it is a guess.

Names are fetched when they are first asked for: who only passes links on loads none of what reads documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.extract.directives import RobotsDirective, header_directives, meta_directives
    from webkeep.extract.kind import Kind, kind_of
    from webkeep.extract.link import Link, Reference, Role
    from webkeep.extract.reading import content_links, extract_links
    from webkeep.extract.resource import Resource
    from webkeep.extract.sitemap import read_sitemap
    from webkeep.extract.well_known import well_known_links

__all__ = [
    "Kind",
    "Link",
    "Reference",
    "Resource",
    "RobotsDirective",
    "Role",
    "content_links",
    "extract_links",
    "header_directives",
    "kind_of",
    "meta_directives",
    "read_sitemap",
    "well_known_links",
]

_HOMES = {
    "directives": ("RobotsDirective", "header_directives", "meta_directives"),
    "kind": ("Kind", "kind_of"),
    "link": ("Link", "Reference", "Role"),
    "reading": ("content_links", "extract_links"),
    "resource": ("Resource",),
    "sitemap": ("read_sitemap",),
    "well_known": ("well_known_links",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'webkeep.extract' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"webkeep.extract.{_HOME_OF[name]}"), name)
