"""A server opened by its plan: its archives, names and rules brought together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from webkeep.clock import SystemClock
from webkeep.memento import Addresses
from webkeep.model import Clock
from webkeep.replay.access import Access, Password, parse_rules, read_rules
from webkeep.replay.collection import Collection
from webkeep.replay.context import Context, Pages
from webkeep.replay.front import Front
from webkeep.replay.looking import Looker
from webkeep.replay.origins import Origins
from webkeep.replay.password_check import PasswordCheck
from webkeep.replay.plan import ServePlan
from webkeep.store.archive import Archive

PageMaker = Callable[[ServePlan, Collection, Front, Looker], Pages]
"""Makes the pages beside replay."""


@contextmanager
def opened(plan: ServePlan, pages: PageMaker, clock: Clock | None = None) -> Iterator[Context]:
    """What a server needs, for as long as it serves."""
    used = clock or SystemClock()
    with ExitStack() as leaving:
        archives = [leaving.enter_context(Archive(Path(each), used)) for each in plan.archives]
        collection = Collection(archives)
        front = Front.read(plan.base, plan.secret)
        looker = Looker(collection, access_of(plan, used), used)
        password = PasswordCheck(Password(plan.password), used) if plan.password else None
        made = pages(plan, collection, front, looker)
        origins, addresses = Origins(collection), Addresses(front.root)
        yield Context(collection, front, looker, used, made, origins, addresses, password, plan.elsewhere)


def access_of(plan: ServePlan, clock: Clock) -> Access:
    """The rules of a plan; those of the command line come first."""
    now = clock.now()
    written = read_rules(Path(plan.access_file), now).rules if plan.access_file else ()
    return Access((*parse_rules(plan.access, now).rules, *written))
