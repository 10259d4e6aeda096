"""Seeds out of a table (CSV): a URL in each line, and settings of its own in columns that are named as options are.

Every line is read by itself, so that a quotation mark that nobody closed costs its own line and no other. What is wrong
with a line is told with its number; the others are taken.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from webkeep.crawl.plan import parse_plan
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.collections.collection_facts import SeedEntry
from webkeep.service.schedules import parse_times
from webkeep.url import normalize_url, split_url

_URL_COLUMNS = ("url", "seed", "address")
_OWN_COLUMNS = ("notes", "schedule")
_MAX_LINE_CHARS = 100_000
"""Of one line: a URL and notes are shorter."""
_MAX_COLUMNS = 100
"""As many options as there are, and some remarks."""


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line that no seed could be made of."""

    number: int
    reason: str


def keep_entry(entry: SeedEntry) -> SeedEntry:
    """The seed as it is: for who reads tables of their own."""
    return entry


def read_seed_table(
    lines: Iterable[str], check: Callable[[SeedEntry], SeedEntry] = keep_entry
) -> Iterator[SeedEntry | RefusedLine]:
    """The seeds of a table as a check lets them in, and what is wrong with lines that have none."""
    columns: list[str] | None = None
    for number, line in enumerate(lines, 1):
        text = line.removeprefix("\ufeff").rstrip("\r\n") if number == 1 else line.rstrip("\r\n")
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        try:
            cells = _read_cells(text)
            if columns is None and (found := _header_of(cells)):
                columns = found
                continue
            yield check(_read_entry(cells, columns or ["url"]))
        except UsageError as error:
            yield RefusedLine(number, str(error))


def _read_cells(text: str) -> list[str]:
    if len(text) > _MAX_LINE_CHARS:
        raise UsageError(f"the line has more than {_MAX_LINE_CHARS:,} characters")
    delimiter = max(",;\t", key=text.count)
    try:
        (cells,) = csv.reader([text], delimiter=delimiter, strict=True)
    except (csv.Error, ValueError) as error:
        raise UsageError(f'not a line of a table ({error}); quote fields as "a, b"') from error
    if len(cells) > _MAX_COLUMNS:
        raise UsageError(f"the line has more than {_MAX_COLUMNS} columns")
    return [cell.strip() for cell in cells]


def _header_of(cells: list[str]) -> list[str] | None:
    """The names of columns, if a line has them."""
    names = [cell.lower().replace("-", "_").replace(" ", "_") for cell in cells]
    return names if any(name in _URL_COLUMNS for name in names) else None


def _read_entry(cells: list[str], columns: list[str]) -> SeedEntry:
    if len(cells) > len(columns):
        raise UsageError(f"the line has {len(cells)} columns, and the table {len(columns)}")
    values = {name: cell for name, cell in zip(columns, cells, strict=False) if cell}
    url = next((values.pop(name) for name in _URL_COLUMNS if name in values), "")
    if not url:
        raise UsageError("the line has no URL")
    own = {name: values.pop(name, "") for name in _OWN_COLUMNS}
    if own["schedule"]:
        parse_times(own["schedule"], Moment(0))
    check_no_password(url)
    plan = parse_plan({**values, "seeds": [url]})
    return SeedEntry(plan.seeds[0], values, own["notes"], own["schedule"])


def check_no_password(url: str) -> None:
    """Refuse a name or password in a URL; a plan would leave it out, say nothing, and the seed would never get in."""
    whole = normalize_url(url)
    if whole is not None and split_url(whole).userinfo:
        raise UsageError("the URL has a name or password in it, which others would see; give the seed a login instead")
