"""What a selection of jobs asks of their rows, in SQL."""

from __future__ import annotations

from webkeep.service.jobs import JobSelection
from webkeep.service.store.sql_database import SqlValue


def write_conditions(selection: JobSelection) -> tuple[list[str], list[SqlValue]]:
    """What a selection asks of rows, and the values in it."""
    wheres: list[str] = []
    values: list[SqlValue] = []
    states = sorted({each.value for each in selection.states})
    names = None if selection.collections is None else sorted(selection.collections)
    for column, wanted in (("state", states or None), ("collection", names)):
        if wanted is not None:
            wheres.append(f"{column} IN ({', '.join('?' * len(wanted))})" if wanted else "1 = 0")
            values += wanted
    if selection.seed:
        wheres.append("seed = ?")
        values.append(selection.seed)
    return wheres, values
