"""CDX answers as text: CDXJ lines, JSON lines, or plain columns."""

from __future__ import annotations

import json
from collections.abc import Sequence

from webkeep.memento.cdx_query import Output
from webkeep.memento.cdx_row import NAMES, Row

MEDIA_TYPES = {Output.CDXJ: "text/x-cdxj", Output.JSON: "application/x-ndjson", Output.TEXT: "text/plain"}


def row_text(row: Row, output: Output, fields: Sequence[str]) -> str:
    """One row as a line with its end; `fields` names what is wanted, in that order, all where it names nothing."""
    if output is Output.JSON:
        return json.dumps(_chosen(row, fields)) + "\n"
    if output is Output.TEXT or fields:
        return " ".join(row.get(name).replace(" ", "%20") for name in fields or NAMES) + "\n"
    return f"{row}\n"


def _chosen(row: Row, fields: Sequence[str]) -> dict[str, str]:
    return {name: row.get(name) for name in fields} if fields else row.values
