"""A service of several people, served on loopback within the test: accounts, sessions and tokens of each kind."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from argon2 import PasswordHasher
from dashboard_calls import DashboardClient

from webkeep.dashboard.access.visitor_lookup import begin_session
from webkeep.dashboard.application import build_application
from webkeep.dashboard.endpoint_table import ENDPOINTS, Endpoint
from webkeep.model import Moment
from webkeep.service.accounts import (
    ALL_COLLECTIONS,
    TOKEN_PREFIX,
    AccountPasswords,
    AccountRole,
    ApiToken,
    Permission,
    derive_csrf_token,
    new_secret,
)
from webkeep.service.run import Service, ServicePlace, ServiceSettings

START = Moment.parse("2026-05-01T12:00:00Z")
PASSWORD = "a long enough password"
QUICK_PASSWORDS = AccountPasswords(PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))


@dataclass
class HandClock:
    """A clock that stands until it is moved."""

    at: Moment = START

    def now(self) -> Moment:
        return self.at

    def monotonic(self) -> float:
        return self.at.micros / 1e6


@dataclass
class PeopleServer:
    service: Service
    clock: HandClock
    port: int
    told: list[str] = field(default_factory=list)

    def client(self, account: str | None = None) -> DashboardClient:
        """A browser, logged in where an account is named; the empty one is whoever used the link."""
        client = DashboardClient(self.port, "/")
        if account is not None:
            client.cookies[f"webkeep-{self.port}"] = begin_session(self.service, account, "127.0.0.1")
        return client

    def csrf_token(self, client: DashboardClient) -> str:
        return derive_csrf_token(client.cookies[f"webkeep-{self.port}"])

    def add_account(self, name: str, role: AccountRole | None, collection: str = ALL_COLLECTIONS) -> str:
        self.service.accounts.create(name, QUICK_PASSWORDS.hash(PASSWORD), self.clock.now())
        if role is not None:
            self.service.accounts.set_role(name, collection, role)
        return name

    def add_token(
        self, account: str, scope: Permission, collection: str = ALL_COLLECTIONS, expires: Moment | None = None
    ) -> str:
        secret = TOKEN_PREFIX + new_secret()
        token = ApiToken(new_secret()[:12], account, "test", scope, collection, self.clock.now(), expires)
        self.service.tokens.create(token, secret)
        return secret


@contextmanager
def people_server(
    folder: Path,
    endpoints: Sequence[Endpoint] = ENDPOINTS,
    place: ServicePlace | None = None,
    settings: ServiceSettings | None = None,
    clock: HandClock | None = None,
) -> Iterator[PeopleServer]:
    """The pages of a service for as long as the block lasts; no job is run."""
    clock = clock or HandClock()
    settings = settings or ServiceSettings(folder, place=place or ServicePlace())
    with Service(settings, clock) as service, socket.create_server(("127.0.0.1", 0)) as listener:
        serving = PeopleServer(service, clock, listener.getsockname()[1])
        built = build_application(service, serving.told.append, QUICK_PASSWORDS, endpoints)
        serving.told.append(built.entry_path)
        server = uvicorn.Server(uvicorn.Config(built.asgi, log_config=None, lifespan="off", proxy_headers=False))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield serving
        finally:
            server.should_exit = True
            thread.join()
