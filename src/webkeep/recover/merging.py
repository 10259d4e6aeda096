"""A recovery run again: what came back before stays, and gives way only to what is better."""

from __future__ import annotations

from webkeep.recover.book import Book, Resource, State, Taken
from webkeep.recover.finding import Finder
from webkeep.recover.worth import ranked

_BEFORE = "held before"


def reopen(book: Book) -> None:
    """Make the book of an earlier recovery ready for another run: lists and what was missed are asked for anew."""
    book.reopen()
    book.keep(_BEFORE, str(book.newest_held()))


def want_better(book: Book, finder: Finder) -> int:
    """Queue recovered resources of which a better version is held by now; the answer is how many they are."""
    before = book.kept(_BEFORE)
    if not before:
        return 0
    count = 0
    for resource in book.renewed(int(before)):
        better = _better(book, finder, resource)
        if better is not None:
            book.want(resource.id, [better])
            count += 1
    book.keep(_BEFORE, str(book.newest_held()))
    return count


def _better(book: Book, finder: Finder, resource: Resource) -> int | None:
    if resource.state is not State.RECOVERED or resource.chosen is None:
        return None
    holdings = {each.id: each for each in book.holdings(resource.id)}
    order = ranked(finder.versions(holdings.values()), finder.wish_for(resource))
    if not order or order[0].number == resource.chosen:
        return None
    best, chosen = holdings[order[0].number], holdings.get(resource.chosen)
    is_same = chosen is not None and best.held.digest is not None and best.held.digest == chosen.held.digest
    return None if is_same or best.taken is not Taken.NOT_YET else best.id
