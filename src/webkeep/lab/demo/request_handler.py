"""From a request to an answer of the demo site, decided without a socket, so that tests need none: redirects, missing
pages, refused methods, ranges, and how long answers may be cached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from webkeep.formats.http import UnsatisfiableRangeError, format_unsatisfied_range, parse_range
from webkeep.formats.status import OK, PARTIAL_CONTENT, RANGE_NOT_SATISFIABLE
from webkeep.lab.demo.addresses import SISTER_HOST, SISTER_PATH, DemoAddresses
from webkeep.lab.demo.demo_site import DemoSite, DemoState
from webkeep.lab.demo.noise import NoiseMoment, add_noise, noise_kinds
from webkeep.lab.demo.site_resource import HTML_TYPE, DemoKind, DemoResource
from webkeep.lab.demo.town.plain_pages import FORM_SENT_PATH
from webkeep.lab.demo.validators import ValidatorClaim, ValidatorMode, build_claim, format_http_date
from webkeep.model import Moment

_STILL_CACHE_CONTROL, _CHANGING_CACHE_CONTROL = "max-age=86400", "no-cache"


@dataclass(frozen=True, slots=True)
class DemoRequest:
    """What the site needs to know of a request; header names are in lower case."""

    method: str
    host: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_conditional(self) -> bool:
        """Whether the client offered a copy to be confirmed."""
        return "if-none-match" in self.headers or "if-modified-since" in self.headers


@dataclass(frozen=True, slots=True)
class DemoResponse:
    """What goes back; the body is made only if it is sent."""

    status: int
    headers: dict[str, str]
    body: Callable[[], bytes] = bytes
    version: int | None = None


@dataclass(frozen=True, slots=True)
class DemoHandler:
    """Answers requests for a site: knows where it is served and how honest it is."""

    site: DemoSite
    addresses: DemoAddresses
    validators: ValidatorMode = ValidatorMode.HONEST

    def respond(self, request: DemoRequest, now: Moment, asked: int = 0) -> DemoResponse:
        """The answer at that moment; `asked` is the number of the request."""
        found = self._respond_to_get(request, now, asked)
        found.headers.setdefault("date", format_http_date(now))
        return found

    def _respond_to_get(self, request: DemoRequest, now: Moment, asked: int) -> DemoResponse:
        if request.path == FORM_SENT_PATH and request.method == "POST":
            return _redirect_response(303, "/contact/thanks/")
        if request.method not in {"GET", "HEAD"}:
            return DemoResponse(405, {"allow": "GET, HEAD"})
        if not self.addresses.serves(request.host, request.path):
            at_home = request.host == SISTER_HOST and request.path == "/"
            return _redirect_response(301, SISTER_PATH) if at_home else self._missing_response(request.path)
        resource = self.site.resources.get(request.path)
        if resource is not None:
            return self._resource_response(request, resource, now, asked)
        if f"{request.path}/" in self.site.resources:
            return _redirect_response(301, f"{request.path}/")
        return self._missing_response(request.path)

    def _resource_response(self, request: DemoRequest, resource: DemoResource, now: Moment, asked: int) -> DemoResponse:
        state = self.site.state_at(resource.path, now)
        if resource.kind is DemoKind.REDIRECT:
            target = self.addresses.link(resource.path, resource.location)
            return DemoResponse(resource.status, {"location": target}, version=state.version)
        if self.site.is_gone(resource.path, state.version):
            return self._missing_response(resource.path)
        is_noisy = bool(noise_kinds(self.site.plan.noise, self.site.plan.seed, resource.path))
        if resource.kind is DemoKind.PAGE and is_noisy:
            return self._noisy_response(resource, state, now, asked)
        said = build_claim(self.validators, self.site, resource.path, state, asked, now)
        headers = self._response_headers(resource, said)
        if said is not None and said.is_not_modified(request.headers):
            return DemoResponse(304, headers, version=state.version)
        headers |= {"content-type": resource.media_type, "accept-ranges": "bytes"}
        return self._body_response(request, resource, state, said, headers)

    def _noisy_response(self, resource: DemoResource, state: DemoState, now: Moment, asked: int) -> DemoResponse:
        """A page that is another one for every request: it has no validators, and is given in no ranges."""

        def body() -> bytes:
            page = self.site.render_state(resource.path, state, self.addresses)
            return add_noise(page, plan.noise, NoiseMoment(plan.seed, resource.path, now, asked))

        plan = self.site.plan
        return DemoResponse(OK, {"cache-control": "no-store", "content-type": resource.media_type}, body, state.version)

    def _response_headers(self, resource: DemoResource, said: ValidatorClaim | None) -> dict[str, str]:
        moving = resource.rate or resource.follows
        # Scripts of the module kind and the tide data may be asked for from another host of the site.
        headers = {
            "cache-control": _CHANGING_CACHE_CONTROL if moving else _STILL_CACHE_CONTROL,
            "access-control-allow-origin": "*",
        }
        return headers | (said.headers() if said else {})

    def _body_response(
        self,
        request: DemoRequest,
        resource: DemoResource,
        state: DemoState,
        said: ValidatorClaim | None,
        headers: dict[str, str],
    ) -> DemoResponse:
        def body() -> bytes:
            return self.site.render_state(resource.path, state, self.addresses)

        wanted = request.headers.get("range", "") if request.method == "GET" else ""
        if not wanted or said is None or not said.allows_range(request.headers):
            return DemoResponse(200, headers, body, state.version)
        whole = body()
        try:
            part = parse_range(wanted, len(whole))
        except UnsatisfiableRangeError:
            headers["content-range"] = format_unsatisfied_range(len(whole))
            return DemoResponse(RANGE_NOT_SATISFIABLE, headers, lambda: b"", state.version)
        if part is None:
            return DemoResponse(OK, headers, lambda: whole, state.version)
        headers["content-range"] = part.content_range(len(whole))
        stretch = whole[part.first : part.last + 1]
        return DemoResponse(PARTIAL_CONTENT, headers, lambda: stretch, state.version)

    def _missing_response(self, path: str) -> DemoResponse:
        return DemoResponse(404, {"content-type": HTML_TYPE}, lambda: self.site.render_missing(path, self.addresses))


def _redirect_response(status: int, location: str) -> DemoResponse:
    return DemoResponse(status, {"location": location})
