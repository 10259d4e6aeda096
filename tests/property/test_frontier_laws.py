"""Laws of the frontier: whatever sites and answers come, hosts are treated gently and every URL has one fate."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from frontier_web import Page, Request, Web, page, part, policy_for
from webkeep.extract.links import Link
from webkeep.formats.site import parse_robots
from webkeep.frontier import Frontier
from webkeep.frontier.hosts import NoRobots, RobotsFile, RobotsResult, interpret_robots
from webkeep.frontier.hosts.host_ledger import HostLedger
from webkeep.frontier.policy import STRATEGIES, HostPolicy
from webkeep.frontier.urls import Admission, Candidate, Settlement, UrlRole, UrlStore
from webkeep.lab.coherence.memory_url_store import MemoryUrlStore
from webkeep.model import Moment, UrlOutcome
from webkeep.store.jobs import SqliteUrlStore
from webkeep.store.jobs.queue_heads import QueueHeads

START = Moment.parse("2024-03-01T12:00:00Z")
HOSTS = ["http://a.example/", "http://b.example:8080/", "https://c.example/", "https://a.example/"]
PATHS = ["", "x", "y", "d/x", "d/y", "p?a=1&b=2", "p?b=2&a=1", "q;jsessionid=0123456789", "cal/1801/05", "private/z"]
URLS = [host + path for host in HOSTS for path in PATHS]

links = st.builds(
    lambda make, url, guess: make(url, guess), st.sampled_from([page, part]), st.sampled_from(URLS), st.booleans()
)
pages = st.builds(
    Page,
    links=st.lists(links, max_size=6),
    status=st.sampled_from([200, 200, 200, 200, 404, 429, 500, 503]),
    digest=st.sampled_from(["", "", "same"]),
    redirect=st.sampled_from(["", "", "", *URLS[:12]]),
    failure=st.sampled_from(["", "", "", "", "timeout", "certificate"]),
    temporary=st.booleans(),
    connected=st.sampled_from([True, True, True, False]),
    set_cookie=st.booleans(),
    retry_after=st.sampled_from([None, None, 3.0, 40.0, 99_999.0]),
    seconds=st.sampled_from([0.01, 0.2, 3.0]),
)
webs = st.dictionaries(st.sampled_from(URLS), st.lists(pages, min_size=1, max_size=3))
robots_texts = st.sampled_from(
    [b"", b"User-agent: *\nDisallow: /private/\n", b"User-agent: *\nCrawl-delay: 4\nSitemap: /d/x\n"]
)
all_news = st.one_of(
    st.just(NoRobots()),
    st.builds(lambda text: RobotsFile(parse_robots(text)), robots_texts),
    st.sampled_from(
        [interpret_robots(500, b""), interpret_robots(0, b"", "name-not-resolved"), interpret_robots(429, b"")]
    ),
)


@contextmanager
def job_book(most: int = 3) -> Iterator[SqliteUrlStore]:
    """A URL store on disk that holds next to nothing in memory."""
    with tempfile.TemporaryDirectory() as folder, SqliteUrlStore(Path(folder, "frontier.sqlite")) as book:
        book._heads = QueueHeads(most, 4)
        yield book


def run(
    site: dict[str, list[Page]],
    news: list[RobotsResult],
    policy_values: dict[str, object],
    loopback: bool,
    book: UrlStore,
) -> Web:
    answers: Callable[[Candidate, int], Page] = lambda candidate, times: (  # noqa: E731
        given[min(times, len(given)) - 1] if (given := site.get(candidate.url)) else Page(status=404, digest="gone")
    )
    frontier = Frontier(policy_for(HOSTS, **policy_values), book)
    frontier.seed(HOSTS, START)
    web = Web(frontier, book, answers, lambda host: news[sum(host.encode()) % len(news)], loopback, START)
    return web.run(room=5)


policies = st.fixed_dictionaries(
    {
        "delay": st.sampled_from([None, 0.0, 0.5, 2.0]),
        "depth": st.sampled_from([None, 1, 2]),
        "max_urls": st.sampled_from([None, None, 3, 10]),
        "max_urls_per_host": st.sampled_from([None, None, 2]),
        "max_bytes": st.sampled_from([None, None, 5000]),
        "retries": st.integers(0, 2),
        "host_failures": st.integers(1, 3),
        "trap_budget": st.sampled_from([None, 1, 100]),
        "hosts": st.just({"b.example": HostPolicy(delay=1.5)}),
    }
)
cases = given(site=webs, news=st.lists(all_news, min_size=1, max_size=3), values=policies, loopback=st.booleans())
patient = settings(max_examples=150)


@patient
@cases
def test_every_run_ends_with_one_fate_for_each_url_and_one_proof_for_each_host(
    site: dict[str, list[Page]], news: list[RobotsResult], values: dict[str, object], loopback: bool
) -> None:
    book = MemoryUrlStore()
    web = run(site, news, values, loopback, book)
    counts = book.outcome_counts()
    fates = list(book.fates())
    assert counts[UrlOutcome.QUEUED] == 0
    assert sum(counts.values()) == len(fates) == len({fate.url for fate in fates})
    assert Counter(fate.outcome for fate in fates) == Counter({key: count for key, count in counts.items() if count})
    known = {fate.url for fate in fates}
    assert {request.candidate.url for request in web.requests} <= known
    for request in web.requests:
        assert all(link.url in known for link in _links_of(site, request.candidate, web))
    if values["max_urls"] is not None:
        # What was turned away and never got its turn again was asked for, but not captured; sitemaps are not counted.
        counted = {each.candidate.url for each in web.requests if each.candidate.is_counted}
        assert sum(web.outcome(url) is UrlOutcome.STORED for url in counted) <= int(str(values["max_urls"]))
    _prove(web)


def _links_of(site: dict[str, list[Page]], candidate: Candidate, web: Web) -> list[Link]:
    given = site.get(candidate.url, [])
    settled = web.outcome(candidate.url) in (UrlOutcome.STORED, UrlOutcome.DUPLICATE)
    # What was asked for twice gave its links the last time.
    if not given or not settled or candidate.role is UrlRole.ROBOTS or web.times[candidate.url] > 1:
        return []
    return given[0].links


def _prove(web: Web) -> None:
    """The servers' own log agrees with the ledgers of hosts and names, and no rule is broken."""
    ledgers = dict(web.frontier.host_ledgers())
    hosts = {each.candidate.host for each in web.requests}
    shared = Counter(host.partition(":")[0] for host in hosts)
    assert hosts | {name for name, count in shared.items() if count > 1} <= ledgers.keys()
    for host, ledger in ledgers.items():
        seen = [each for each in web.requests if host in (each.candidate.host, each.candidate.host.partition(":")[0])]
        assert ledger["requests"] == len(seen)
        assert ledger["too_early"] == 0
        greatest = max((sum(b.started <= a.started < b.ended for b in seen) for a in seen), default=0)
        assert ledger["greatest_concurrency"] == greatest
        delays = [(Moment.parse(moment), seconds) for moment, seconds, _ in ledger["delays"]]
        for number, request in enumerate(seen):
            _prove_gap(seen[:number], request, delays)


def _prove_gap(earlier: list[Request], request: Request, delays: list[tuple[Moment, float]]) -> None:
    in_force = [seconds for moment, seconds in delays if moment < request.started]
    changing = any(moment == request.started for moment, _ in delays)
    if earlier and in_force and in_force[-1] > 0 and not changing:
        gap = request.started.seconds_since(max(each.ended for each in earlier))
        # The ledger leaves out changes of less than a tenth.
        assert gap >= in_force[-1] / 1.1 - 1e-6


@settings(max_examples=60)
@cases
def test_a_url_store_on_disk_leads_to_the_same_run(
    site: dict[str, list[Page]], news: list[RobotsResult], values: dict[str, object], loopback: bool
) -> None:
    memory = MemoryUrlStore()
    expected = run(site, news, values, loopback, memory)
    with job_book() as book:
        web = run(site, news, values, loopback, book)
        assert [each.candidate for each in web.requests] == [each.candidate for each in expected.requests]
        assert list(book.fates()) == list(memory.fates())
        assert book.outcome_counts() == memory.outcome_counts()


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=40))
def test_the_ledger_counts_as_one_would_by_hand(spans: list[tuple[int, int]]) -> None:
    ordered = sorted(((start, start + length) for start, length in spans), key=lambda span: span[1])
    ledger = HostLedger()
    for start, end in ordered:
        ledger.add_request(START.plus(start), START.plus(end), 0.0)
    by_hand = max(
        (sum(s <= start < e or (s, e) == (start, start) for s, e in ordered) for start, _ in ordered), default=0
    )
    assert ledger.requests == len(spans)
    assert ledger.greatest_concurrency <= max(by_hand, 1) if spans else ledger.greatest_concurrency == 0
    if all(end > start for start, end in ordered):
        assert ledger.greatest_concurrency == by_hand


notes = st.builds(
    lambda url, role, depth, guess, outcome, serial: Admission(
        (candidate := Candidate(0, url, url.split("/")[2], role, 0, depth, 0, 0, guess))._replace(
            rank=STRATEGIES["breadth-first"].rank(candidate, serial)
        ),
        outcome,
        "" if outcome is UrlOutcome.QUEUED else f"because of {outcome}",
    ),
    st.sampled_from(URLS),
    st.sampled_from([UrlRole.NAVIGATE, UrlRole.EMBED, UrlRole.SEED]),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from(
        [
            UrlOutcome.QUEUED,
            UrlOutcome.QUEUED,
            UrlOutcome.QUEUED,
            UrlOutcome.OUT_OF_SCOPE,
            UrlOutcome.CUT,
            UrlOutcome.TRAPPED,
        ]
    ),
    st.integers(0, 99),
)
host_names = st.sampled_from([url.split("/")[2] for url in HOSTS])
settled_as = st.sampled_from([UrlOutcome.STORED, UrlOutcome.REFUSED, UrlOutcome.FAILED, UrlOutcome.TRAPPED])


class BooksAgree(RuleBasedStateMachine):
    """The URL store in memory and the one on disk answer alike, whatever is done to both."""

    @initialize()
    def open_books(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "frontier.sqlite")
        self.memory = MemoryUrlStore()
        self.job = self._opened()
        self.taken: list[Candidate] = []
        self.now = START

    def _opened(self) -> SqliteUrlStore:
        book = SqliteUrlStore(self.path)
        book._heads = QueueHeads(3, 4)
        return book

    @rule(batch=st.lists(notes, max_size=8))
    def add(self, batch: list[Admission]) -> None:
        # Of two admissions of one URL in a batch the stores may take either first; the frontier hands in one.
        fresh = list({note.candidate.url: note for note in batch}.values())
        assert self.job.add(fresh) == self.memory.add(fresh)

    @rule(host=host_names, count=st.integers(1, 3))
    def take(self, host: str, count: int) -> None:
        assert self.memory.next_due(host) == self.job.next_due(host)
        taken = self.memory.take(host, count, self.now)
        assert self.job.take(host, count, self.now) == taken
        self.taken += taken

    @rule(data=st.data(), late=st.sampled_from([None, 0.0, 30.0]))
    def put_back(self, data: st.DataObject, late: float | None) -> None:
        if self.taken:
            candidate = self.taken.pop(data.draw(st.integers(0, len(self.taken) - 1)))
            tried = candidate._replace(tries=candidate.tries + 1)
            moment = None if late is None else self.now.plus(late)
            for book in (self.memory, self.job):
                book.put_back(tried, moment)

    @rule(data=st.data(), outcome=settled_as)
    def settle(self, data: st.DataObject, outcome: UrlOutcome) -> None:
        if self.taken:
            candidate = self.taken.pop(data.draw(st.integers(0, len(self.taken) - 1)))
            for book in (self.memory, self.job):
                book.settle([Settlement(candidate.id, outcome, f"for {outcome}")])

    @rule(url=st.sampled_from(URLS), outcome=settled_as)
    def settle_untaken(self, url: str, outcome: UrlOutcome) -> None:
        candidate = self.memory.find(url)
        assert self.job.find(url) == candidate
        if candidate is not None and candidate.id not in {each.id for each in self.taken}:
            for book in (self.memory, self.job):
                book.settle([Settlement(candidate.id, outcome)])

    @rule(note=notes)
    def renew(self, note: Admission) -> None:
        known = self.memory.find(note.candidate.url)
        if known is None or known.id not in {each.id for each in self.taken}:
            assert self.memory.requeue(note.candidate) == self.job.requeue(note.candidate)

    @rule(host=st.none() | host_names)
    def settle_queued(self, host: str | None) -> None:
        settled = self.memory.settle_queued(UrlOutcome.CUT, "enough", host or "")
        assert self.job.settle_queued(UrlOutcome.CUT, "enough", host or "") == settled

    @rule(seconds=st.floats(0, 60))
    def wait(self, seconds: float) -> None:
        self.now = self.now.plus(seconds)

    @rule(name=st.sampled_from(["x", "y"]), text=st.text(st.characters(exclude_categories=["Cs"]), max_size=3))
    def keep(self, name: str, text: str) -> None:
        for book in (self.memory, self.job):
            book.save_text(name, text)
        assert self.job.load_text(name) == text

    @rule()
    def reopen(self) -> None:
        """What was taken is queued again in the store on disk, and so put back in the other one."""
        self.job.close()
        self.job = self._opened()
        for candidate in self.taken:
            self.memory.put_back(candidate)
        self.taken.clear()

    @invariant()
    def they_agree(self) -> None:
        if hasattr(self, "job"):
            assert self.job.outcome_counts() == self.memory.outcome_counts()
            assert list(self.job.fates()) == list(self.memory.fates())
            assert sorted(self.job.queued_hosts()) == sorted(self.memory.queued_hosts())
            for host in {url.split("/")[2] for url in HOSTS}:
                assert self.job.queued_count(host) == self.memory.queued_count(host)
            for outcome in UrlOutcome:
                assert list(self.job.candidates_with(outcome)) == list(self.memory.candidates_with(outcome))
            assert self.job.trail(URLS[0]) == self.memory.trail(URLS[0])

    def teardown(self) -> None:
        if hasattr(self, "job"):
            self.job.close()
            self.folder.cleanup()


TestBooksAgree = BooksAgree.TestCase
TestBooksAgree.settings = settings(max_examples=60, stateful_step_count=40)
