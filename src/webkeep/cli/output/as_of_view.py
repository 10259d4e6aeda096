"""The list of a site as of a moment (`webkeep list --as-of`): its columns, and the words for how each URL is known,
such as seen then, or the same before and after.
"""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.cli.output.json_facts import SHORT_ID_CHARS, observation_facts
from webkeep.cli.output.list_views import ListedRow, ListView
from webkeep.cli.output.table import build_columns
from webkeep.coherence.time_travel import MomentMapping
from webkeep.errors import UsageError
from webkeep.model import Moment, parse_moment
from webkeep.presentation import format_duration, format_moment
from webkeep.quality.diff import TimeTravelResult, find_capture, find_observations
from webkeep.store.archive import Archive, Selection


def build_as_of_view(moment: str, mapping: str | None) -> ListView:
    """The list of a site as of a moment, as a person writes it."""
    columns = build_columns("moment (UTC)", "known by", "status>", "type", "digest", "capture", "URL")

    def rows(archive: Archive, selection: Selection) -> Iterator[ListedRow]:
        if selection.pattern:
            raise UsageError(f"--as-of takes a URL, a beginning or a host; {selection.pattern} is none")
        asked = parse_moment(moment, archive.clock.now())
        span = find_capture(
            archive, selection.url, selection.match, asked, MomentMapping(mapping or MomentMapping.NEAREST)
        )
        if span is not None:
            for result in find_observations(archive, span.capture, selection.url, selection.match, asked):
                yield _result_row(result, asked)

    return ListView("memento", columns, rows, frozenset({"url"}))


def _result_row(result: TimeTravelResult, asked: Moment) -> ListedRow:
    observation = result.observation
    digest = observation.payload_digest
    cells = (
        format_moment(observation.moment),
        _evidence_words(result, asked),
        "" if observation.status is None else str(observation.status),
        observation.media_type,
        digest.base32[:SHORT_ID_CHARS] if digest else "",
        observation.capture[:SHORT_ID_CHARS],
        observation.url,
    )
    return ListedRow(cells, {**observation_facts(observation), "as_of": asked.iso(), "proven": result.is_proven})


def _evidence_words(result: TimeTravelResult, asked: Moment) -> str:
    seconds = result.observation.moment.seconds_since(asked)
    if seconds == 0:
        return "seen then"
    if result.is_proven:
        return "the same before and after"
    return f"{format_duration(abs(seconds))} {'after' if seconds > 0 else 'before'}"
