"""CDX answers as text: CDXJ lines, JSON lines (ndjson) or plain columns, with the fields that are asked for, and the
media type of each.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from webkeep.memento.cdx.cdx_query import CdxOutput
from webkeep.memento.cdx.cdx_row import FIELD_NAMES, CdxRow

CDX_MEDIA_TYPES = {CdxOutput.CDXJ: "text/x-cdxj", CdxOutput.JSON: "application/x-ndjson", CdxOutput.TEXT: "text/plain"}


def render_row(row: CdxRow, output: CdxOutput, fields: Sequence[str]) -> str:
    """One row as a line with its end; `fields` names what is wanted, in that order, all where it names nothing."""
    if output is CdxOutput.JSON:
        return json.dumps(_select_fields(row, fields)) + "\n"
    if output is CdxOutput.TEXT or fields:
        return " ".join(row.get(name).replace(" ", "%20") for name in fields or FIELD_NAMES) + "\n"
    return f"{row}\n"


def _select_fields(row: CdxRow, fields: Sequence[str]) -> dict[str, str]:
    return {name: row.get(name) for name in fields} if fields else row.values
