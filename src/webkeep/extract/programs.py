"""Links of programs and documents in binary form: Java classes, Flash films, PDF files."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.extract.guess import guessed_role
from webkeep.extract.link import Reference, Role
from webkeep.extract.resource import Resource
from webkeep.extract.text import text_references
from webkeep.formats.flash import flash_strings
from webkeep.formats.java_class import read_class_file
from webkeep.formats.pdf_links import pdf_links

# These come with every Java, and are on no server.
_LIBRARIES = ("java/", "javax/", "sun/", "jdk/", "netscape/", "com/sun/")
_MOST = 20_000


def class_references(resource: Resource) -> Iterator[Reference]:
    """The classes that a Java class uses, beside it on the server, and its strings that look like addresses."""
    pool = read_class_file(resource.content)
    base = _codebase(resource.url, pool.own_name)
    for name in pool.classes:
        if name != pool.own_name and not name.startswith(_LIBRARIES) and guessed_role(f"{name}.class") is not None:
            yield Reference(f"{name}.class", Role.EMBED, "java class", base=base)
    for text in pool.texts:
        if (role := guessed_role(text)) is not None:
            yield Reference(text, role, "java string", True, base=base)


def _codebase(url: str, own_name: str) -> str:
    """The directory that packages begin in."""
    path = url.partition("?")[0].partition("#")[0]
    return path.removesuffix(f"{own_name}.class") if own_name and path.endswith(f"/{own_name}.class") else ""


def flash_references(resource: Resource) -> Iterator[Reference]:
    """Strings of a Flash film that look like addresses."""
    for count, text in enumerate(flash_strings(resource.content)):
        if count >= _MOST:
            return
        stripped = text.strip()
        if (role := guessed_role(stripped)) is not None:
            yield Reference(stripped, role, "flash string", True)
        else:
            yield from text_references(text, "flash string")


def pdf_references(resource: Resource) -> Iterator[Reference]:
    """The links of a PDF file; the names of files it opens are guesses."""
    base = ""
    for found in pdf_links(resource.content):
        if found.entry == "Base":
            base = found.address
        elif found.entry == "URI":
            yield Reference(found.address, Role.NAVIGATE, "pdf /URI", base=base)
        elif guessed_role(found.address) is not None:
            yield Reference(found.address, Role.NAVIGATE, "pdf /F", True, base=base)
