"""A server opened by its plan: its archives, names and rules brought together; rules of `--access` come before those of
the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from webkeep.clock import SystemClock
from webkeep.memento import MementoAddresses
from webkeep.model import Clock
from webkeep.replay.choice.access_rules import AccessRules, ServerPassword, parse_rule_options, read_rule_file
from webkeep.replay.choice.collection import Collection
from webkeep.replay.choice.hashed_origins import HashedOrigins
from webkeep.replay.choice.memento_lookup import MementoLookup
from webkeep.replay.endpoints.basic_auth import PasswordCheck
from webkeep.replay.endpoints.serve_plan import ServePlan
from webkeep.replay.endpoints.server_context import ReplayPages, ServerContext
from webkeep.replay.server.server_name import ServerName
from webkeep.store.archive import Archive

ReplayPagesFactory = Callable[[ServePlan, Collection, ServerName, MementoLookup], ReplayPages]
"""Makes the pages beside replay."""


@contextmanager
def open_server(plan: ServePlan, pages: ReplayPagesFactory, clock: Clock | None = None) -> Iterator[ServerContext]:
    """What a server needs, for as long as it serves."""
    used = clock or SystemClock()
    with ExitStack() as leaving:
        archives = [leaving.enter_context(Archive(Path(each), used)) for each in plan.archives]
        collection = Collection(archives)
        server_name = ServerName.parse(plan.base, plan.secret)
        lookup = MementoLookup(collection, rules_from_plan(plan, used), used)
        password = PasswordCheck(ServerPassword(plan.password), used) if plan.password else None
        made = pages(plan, collection, server_name, lookup)
        origins, addresses = HashedOrigins(collection), MementoAddresses(server_name.control_url)
        yield ServerContext(collection, server_name, lookup, used, made, origins, addresses, password, plan.elsewhere)


def rules_from_plan(plan: ServePlan, clock: Clock) -> AccessRules:
    """The rules of a plan; those of the command line come first."""
    now = clock.now()
    written = read_rule_file(Path(plan.access_file), now).rules if plan.access_file else ()
    return AccessRules((*parse_rule_options(plan.access, now).rules, *written))
