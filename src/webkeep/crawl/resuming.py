"""Going on after a crash: what the archive holds of a capture and its book does not know is brought into the book.

The book is a cache: it may be behind the archive by what was written last, or gone. Each record that lies behind the
last one the book knows is read again for its links, and never asked for again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from webkeep.crawl.answering import cut_off_at, redirect_of, with_remarks
from webkeep.crawl.assembly import MOST_LISTED, file_exchange, is_directory, listed
from webkeep.crawl.studied import Situation, Studied, as_links
from webkeep.crawl.study import study
from webkeep.formats.http1 import ResponseHead
from webkeep.frontier.answer import Answer, Settled
from webkeep.frontier.book import Note, Settlement
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.frontier import Frontier
from webkeep.frontier.host import host_of
from webkeep.frontier.robots import BELIEVED, robots_news
from webkeep.model import Exchange, Observation, Outcome, Place, Visit
from webkeep.store.archive import Archive
from webkeep.store.job import JobBook
from webkeep.store.reading import Holding, read_holding

_LIMIT = "length"
"""How a record says that it was cut off at a limit of size."""
_MOST_RULES = 512 * 1024
_REDIRECTS = 5

MARKER = "written"
"""The name under which a book keeps how far into the archive it reaches."""


def marker_text(place: Place) -> str:
    """Where a record lies, as it is kept in the book."""
    return f"{place.file} {place.offset}"


def catch_up(archive: Archive, capture: str, book: JobBook, frontier: Frontier) -> int:
    """Bring into the book what the archive has beyond it; the answer is how many records that were."""
    count = 0
    for observation in _beyond(archive, capture, book.kept(MARKER)):
        count += 1
        if observation.visit is Visit.REVISIT:
            book.keep(MARKER, marker_text(observation.place))
            continue
        holding, record = read_holding(archive.files, observation.place)
        answer = _answer(observation, holding, record.get("warc-truncated"))
        # Each record is a job of its own here: what one page told may count for more on the next.
        studied = _studied(f"{capture} {count}", observation, archive.read(observation))
        links = as_links(studied.links)
        frontier.remember(observation.url, observation.via, answer, links, archive.clock.now())
        if studied.wishes:
            _note_remarks(book, observation.url, studied)
        book.keep(MARKER, marker_text(observation.place))
    _recall_rules(archive, capture, frontier)
    frontier.save()
    book.commit()
    return count


def mark_read(archive: Archive, capture: str, book: JobBook) -> None:
    """Say in the book that it has all that is stored, also what was stored beside the engine, as by a browser."""
    for last in deque(_beyond(archive, capture, book.kept(MARKER)), maxlen=1):
        book.keep(MARKER, marker_text(last.place))
        book.commit(at_once=True)


def _studied(job: str, observation: Observation, holding: Holding) -> Studied:
    url = observation.url
    if observation.status is not None:
        exchange = Exchange(url, observation.moment, holding.raw_head, holding.body, via=observation.via)
    elif is_directory(url):
        return Studied(listed(url, b"".join(holding.content(MOST_LISTED))))
    else:
        exchange = file_exchange(url, observation.moment, observation.media_type, holding.body)
    return study(Situation(job), exchange)


def _note_remarks(book: JobBook, url: str, studied: Studied) -> None:
    candidate, (fate, *_) = book.find(url), book.trail(url, 1)
    if candidate is not None and fate.outcome in (Outcome.STORED, Outcome.DUPLICATE):
        told = with_remarks(Settled(fate.outcome, fate.reason), studied)
        book.settle([Settlement(candidate.id, told.outcome, told.reason)])


def _answer(observation: Observation, holding: Holding, truncated: str) -> Answer:
    head = holding.head or ResponseHead()
    return Answer(
        observation.moment,
        observation.moment,
        observation.status or 0,
        # Whatever cut it off may have passed, unless it was a limit of ours.
        failure=f"cut off ({truncated})" if truncated not in ("", _LIMIT) else "",
        temporary=True,
        cut=cut_off_at(holding.body.size) if truncated == _LIMIT else "",
        size=observation.size + len(holding.raw_head),
        duplicate=observation.record_type == "revisit",
        redirect=redirect_of(observation.url, head),
    )


def _recall_rules(archive: Archive, capture: str, frontier: Frontier) -> None:
    """Give the frontier the robots.txt files that were read already and are still believed."""
    now = archive.clock.now()
    for host in list(frontier.hosts()):
        observation = _rules_of(archive, capture, host.robots_url) if host.origin else None
        if observation is not None and now.seconds_since(observation.moment) < BELIEVED:
            content = b"".join(archive.read(observation).content(_MOST_RULES))
            # They are believed from when they were read, not from now on.
            frontier.robots_came(host.key, robots_news(observation.status or 0, content), observation.moment)


def enter_moved_rules(archive: Archive, capture: str, book: JobBook, frontier: Frontier) -> None:
    """Enter where robots.txt files had moved to before the capture was stopped, unless that was found otherwise too."""
    for host in list(frontier.hosts()):
        for seen in list(_rules_chain(archive, capture, host.robots_url))[1:] if host.origin else ():
            if book.find(seen.url) is None:
                outcome = Outcome.DUPLICATE if seen.record_type == "revisit" else Outcome.STORED
                rules = book.find(host.robots_url)
                via = rules.id if rules is not None else 0
                book.add([Note(Candidate(0, seen.url, host_of(seen.url), Role.ROBOTS, via), outcome)])


def _rules_of(archive: Archive, capture: str, url: str) -> Observation | None:
    """The robots.txt that was kept last, after its redirects."""
    chain = list(_rules_chain(archive, capture, url))
    return None if not chain or _onward(archive, chain[-1]) else chain[-1]


def _rules_chain(archive: Archive, capture: str, url: str) -> Iterator[Observation]:
    """The robots.txt that was kept last, and what its redirects led to, as far as that was kept whole."""
    for _ in range(_REDIRECTS + 1):
        seen = [each for each in archive.history(url) if each.url == url and each.capture == capture]
        if not seen or read_holding(archive.files, seen[-1].place)[1].get("warc-truncated"):
            return
        yield seen[-1]
        url = _onward(archive, seen[-1])
        if not url:
            return


def _onward(archive: Archive, seen: Observation) -> str:
    head = archive.read(seen).head
    return redirect_of(seen.url, head) if head is not None else ""


def _beyond(archive: Archive, capture: str, marker: str) -> Iterator[Observation]:
    file, _, offset = marker.rpartition(" ")
    known = (file, int(offset)) if file else ("", -1)
    for observation in archive.observations(capture, resolve=False):
        place = observation.place
        if (place.file, place.offset) > known and observation.record_type != "metadata":
            yield observation
