"""A tab proxy for exploring: the recording proxy with answers held in memory, for benches and tests."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from webkeep.browser import WithheldRequest
from webkeep.clock import SystemClock
from webkeep.crawl.browsing.held_responses import forbid_caching, replayable_response
from webkeep.fetch import FetchResult, FetchSettings
from webkeep.fetch.proxy import (
    InterceptedRequest,
    LocalResponse,
    ProxyDecision,
    ProxySettings,
    RecordingProxy,
    RefuseRequest,
    SendUpstream,
    WebSocketConversation,
    open_listeners,
)

_SAFE = frozenset({"GET", "HEAD"})

_SETTINGS = FetchSettings(connections=64, connections_per_host=64)


class Held:
    """Answers by request and occurrence, shared by all tab proxies; those under way are waited for."""

    def __init__(self) -> None:
        self.responses: dict[tuple[str, str], list[LocalResponse]] = defaultdict(list)
        self.coming: Counter[tuple[str, str]] = Counter()
        self.changed = asyncio.Event()
        self.sent: Counter[str] = Counter()
        """How often the server was asked, by URL."""


class HoldingTabProxy:
    """One proxy and what it counts; it is the proxy's recorder as well."""

    serves_unrecorded = True

    def __init__(self, held: Held, holds: bool = True) -> None:
        self._held, self._holds = held, holds
        self._seen: Counter[tuple[str, str]] = Counter()
        self._given: set[tuple[str, str]] = set()
        self._withheld_requests: list[WithheldRequest] = []
        self._sent_at: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        self.latency_seconds = 0.0
        self.is_idle = False
        self.port = 0

    @property
    def proxy_address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.port}"

    def begin_path(self, url: str) -> None:  # noqa: ARG002 - all pages share the answers here
        """Count from the beginning."""
        self._seen.clear()

    def take_withheld(self) -> tuple[WithheldRequest, ...]:
        """What was held back."""
        taken, self._withheld_requests = tuple(self._withheld_requests), []
        return taken

    def decide(self, asked: InterceptedRequest) -> ProxyDecision | Awaitable[ProxyDecision]:
        """From what is held, from the server, or not at all."""
        key = (asked.head.method, asked.url)
        if asked.head.method not in _SAFE:
            self._withheld_requests.append(WithheldRequest(asked.head.method, asked.url))
            return RefuseRequest(403, "held back while exploring")
        occurrence, self._seen[key] = self._seen[key], self._seen[key] + 1
        held = self._held
        if self._holds:
            if occurrence < len(held.responses[key]):
                return self._again(key, held.responses[key][occurrence])
            if occurrence < len(held.responses[key]) + held.coming[key]:
                return self._later(key, occurrence)
            held.coming[key] += 1
        held.sent[asked.url] += 1
        self._sent_at[key].append(time.perf_counter())
        return SendUpstream(is_recorded=True, private=True)

    def _again(self, key: tuple[str, str], answer: LocalResponse) -> LocalResponse:
        """As a capture gives it: what is a script may be kept from its second giving on, if it was asked for once."""
        lasts = key in self._given and len(self._held.responses[key]) == 1
        self._given.add(key)
        return answer if lasts else forbid_caching(answer)

    async def _later(self, key: tuple[str, str], occurrence: int) -> ProxyDecision:
        held = self._held
        while occurrence >= len(held.responses[key]):
            if not held.coming[key]:
                return SendUpstream(is_recorded=True, private=True)
            await held.changed.wait()
        return self._again(key, held.responses[key][occurrence])

    def is_recorded(self, url: str, head: bytes) -> bool:  # noqa: ARG002
        """Everything."""
        return True

    def record_exchange(self, fetched: FetchResult, kept: bool) -> None:  # noqa: ARG002
        """Hold the answer."""
        key = (fetched.request.method, fetched.request.url)
        held = self._held
        if self._sent_at[key]:
            took = time.perf_counter() - self._sent_at[key].pop(0)
            self.latency_seconds = 0.8 * self.latency_seconds + 0.2 * took if self.latency_seconds else took
        held.coming[key] = max(0, held.coming[key] - 1)
        if self._holds and fetched.exchange is not None:
            exchange = fetched.exchange
            held.responses[key].append(replayable_response(exchange.url, exchange.response, exchange.body))
        held.changed.set()
        held.changed = asyncio.Event()

    def record_websocket(self, conversation: WebSocketConversation) -> None:
        """A WebSocket ended."""

    def note_left_out(self, url: str, reason: str) -> None:
        """Something was refused."""

    def note_warning(self, text: str) -> None:
        """Nobody reads this."""


@asynccontextmanager
async def open_tab_proxies(
    count: int, holds: bool = True
) -> AsyncIterator[tuple[list[HoldingTabProxy], tuple[str, ...], Held]]:
    """So many tab proxies with one store of responses, and the keys that a browser must trust."""
    held = Held()
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            opened: list[HoldingTabProxy] = []
            keys: list[str] = []
            for number in range(count):
                tab_proxy = HoldingTabProxy(held, holds)
                settings = ProxySettings(Path(folder) / str(number), Path(folder) / "authority", _SETTINGS)
                (Path(folder) / str(number)).mkdir()
                proxy = await stack.enter_async_context(
                    RecordingProxy(settings, open_listeners("127.0.0.1", 0), tab_proxy, SystemClock())
                )
                tab_proxy.port = proxy.port
                opened.append(tab_proxy)
                keys.extend(proxy.authority.key_hashes)
            yield opened, tuple(dict.fromkeys(keys)), held
