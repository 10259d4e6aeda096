"""Links out of documents, each with its role, where it came from, and whether it is a guess."""

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
