"""What the lists in a book say of pages that show the same under different names."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.recover.book import PAGE, Book
from webkeep.recover.book_rows import integer
from webkeep.recover.duplicates import Renaming, learned

_MOST_NAMES = 4
"""What more pages than these show alike is an error page rather than a page of several names."""
_MOST_GROUPS, _MOST_PAIRS = 5000, 2000


def renamings_in(book: Book) -> list[Renaming]:
    """The rules by which the site had two names for its pages."""
    return learned(_shown_alike(book), lambda rule: _tried(book, rule))


def _shown_alike(book: Book) -> Iterator[list[str]]:
    """The keys of pages that show the very same, group by group."""
    groups = book.count(
        f"SELECT group_concat(DISTINCT resource) FROM held WHERE digest <> '' AND {PAGE} GROUP BY digest "
        "HAVING count(DISTINCT resource) BETWEEN 2 AND ? LIMIT ?",
        (_MOST_NAMES, _MOST_GROUPS),
    )
    for (numbers,) in groups:
        keys = book.count(f"SELECT key FROM resource WHERE id IN ({numbers!s}) ORDER BY key")
        yield [str(key) for (key,) in keys]


def _tried(book: Book, rule: Renaming) -> tuple[int, int]:
    """Of how many pairs that a rule makes the same is shown, and of how many not."""
    ((same, pairs),) = book.count(
        "SELECT ifnull(sum(EXISTS (SELECT 1 FROM held AS a JOIN held AS b ON a.digest = b.digest "
        "WHERE a.resource = one AND b.resource = other AND a.digest <> '')), 0), count(*) FROM "
        "(SELECT one.id AS one, other.id AS other FROM resource AS one JOIN resource AS other "
        "ON other.key = replace(one.key, ?, ?) WHERE instr(one.key, ?) AND one.id <> other.id "
        "AND EXISTS (SELECT 1 FROM held WHERE resource = one.id AND digest <> '') "
        "AND EXISTS (SELECT 1 FROM held WHERE resource = other.id AND digest <> '') LIMIT ?)",
        (rule.old, rule.new, rule.old, _MOST_PAIRS),
    )
    return integer(same), integer(pairs) - integer(same)
