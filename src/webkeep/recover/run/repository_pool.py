"""Asking repositories: whom first for pages and for all else, in which spellings of a URL, until when one at its limit
is left alone, and that those who never answered are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from webkeep.errors import StorageError
from webkeep.model import Clock, Moment
from webkeep.presentation import format_moment
from webkeep.recover.judging.url_identity import guess_media_type, is_image_url
from webkeep.recover.plan import RecoveryPlan
from webkeep.recover.repositories.repository import (
    FetchedVersion,
    ListedVersion,
    MissReason,
    Repository,
    RepositoryMiss,
    VersionResult,
)
from webkeep.recover.repositories.repository_traits import KeptForm, RepositoryTraits, VersionDepth
from webkeep.recover.state.recovery_store import RecoveryStore
from webkeep.url import normalize_url
from webkeep.url.canonical import drop_www, recipe

_DEFAULT_RETRY_SECONDS = 60.0
"""Seconds after which something is tried again, where a repository does not say when."""
_MAX_VERSIONS_PER_URL = 10_000
"""What one repository may tell of one URL: enough for any page, few enough to rank in memory."""
_WITHOUT_WWW = recipe(drop_www)


class RepositoryPool:
    """The repositories of one recovery, and what is known of each."""

    def __init__(
        self,
        plan: RecoveryPlan,
        repositories: Iterable[Repository],
        recovery_store: RecoveryStore,
        clock: Clock,
        tell: Callable[[str], None],
    ) -> None:
        self._plan = plan
        self._tell = tell
        self._repositories = {each.traits.name: each for each in repositories}
        self._store = recovery_store
        self._clock = clock
        self._closed_until: dict[str, Moment] = {}
        self._unlisted_holders: frozenset[str] = frozenset()
        self._unreachable: dict[str, str] = {}
        """Why those cannot be asked that never answered."""

    def refresh_statuses(self) -> None:
        """Learn from the recovery store who may hold what nobody listed."""
        statuses = self._store.repository_statuses()
        self._unlisted_holders = frozenset(status.name for status in statuses if status.is_open)
        self._unreachable = {
            repository_status.name: repository_status.trouble
            for repository_status in statuses
            if repository_status.name in self._unreachable and repository_status.trouble
        }

    @property
    def unreachable(self) -> tuple[str, ...]:
        """Those that never answered."""
        return tuple(self._unreachable)

    @property
    def are_all_unreachable(self) -> bool:
        """Whether nobody answers at all."""
        return len(self._unreachable) == len(self._repositories)

    def exclude(self, name: str, trouble: str) -> None:
        """Ask nothing more of a repository that does not answer."""
        if name not in self._unreachable:
            self._unreachable[name] = trouble
            others = "; the others go on" if len(self._repositories) > 1 else ""
            self._tell(f"{name} is left out, for nobody answers there: {trouble}{others}")

    def traits(self, name: str) -> RepositoryTraits:
        """What a repository is like; of one that is not in use any more, nothing is known."""
        repository = self._repositories.get(name)
        return repository.traits if repository is not None else RepositoryTraits(name)

    def has_repository(self, name: str) -> bool:
        """Whether a repository is in use."""
        return name in self._repositories

    def likely_holders(self, url: str) -> list[str]:
        """Who may hold a URL that they did not list, those first that are to be asked first."""
        is_listed_range = (
            bool(self._plan.listing_queries()) and self._plan.url_scope.judge(normalize_url(url) or url).is_allowed
        )
        names = [name for name in self._repositories if name in self._unlisted_holders or not is_listed_range]
        usable = [name for name in names if self.traits(name).kept_form(guess_media_type(url)) not in _UNOBTAINABLE]
        return sorted(usable, key=lambda name: self.query_order(name, url))

    def query_order(self, name: str, url: str) -> tuple[bool, bool, float]:
        """The order to ask in: pages of whoever is freshest, all else of whoever keeps it as it was."""
        traits = self.traits(name)
        is_flat = traits.depth is VersionDepth.FLAT
        is_page = not is_image_url(url) and guess_media_type(url) in ("", "text/html")
        converts = traits.kept_form(guess_media_type(url)) is not KeptForm.ORIGINAL
        return converts, is_flat is not is_page, traits.delay_days

    async def fetch_version(self, held: ListedVersion) -> VersionResult:
        """A version that is known to be held."""
        return await self._ask(held.repository, held, "", None)

    async def fetch_nearest(self, name: str, url: str, at: Moment | None) -> VersionResult:
        """Whatever a repository has of a URL, near to a moment; in each spelling that it may know."""
        result: VersionResult = RepositoryMiss(MissReason.NOT_HELD)
        for spelled in self._url_variants(name, url):
            result = await self._ask(name, None, spelled, at)
            if isinstance(result, FetchedVersion) or not result.is_final:
                break
        return result

    async def list_versions(self, name: str, url: str) -> list[ListedVersion]:
        """The versions of a URL that a repository tells of, as far as it does; some thousands at most."""
        repository = self._repositories.get(name)
        found: list[ListedVersion] = []
        if repository is None or name in self._unreachable or not self._is_open_now(name):
            return found
        try:
            async for batch in repository.list_versions(url, self._plan.preference.period):
                self._store.count_requests(name, batch.requests)
                found += batch.rows
                if batch.miss is not None and batch.miss.reason is MissReason.LIMIT:
                    self._suspend(name, batch.miss)
                if len(found) >= _MAX_VERSIONS_PER_URL:
                    break
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - what one repository brings about, others may make good
            self._tell(f"{name} could not be asked for versions: an error of webkeep ({type(error).__name__}: {error})")
        return found

    def _is_open_now(self, name: str) -> bool:
        until = self._closed_until.get(name)
        return until is None or self._clock.now() >= until

    def _url_variants(self, name: str, url: str) -> list[str]:
        if self.traits(name).spelling.either_www:
            return [url]
        bare = _WITHOUT_WWW(url)
        other = bare.replace("://", "://www.", 1) if bare == url else bare
        return [url, other]

    async def _ask(self, name: str, held: ListedVersion | None, url: str, at: Moment | None) -> VersionResult:
        repository = self._repositories.get(name)
        if repository is None:
            return RepositoryMiss(MissReason.UNSUPPORTED, f"{name} is not among the repositories of this run")
        if name in self._unreachable:
            return RepositoryMiss(MissReason.UNREACHABLE, self._unreachable[name])
        until = self._closed_until.get(name)
        if until is not None and self._clock.now() < until:
            return RepositoryMiss(MissReason.LIMIT, f"{name} may not be asked before {format_moment(until)} UTC", until)
        try:
            result = await (repository.fetch_version(held) if held is not None else repository.fetch_nearest(url, at))
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - what one repository brings about, others may make good
            return RepositoryMiss(
                MissReason.TROUBLE, f"an error of webkeep with {name} ({type(error).__name__}: {error})"
            )
        if result.requests:
            self._store.count_requests(name, result.requests)
        if isinstance(result, RepositoryMiss) and result.reason is MissReason.UNREACHABLE:
            self.exclude(name, result.detail)
        if isinstance(result, RepositoryMiss) and result.reason is MissReason.LIMIT:
            return self._suspend(name, result)
        return result

    def _suspend(self, name: str, miss: RepositoryMiss) -> RepositoryMiss:
        """Ask a repository nothing more until it may be asked again."""
        again = miss.retry_at or self._clock.now().plus(_DEFAULT_RETRY_SECONDS)
        if self._closed_until.get(name) != again:
            self._closed_until[name] = again
            self._tell(
                f"{name} is at its limit until {format_moment(again)} UTC; it is left alone, and the others go on"
            )
        return replace(miss, retry_at=again)


_UNOBTAINABLE = (KeptForm.ABSENT, KeptForm.UNREACHABLE)
