"""Resuming after a crash: records in the WARC files that the URL store does not know are read again for their links and
fates, not fetched again; robots.txt still fresh is restored.

The URL store is a cache: it may be behind the archive by what was written last, or gone. Each record that lies behind
the last one the URL store knows is read again for its links, and never asked for again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from webkeep.crawl.links.exchange_analysis import analyse_exchange
from webkeep.crawl.links.extracted_links import ExtractedLinks, ExtractionContext, links_from_found
from webkeep.crawl.links.reassembly import (
    MAX_LISTING_BYTES,
    exchange_from_file,
    is_listed_directory,
    links_from_listing,
)
from webkeep.crawl.requests.outcome_builder import add_remarks, cut_off_reason, redirect_target
from webkeep.crawl.requests.robots_response import MAX_ROBOTS_REDIRECTS
from webkeep.crawl.run.capture_url_store import CaptureUrlStore
from webkeep.formats.http import ResponseHead
from webkeep.formats.site import MAX_ROBOTS_BYTES
from webkeep.frontier import Frontier
from webkeep.frontier.hosts import ROBOTS_TTL_SECONDS, host_key_of, interpret_robots
from webkeep.frontier.urls import Admission, Candidate, FetchOutcome, Settled, Settlement, UrlRole
from webkeep.model import Exchange, Observation, RecordPlace, RecordType, UrlOutcome, VisitKind
from webkeep.store.archive import Archive
from webkeep.store.reading import StoredResponse, read_stored_response

_LENGTH_TRUNCATION = "length"
"""How a record says that it was cut off at a limit of size."""

MARKER_KEY = "written"
"""The name under which a URL store keeps how far into the archive it reaches."""


def marker_text(place: RecordPlace) -> str:
    """Where a record lies, as it is kept in the URL store."""
    return f"{place.file} {place.offset}"


def catch_up(archive: Archive, capture: str, url_store: CaptureUrlStore, frontier: Frontier) -> int:
    """Bring into the URL store what the archive has beyond it; the answer is how many records that were."""
    count = 0
    for observation in _records_beyond(archive, capture, url_store.load_text(MARKER_KEY)):
        count += 1
        if observation.visit is VisitKind.REVISIT:
            url_store.save_text(MARKER_KEY, marker_text(observation.place))
            continue
        # Each record is a job of its own here: what one page told may count for more on the next.
        extracted = _restore_record(archive, f"{capture} {count}", observation, frontier)
        if extracted.robots_directives:
            _note_remarks(url_store, observation.url, extracted)
        url_store.save_text(MARKER_KEY, marker_text(observation.place))
    _restore_robots(archive, capture, frontier)
    frontier.save()
    url_store.commit()
    return count


def enter_links_again(archive: Archive, capture: str, url: str, frontier: Frontier) -> bool:
    """Enter the links of a page that was stored in this capture once more, as from where it stands now.

    Gives whether the archive has it, with what it refers to.
    """
    seen = [
        each
        for each in archive.history(url)
        if each.url == url and each.capture == capture and each.visit is not VisitKind.REVISIT and not each.is_dangling
    ]
    for observation in seen[-1:]:
        _restore_record(archive, f"{capture} again {url}", observation, frontier, is_received=True)
    return bool(seen)


def _restore_record(
    archive: Archive, job: str, observation: Observation, frontier: Frontier, is_received: bool = False
) -> ExtractedLinks:
    """Tell the frontier of a record as if it was just asked for; gives what was read out of it."""
    stored, record = read_stored_response(archive.files, observation.place)
    outcome = _outcome_from_record(observation, stored, record.get("warc-truncated"))
    extracted = _extract_stored(job, observation, archive.read(observation))
    links = links_from_found(extracted.links)
    frontier.restore(observation.url, observation.via, outcome, links, archive.clock.now(), is_received)
    return extracted


def mark_caught_up(archive: Archive, capture: str, url_store: CaptureUrlStore) -> None:
    """Say in the URL store that it has all that is stored, also what was stored beside the engine, as by a browser."""
    for last in deque(_records_beyond(archive, capture, url_store.load_text(MARKER_KEY)), maxlen=1):
        url_store.save_text(MARKER_KEY, marker_text(last.place))
        url_store.commit(at_once=True)


def _extract_stored(job: str, observation: Observation, stored: StoredResponse) -> ExtractedLinks:
    url = observation.url
    if observation.status is not None:
        exchange = Exchange(url, observation.moment, stored.raw_head, stored.body, via=observation.via)
    elif is_listed_directory(url):
        return ExtractedLinks(links_from_listing(url, b"".join(stored.content(MAX_LISTING_BYTES))))
    else:
        exchange = exchange_from_file(url, observation.moment, observation.media_type, stored.body)
    return analyse_exchange(ExtractionContext(job), exchange)


def _note_remarks(url_store: CaptureUrlStore, url: str, extracted: ExtractedLinks) -> None:
    candidate, (fate, *_) = url_store.find(url), url_store.trail(url, 1)
    if candidate is not None and fate.outcome in (UrlOutcome.STORED, UrlOutcome.DUPLICATE):
        told = add_remarks(Settled(fate.outcome, fate.reason), extracted)
        url_store.settle([Settlement(candidate.id, told.outcome, told.reason)])


def _outcome_from_record(observation: Observation, stored: StoredResponse, truncated: str) -> FetchOutcome:
    head = stored.head or ResponseHead()
    return FetchOutcome(
        observation.moment,
        observation.moment,
        observation.status or 0,
        # Whatever cut it off may have passed, unless it was a limit of ours.
        failure=f"cut off ({truncated})" if truncated not in ("", _LENGTH_TRUNCATION) else "",
        temporary=True,
        cut=cut_off_reason(stored.body.size) if truncated == _LENGTH_TRUNCATION else "",
        size=observation.size + len(stored.raw_head),
        duplicate=observation.record_type == RecordType.REVISIT,
        redirect=redirect_target(observation.url, head),
    )


def _restore_robots(archive: Archive, capture: str, frontier: Frontier) -> None:
    """Give the frontier the robots.txt files that were read already and are still believed."""
    now = archive.clock.now()
    for host in list(frontier.hosts()):
        observation = _stored_robots(archive, capture, host.robots_url) if host.origin else None
        if observation is not None and now.seconds_since(observation.moment) < ROBOTS_TTL_SECONDS:
            content = b"".join(archive.read(observation).content(MAX_ROBOTS_BYTES))
            # They are believed from when they were read, not from now on.
            frontier.update_robots(host.key, interpret_robots(observation.status or 0, content), observation.moment)


def store_robots_targets(archive: Archive, capture: str, url_store: CaptureUrlStore, frontier: Frontier) -> None:
    """Enter where robots.txt files had moved to before the capture was stopped, unless that was found otherwise too."""
    for host in list(frontier.hosts()):
        for seen in list(_robots_chain(archive, capture, host.robots_url))[1:] if host.origin else ():
            if url_store.find(seen.url) is None:
                outcome = UrlOutcome.DUPLICATE if seen.record_type == RecordType.REVISIT else UrlOutcome.STORED
                rules = url_store.find(host.robots_url)
                via = rules.id if rules is not None else 0
                url_store.add([Admission(Candidate(0, seen.url, host_key_of(seen.url), UrlRole.ROBOTS, via), outcome)])


def _stored_robots(archive: Archive, capture: str, url: str) -> Observation | None:
    """The robots.txt that was kept last, after its redirects."""
    chain = list(_robots_chain(archive, capture, url))
    return None if not chain or _stored_redirect(archive, chain[-1]) else chain[-1]


def _robots_chain(archive: Archive, capture: str, url: str) -> Iterator[Observation]:
    """The robots.txt that was kept last, and what its redirects led to, as far as that was kept whole."""
    for _ in range(MAX_ROBOTS_REDIRECTS + 1):
        seen = [each for each in archive.history(url) if each.url == url and each.capture == capture]
        if not seen or read_stored_response(archive.files, seen[-1].place)[1].get("warc-truncated"):
            return
        yield seen[-1]
        url = _stored_redirect(archive, seen[-1])
        if not url:
            return


def _stored_redirect(archive: Archive, seen: Observation) -> str:
    head = archive.read(seen).head
    return redirect_target(seen.url, head) if head is not None else ""


def _records_beyond(archive: Archive, capture: str, marker: str) -> Iterator[Observation]:
    file, _, offset = marker.rpartition(" ")
    known = (file, int(offset)) if file else ("", -1)
    for observation in archive.observations(capture, resolve=False):
        place = observation.place
        if (place.file, place.offset) > known and observation.record_type != RecordType.METADATA:
            yield observation
