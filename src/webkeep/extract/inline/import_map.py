"""JavaScript modules by bare names: what import maps (imports, scopes) make of their beginnings, and where scripts
import such names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from webkeep.extract.inline.json_links import parse_json
from webkeep.url import resolve_url

_IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s{0,20}\(?\s{0,20}(?:"([^"\s:\\]{1,300})"|'([^'\s:\\]{1,300})')""")


def read_prefixes(text: str) -> Iterator[tuple[str, str]]:
    """The beginnings of names in an import map, and the addresses they stand for; both end in a slash."""
    found = parse_json(text)
    if not isinstance(found, Mapping):
        return
    scopes = found.get("scopes")
    for block in (found.get("imports"), *(scopes.values() if isinstance(scopes, Mapping) else ())):
        for name, address in block.items() if isinstance(block, Mapping) else ():
            if name.endswith("/") and isinstance(address, str) and address.endswith("/"):
                yield name, address


def find_bare_imports(script: str) -> Iterator[str]:
    """The names that a script imports and that have to be looked up in a map, those of parts of packages alone."""
    for match in _IMPORT.finditer(script):
        name = match[1] or match[2]
        if "/" in name and not name.startswith((".", "/")) and not name.endswith("/"):
            yield name


def resolve_bare_import(name: str, prefixes: Iterable[tuple[str, str]]) -> str | None:
    """The address of a module by the longest beginning that a map has for it; None where it has none."""
    prefix, address = max((each for each in prefixes if name.startswith(each[0])), default=("", ""))
    return resolve_url(address, name[len(prefix) :]) if prefix else None
