"""Asking repositories: requests are counted, and whoever is at a limit is left alone until it may be asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from webkeep.errors import StorageError
from webkeep.model import Clock, Moment
from webkeep.recover.book import Book
from webkeep.recover.identity import is_picture, likely_type
from webkeep.recover.plan import Plan
from webkeep.recover.repository import Answer, Found, Held, Miss, Reason, Repository
from webkeep.recover.repository_traits import Depth, Keeping, Traits
from webkeep.url import drop_www, normal, recipe

_PATIENCE = 60.0
"""Seconds after which something is tried again, where a repository does not say when."""
_MOST_VERSIONS = 10_000
_WITHOUT_WWW = recipe(drop_www)


class Asker:
    """The repositories of one recovery, and what is known of each."""

    def __init__(
        self, plan: Plan, repositories: Iterable[Repository], book: Book, clock: Clock, tell: Callable[[str], None]
    ) -> None:
        self._plan = plan
        self._tell = tell
        self._repositories = {each.traits.name: each for each in repositories}
        self._book = book
        self._clock = clock
        self._closed_until: dict[str, Moment] = {}
        self._open: frozenset[str] = frozenset()
        self._unreached: dict[str, str] = {}
        """Why those cannot be asked that never answered."""

    def look_again(self) -> None:
        """Learn from the book who may hold what nobody listed."""
        desks = self._book.desks()
        self._open = frozenset(desk.name for desk in desks if desk.is_open)
        self._unreached = {desk.name: desk.trouble for desk in desks if desk.name in self._unreached and desk.trouble}

    @property
    def unreached(self) -> tuple[str, ...]:
        """Those that never answered."""
        return tuple(self._unreached)

    @property
    def is_alone(self) -> bool:
        """Whether nobody answers at all."""
        return len(self._unreached) == len(self._repositories)

    def leave_out(self, name: str, trouble: str) -> None:
        """Ask nothing more of a repository that does not answer."""
        if name not in self._unreached:
            self._unreached[name] = trouble
            others = "; the others go on" if len(self._repositories) > 1 else ""
            self._tell(f"{name} is left out, for nobody answers there: {trouble}{others}")

    def traits(self, name: str) -> Traits:
        """What a repository is like; of one that is not in use any more, nothing is known."""
        repository = self._repositories.get(name)
        return repository.traits if repository is not None else Traits(name)

    def has(self, name: str) -> bool:
        """Whether a repository is in use."""
        return name in self._repositories

    def may_hold(self, url: str) -> list[str]:
        """Who may hold a URL that they did not list, those first that are to be asked first."""
        is_listed_range = bool(self._plan.listings()) and self._plan.bounds.judge(normal(url) or url).allowed
        names = [name for name in self._repositories if name in self._open or not is_listed_range]
        usable = [name for name in names if self.traits(name).keeping(likely_type(url)) not in _NOTHING]
        return sorted(usable, key=lambda name: self.turn(name, url))

    def turn(self, name: str, url: str) -> tuple[bool, bool, float]:
        """The order to ask in: pages of whoever is freshest, all else of whoever keeps it as it was."""
        traits = self.traits(name)
        is_flat = traits.depth is Depth.FLAT
        is_page = not is_picture(url) and likely_type(url) in ("", "text/html")
        converts = traits.keeping(likely_type(url)) is not Keeping.ORIGINAL
        return converts, is_flat is not is_page, traits.delay_days

    async def version(self, held: Held) -> Answer:
        """A version that is known to be held."""
        return await self._asked(held.repository, held, "", None)

    async def resource(self, name: str, url: str, at: Moment | None) -> Answer:
        """Whatever a repository has of a URL, near to a moment; in each spelling that it may know."""
        answer: Answer = Miss(Reason.NOT_HELD)
        for spelled in self._spellings(name, url):
            answer = await self._asked(name, None, spelled, at)
            if isinstance(answer, Found) or not answer.is_final:
                break
        return answer

    async def versions(self, name: str, url: str) -> list[Held]:
        """The versions of a URL that a repository tells of, as far as it does; some thousands at most."""
        repository = self._repositories.get(name)
        found: list[Held] = []
        if repository is None or name in self._unreached or not self._is_open_now(name):
            return found
        try:
            async for batch in repository.versions(url, self._plan.wish.period):
                self._book.spend(name, batch.requests)
                found += batch.rows
                if batch.miss is not None and batch.miss.reason is Reason.LIMIT:
                    self._leave_alone(name, batch.miss)
                if len(found) >= _MOST_VERSIONS:
                    break
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - what one repository brings about, others may make good
            self._tell(f"{name} could not be asked for versions: an error of webkeep ({type(error).__name__}: {error})")
        return found

    def _is_open_now(self, name: str) -> bool:
        until = self._closed_until.get(name)
        return until is None or self._clock.now() >= until

    def _spellings(self, name: str, url: str) -> list[str]:
        if self.traits(name).spelling.either_www:
            return [url]
        bare = _WITHOUT_WWW(url)
        other = bare.replace("://", "://www.", 1) if bare == url else bare
        return [url, other]

    async def _asked(self, name: str, held: Held | None, url: str, at: Moment | None) -> Answer:
        repository = self._repositories.get(name)
        if repository is None:
            return Miss(Reason.UNSUPPORTED, f"{name} is not among the repositories of this run")
        if name in self._unreached:
            return Miss(Reason.UNREACHABLE, self._unreached[name])
        until = self._closed_until.get(name)
        if until is not None and self._clock.now() < until:
            return Miss(Reason.LIMIT, f"{name} may not be asked before {until}", until)
        try:
            answer = await (repository.version(held) if held is not None else repository.resource(url, at))
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - what one repository brings about, others may make good
            return Miss(Reason.TROUBLE, f"an error of webkeep with {name} ({type(error).__name__}: {error})")
        if answer.requests:
            self._book.spend(name, answer.requests)
        if isinstance(answer, Miss) and answer.reason is Reason.UNREACHABLE:
            self.leave_out(name, answer.detail)
        if isinstance(answer, Miss) and answer.reason is Reason.LIMIT:
            return self._leave_alone(name, answer)
        return answer

    def _leave_alone(self, name: str, miss: Miss) -> Miss:
        """Ask a repository nothing more until it may be asked again."""
        again = miss.again or self._clock.now().plus(_PATIENCE)
        if self._closed_until.get(name) != again:
            self._closed_until[name] = again
            self._tell(f"{name} is at its limit until {again.iso()[:19]}; it is left alone, and the others go on")
        return replace(miss, again=again)


_NOTHING = (Keeping.ABSENT, Keeping.UNREACHABLE)
