"""What programs are told of captures, observations and places of records: the JSON keys."""

from __future__ import annotations

from webkeep.api import SHORT_ID_CHARS as SHORT_ID_CHARS
from webkeep.formats import read_json
from webkeep.model import Capture, Moment, Observation, RecordPlace

_JSON_STARTS = ("{", "[")


def capture_facts(capture: Capture) -> dict[str, object]:
    """A capture as JSON."""
    return {
        "capture": capture.id,
        "kind": capture.kind,
        "started": capture.started.iso(),
        "finished": moment_fact(capture.finished),
        "seeds": list(capture.seeds),
        "facts": {name: _fact_value(text) for name, text in capture.facts.items()},
    }


def _fact_value(text: str) -> object:
    """A fact as JSON: those that are kept as JSON, such as the plan, are values and no texts with JSON in them."""
    if not text.startswith(_JSON_STARTS):
        return text
    value = read_json(text)
    return text if value is None else value


def observation_facts(observation: Observation) -> dict[str, object]:
    """An observation as JSON."""
    return {
        "url": observation.url,
        "moment": observation.moment.iso(),
        "method": observation.method,
        "status": observation.status,
        "type": observation.media_type,
        "size": observation.size,
        "payload_digest": _text_or_none(observation.payload_digest),
        "content_digest": _text_or_none(observation.content_digest),
        "etag": observation.etag,
        "last_modified": observation.last_modified,
        "capture": observation.capture,
        "via": observation.via,
        "visit": observation.visit.value,
        "record": observation.record_type,
        "not_modified": observation.not_modified,
        "held": not observation.is_dangling,
        **place_facts(observation.place),
    }


def place_facts(place: RecordPlace) -> dict[str, object]:
    """Where a record lies, as JSON."""
    return {"file": place.file, "offset": place.offset, "length": place.length}


def moment_fact(moment: Moment | None) -> str | None:
    """A moment as JSON."""
    return None if moment is None else moment.iso()


def _text_or_none(value: object) -> str | None:
    return None if value is None else str(value)
