"""Pages of an application as a list in a file: a path and its size in bytes to a line, those seen most first."""

from __future__ import annotations

from pathlib import Path

from webkeep.errors import UsageError
from webkeep.url import normalize_url, split_url
from webkeep.vault.page_paths import decode_path
from webkeep.vault.vault_plan import CarrierPage

_MAX_LIST_BYTES = 64 << 20
"""Of a list: a million pages."""
_USUAL_PAGE_BYTES = 40_000
"""What a page is taken to have of its own where the list does not say."""


def read_page_list(path: Path) -> tuple[CarrierPage, ...]:
    """The pages of a list; raises UsageError for a line that names none."""
    try:
        with path.open("rb") as stream:
            text = stream.read(_MAX_LIST_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"the list {path} cannot be read ({error.strerror}); check its name") from error
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    pages = [_parse_line(path, number, words) for number, words in lines if words and not words[0].startswith("#")]
    named = [page.path for page in pages]
    if len(set(named)) != len(named):
        raise UsageError(f"{path} names a page twice; name each once")
    return tuple(pages)


def _parse_line(path: Path, number: int, words: list[str]) -> CarrierPage:
    name, *rest = words
    if "://" in name:
        name = split_url(normalize_url(name) or "about:blank").target
    if not name.startswith("/") or len(rest) > 1 or (rest and not (rest[0].isascii() and rest[0].isdigit())):
        raise UsageError(
            f"{path} line {number}: {' '.join(words)[:80]!r} names no page; write /path and its size in bytes"
        )
    return CarrierPage(decode_path(name), int(rest[0][:12]) if rest else _USUAL_PAGE_BYTES)
