"""Pages of a WACZ (pages.jsonl): the entry points it lists, one JSON object to a line, read and written; which fields a
page has, and how long a line may be.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from webkeep.errors import UsageError
from webkeep.formats.bounded_lines import read_bounded_lines
from webkeep.formats.flaws import Flaws
from webkeep.formats.json_value import read_json
from webkeep.model import Moment

MAX_PAGE_LINE_BYTES = 16 << 20
"""A page may carry its whole text; longer lines are set aside unread."""


@dataclass(frozen=True, slots=True)
class WaczPage:
    """One page: where to enter the archive, and when."""

    url: str
    moment: Moment | None = None
    title: str = ""
    id: str = ""
    """Made of URL and time where none is given."""
    text: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)

    def to_line(self) -> str:
        """The page as it stands in a file."""
        moment = self.moment.iso() if self.moment else ""
        made = hashlib.sha256(f"{moment} {self.url}".encode("utf-8", "surrogatepass")).hexdigest()[:22]
        value: dict[str, object] = {"id": self.id or made, "url": self.url}
        value |= {name: text for name, text in (("ts", moment), ("title", self.title), ("text", self.text)) if text}
        return json.dumps(value | dict(self.extra))


def build_header_line(identifier: str, title: str, has_text: bool = False) -> str:
    """The line a list of pages begins with."""
    value: dict[str, object] = {"format": "json-pages-1.0", "id": identifier, "title": title}
    return json.dumps(value | ({"hasText": True} if has_text else {}))


def read_pages(chunks: Iterable[bytes], source: str, flaws: Flaws) -> Iterator[WaczPage]:
    """The pages of a list; its header is passed over, and lines that are no pages are reported."""
    for offset, line in read_bounded_lines(chunks, MAX_PAGE_LINE_BYTES, source, flaws):
        value = _parse_object(line)
        page = _page_from_object(value) if value is not None else None
        if page is not None:
            yield page
        elif line.strip() and not (value is not None and "format" in value):
            flaws.report("wacz-page", source, offset, "line of the page list is no page with a URL")


def _parse_object(line: bytes) -> dict[str, object] | None:
    value = read_json(line)
    return value if isinstance(value, dict) else None


def _page_from_object(value: dict[str, object]) -> WaczPage | None:
    url = value.pop("url", None)
    if not isinstance(url, str) or not url:
        return None
    moment = _parse_timestamp(value.pop("ts", None) or value.pop("timestamp", None))
    title, identifier, text = (_text_or_empty(value.pop(name, "")) for name in ("title", "id", "text"))
    return WaczPage(url, moment, title, identifier, text, value)


def _text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""


def _parse_timestamp(value: object) -> Moment | None:
    """A date in letters, or the milliseconds since 1970 that older writers put."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Moment(int(value * 1000)) if 0 <= value < 1e14 else None
    try:
        return Moment.parse(str(value)) if value else None
    except UsageError:
        return None
