"""What a capture reads out of a response: its links, what it asks of robots (X-Robots-Tag and meta), change hints,
imported modules, and what of it would run in a browser (scripts, handlers, frames).
"""

from __future__ import annotations

import re
from itertools import islice

from webkeep.crawl.links.change_hints import read_change_hints
from webkeep.crawl.links.extracted_links import NOTHING_EXTRACTED, OWN_SCRIPTS, ExtractedLinks, ExtractionContext
from webkeep.document import MAX_INERT_CHARS, PageContentSink, is_inert_script
from webkeep.extract import (
    DocumentKind,
    LinkMemory,
    directives_of_metas,
    header_directives,
    is_plain_image,
    meta_directives,
    read_new_links,
    read_response_content,
)
from webkeep.extract.inline import PageScripting, find_bare_imports
from webkeep.formats.http import declared_charset
from webkeep.frontier.policy import ROBOTS_AGENT
from webkeep.model import Exchange, Headers
from webkeep.store.reading import fingerprint_content
from webkeep.url import resolve_url

_ImportPrefix = tuple[str, str]
_MAX_MODULES = 5000
"""Names of modules, and prefixes for them, that are read of one document."""
_SCRIPTING_MARKUP = re.compile(rb"script|<[a-z:]*(?:i?frame|object|embed)|\son[a-z]+\s*=", re.IGNORECASE)


def extract_response_links(context: ExtractionContext, exchange: Exchange) -> ExtractedLinks:
    """The links of a response that its job was not told of lately, and what it asks of robots."""
    if is_plain_image(exchange):
        return NOTHING_EXTRACTED
    response = read_response_content(exchange)
    _, headers, content, kind = response
    hints = read_change_hints(exchange.url, content, declared_charset(headers), kind) if context.wants_hints else ()
    scripting = PageScripting() if kind is DocumentKind.HTML else None
    sink = PageContentSink() if kind is DocumentKind.HTML else None
    links = read_new_links(LinkMemory.for_context(context.job, context), response, scripting, sink).links
    programs = _own_programs(exchange.url, scripting, content, kind) if context.wants_programs else ()
    imports, prefixes = _module_names(exchange.url, scripting, content, kind)
    page_content = None if sink is None else sink.content
    fingerprint = fingerprint_content(content, kind, declared_charset(headers), page_content, exchange.body.size)
    directives = _robots_directives(headers, content, sink)
    return ExtractedLinks(links, directives, "", hints, programs, imports, prefixes, fingerprint)


def _own_programs(url: str, scripting: PageScripting | None, content: bytes, kind: DocumentKind) -> tuple[str, ...]:
    if scripting is not None:
        return page_programs(url, scripting)
    if kind is DocumentKind.SCRIPT:
        acts = len(content) > MAX_INERT_CHARS or not is_inert_script(content.decode("utf-8", "replace"))
    else:
        acts = kind is DocumentKind.XML and _SCRIPTING_MARKUP.search(content) is not None
    return (OWN_SCRIPTS,) if acts else ()


def _module_names(
    url: str, scripting: PageScripting | None, content: bytes, kind: DocumentKind
) -> tuple[list[str], list[_ImportPrefix]]:
    """What is imported by bare names, and what import maps say of such names."""
    if scripting is not None:
        base = resolve_url(url, scripting.base) or url
        found = ((name, resolve_url(base, address)) for name, address in scripting.prefixes[:_MAX_MODULES])
        return scripting.imports[:_MAX_MODULES], [(name, address) for name, address in found if address is not None]
    if kind is not DocumentKind.SCRIPT or b"import" not in content:
        return [], []
    return list(islice(find_bare_imports(content.decode("utf-8", "replace")), _MAX_MODULES)), []


def page_programs(url: str, scripting: PageScripting) -> tuple[str, ...]:
    """What of a page would run: addresses of scripts, and `OWN_SCRIPTS`."""
    if scripting.is_own or (scripting.is_rebased and scripting.sources):
        return (OWN_SCRIPTS,)
    found = (resolve_url(url, source) for source in scripting.sources)
    return tuple(dict.fromkeys((each or OWN_SCRIPTS).partition("#")[0] for each in found))


def _robots_directives(headers: Headers, content: bytes, sink: PageContentSink | None) -> str:
    asked = header_directives(headers)
    if sink is not None and sink.content is not None:
        asked += directives_of_metas(sink.metas)
    elif content:
        asked += meta_directives(content, declared_charset(headers))
    return ", ".join(dict.fromkeys(each.name for each in asked if each.agent in ("*", ROBOTS_AGENT)))[:200]
