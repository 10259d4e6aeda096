"""From a request to an answer: decided without a socket, so that tests need none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from webkeep.lab.demo.addresses import SISTER, SISTER_HOME, Addresses
from webkeep.lab.demo.ranges import BEYOND, content_range, single_range
from webkeep.lab.demo.resource import HTML, Kind, Resource
from webkeep.lab.demo.site import DemoSite, State
from webkeep.lab.demo.town.places import SENT
from webkeep.lab.demo.validators import Claim, Validators, claim, http_date
from webkeep.model import Moment

_STILL, _MOVING = "max-age=86400", "no-cache"


@dataclass(frozen=True, slots=True)
class Request:
    """What the site needs to know of a request; header names are in lower case."""

    method: str
    host: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def conditional(self) -> bool:
        """Whether the client offered a copy to be confirmed."""
        return "if-none-match" in self.headers or "if-modified-since" in self.headers


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back; the body is made only if it is sent."""

    status: int
    headers: dict[str, str]
    body: Callable[[], bytes] = bytes
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """Answers requests for a site: knows where it is served and how honest it is."""

    site: DemoSite
    addresses: Addresses
    validators: Validators = Validators.HONEST

    def answer(self, request: Request, now: Moment, asked: int = 0) -> Answer:
        """The answer at that moment; `asked` is the number of the request."""
        found = self._decided(request, now, asked)
        found.headers.setdefault("date", http_date(now))
        return found

    def _decided(self, request: Request, now: Moment, asked: int) -> Answer:
        if request.path == SENT and request.method == "POST":
            return _redirect(303, "/contact/thanks/")
        if request.method not in {"GET", "HEAD"}:
            return Answer(405, {"allow": "GET, HEAD"})
        if not self.addresses.serves(request.host, request.path):
            at_home = request.host == SISTER and request.path == "/"
            return _redirect(301, SISTER_HOME) if at_home else self._missing(request.path)
        resource = self.site.resources.get(request.path)
        if resource is not None:
            return self._found(request, resource, now, asked)
        if f"{request.path}/" in self.site.resources:
            return _redirect(301, f"{request.path}/")
        return self._missing(request.path)

    def _found(self, request: Request, resource: Resource, now: Moment, asked: int) -> Answer:
        state = self.site.state(resource.path, now)
        if resource.kind is Kind.REDIRECT:
            target = self.addresses.link(resource.path, resource.location)
            return Answer(resource.status, {"location": target}, version=state.version)
        said = claim(self.validators, self.site, resource.path, state, asked, now)
        headers = self._headers(resource, said)
        if said is not None and said.holds(request.headers):
            return Answer(304, headers, version=state.version)
        headers |= {"content-type": resource.media_type, "accept-ranges": "bytes"}
        return self._whole_or_part(request, resource, state, said, headers)

    def _headers(self, resource: Resource, said: Claim | None) -> dict[str, str]:
        moving = resource.rate or resource.follows
        # Scripts of the module kind and the tide data may be asked for from another host of the site.
        headers = {"cache-control": _MOVING if moving else _STILL, "access-control-allow-origin": "*"}
        return headers | (said.headers() if said else {})

    def _whole_or_part(
        self, request: Request, resource: Resource, state: State, said: Claim | None, headers: dict[str, str]
    ) -> Answer:
        def body() -> bytes:
            return self.site.shown(resource.path, state, self.addresses)

        wanted = request.headers.get("range", "") if request.method == "GET" else ""
        if not wanted or said is None or not said.allows_range(request.headers):
            return Answer(200, headers, body, state.version)
        whole = body()
        part = single_range(wanted, len(whole))
        if part is None:
            return Answer(200, headers, lambda: whole, state.version)
        headers["content-range"] = content_range(part, len(whole))
        return Answer(416 if part is BEYOND else 206, headers, lambda: whole[part], state.version)

    def _missing(self, path: str) -> Answer:
        return Answer(404, {"content-type": HTML}, lambda: self.site.missing(path, self.addresses))


def _redirect(status: int, location: str) -> Answer:
    return Answer(status, {"location": location})
