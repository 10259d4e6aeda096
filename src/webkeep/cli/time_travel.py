"""The list of a site as of a moment: each URL once, as the capture that answers for the moment has it."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.cli import measure
from webkeep.cli.facts import SHORT, observation_facts
from webkeep.cli.table import Column
from webkeep.cli.views import Row, View
from webkeep.coherence.timeline import Mapping
from webkeep.errors import UsageError
from webkeep.model import Moment, parse_moment
from webkeep.quality.time_travel import Answer, answers_in, capture_for
from webkeep.store.archive import Archive
from webkeep.store.selecting import Selection


def as_of_view(moment: str, mapping: str | None) -> View:
    """The list of a site as of a moment, as a person writes it."""
    columns = (
        Column("moment (UTC)"),
        Column("known by"),
        Column("status", right=True),
        Column("type"),
        Column("digest"),
        Column("capture"),
        Column("URL"),
    )

    def rows(archive: Archive, selection: Selection) -> Iterator[Row]:
        if selection.shape:
            raise UsageError(f"--as-of takes a URL, a beginning or a host; {selection.shape} is none")
        asked = parse_moment(moment, archive.clock.now())
        span = capture_for(archive, selection.url, selection.match, asked, Mapping(mapping or Mapping.NEAREST))
        if span is not None:
            for answer in answers_in(archive, span.capture, selection.url, selection.match, asked):
                yield _row(answer, asked)

    return View("answer", columns, rows, frozenset({"url"}))


def _row(answer: Answer, asked: Moment) -> Row:
    observation = answer.observation
    digest = observation.payload_digest
    cells = (
        measure.date(observation.moment),
        _known_by(answer, asked),
        "" if observation.status is None else str(observation.status),
        observation.media_type,
        digest.base32[:SHORT] if digest else "",
        observation.capture[:SHORT],
        observation.url,
    )
    return Row(cells, {**observation_facts(observation), "as_of": asked.iso(), "proven": answer.is_proven})


def _known_by(answer: Answer, asked: Moment) -> str:
    seconds = answer.observation.moment.seconds_since(asked)
    if seconds == 0:
        return "seen then"
    if answer.is_proven:
        return "the same before and after"
    return f"{measure.duration(abs(seconds))} {'after' if seconds > 0 else 'before'}"
