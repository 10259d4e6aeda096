"""Links of programs and documents in binary form: Java classes (applets), Flash films, PDF files."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.extract.documents.decoded_content import DecodedContent
from webkeep.extract.inline.text_links import text_references
from webkeep.extract.links.link import LinkReference, LinkRole
from webkeep.extract.links.link_guess import guess_role
from webkeep.formats.binary import read_class_file, read_flash_strings, read_pdf_links

# These come with every Java, and are on no server.
_LIBRARY_PREFIXES = ("java/", "javax/", "sun/", "jdk/", "netscape/", "com/sun/")
_MAX_STRINGS = 20_000
"""Strings of one film that are looked at; films have hundreds."""


def java_class_references(resource: DecodedContent) -> Iterator[LinkReference]:
    """The classes that a Java class uses, beside it on the server, and its strings that look like addresses."""
    pool = read_class_file(resource.content)
    base = _codebase(resource.url, pool.own_name)
    for name in pool.classes:
        if name != pool.own_name and not name.startswith(_LIBRARY_PREFIXES) and guess_role(f"{name}.class") is not None:
            yield LinkReference(f"{name}.class", LinkRole.EMBED, "java class", base=base)
    for text in pool.texts:
        if (role := guess_role(text)) is not None:
            yield LinkReference(text, role, "java string", True, base=base)


def _codebase(url: str, own_name: str) -> str:
    """The directory that packages begin in."""
    path = url.partition("?")[0].partition("#")[0]
    return path.removesuffix(f"{own_name}.class") if own_name and path.endswith(f"/{own_name}.class") else ""


def flash_references(resource: DecodedContent) -> Iterator[LinkReference]:
    """Strings of a Flash film that look like addresses."""
    for count, text in enumerate(read_flash_strings(resource.content)):
        if count >= _MAX_STRINGS:
            return
        stripped = text.strip()
        if (role := guess_role(stripped)) is not None:
            yield LinkReference(stripped, role, "flash string", True)
        else:
            yield from text_references(text, "flash string")


def pdf_references(resource: DecodedContent) -> Iterator[LinkReference]:
    """The links of a PDF file; the names of files it opens are guesses."""
    base = ""
    for found in read_pdf_links(resource.content):
        if found.entry == "Base":
            base = found.address
        elif found.entry == "URI":
            yield LinkReference(found.address, LinkRole.NAVIGATE, "pdf /URI", base=base)
        elif guess_role(found.address) is not None:
            yield LinkReference(found.address, LinkRole.NAVIGATE, "pdf /F", True, base=base)
