"""`evidence`: pages captured until all is proven or named, in a package that others can check; which vantage points
there are, and the summary with its JSON keys.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, Texts, list_texts, read_path, read_path_or_none, read_paths
from webkeep.api.arguments.capture_options import CaptureOptions, name_options, plan_values_from_options
from webkeep.api.arguments.plan_file import build_capture_plan, merge_plan_values
from webkeep.api.captures import CallbackObserver, CaptureProgressCallback
from webkeep.api.package_stamping import StampRequest, authority_client
from webkeep.api.work_listener import NoteCallback
from webkeep.api.work_summary import LEFT_OUT, WorkSummary
from webkeep.clock import SystemClock
from webkeep.crawl.run import CaptureObserver
from webkeep.errors import UsageError
from webkeep.evidence.package import (
    DEFAULT_ROUNDS,
    EvidenceFacts,
    EvidencePackage,
    EvidencePlan,
    PackageSeal,
    VantagePoint,
    check_target,
    make_package,
    plan_for_evidence,
)
from webkeep.evidence.sealing import StampingResult
from webkeep.model import Moment
from webkeep.process import call_cleanly
from webkeep.signing import KeyPurpose, SigningRequest, open_identity, open_own_key, read_passphrase
from webkeep.url.scope import ScopeExtent

_FIRST_VANTAGE = "main"
_ANONYMOUS = "anonymous"
"""The word of a vantage point at which nobody is logged in."""
_LOGIN_NAMES = ("cookies", "browser_profile", "auth", "headers", "client_certificate", "client_key")
_VANTAGE_NAMES = frozenset({*_LOGIN_NAMES, "proxy", "user_agent", "resolve", "insecure", "certificate_authorities"})
"""In what vantage points may differ: the way to the web, and who is there said to be."""
_DIFFERENCE_WORDS = {
    "headers": "other headers",
    "cookies": "other cookies",
    "auth": "another login",
    "resolve": "addresses given for names",
    "insecure": "certificates not checked",
    "certificate_authorities": "other certificate authorities",
}
"""What of a vantage point is no other thing of the same kind."""

EVIDENCE_VALUES: Mapping[str, Any] = {
    "scope": ScopeExtent.PAGE.value,
    "timeout": 120.0,
    "retries": 1,
    "page_seconds": 60.0,
    "page_requests": 1000,
}
"""What is said of a capture where nobody says otherwise: one page, and no part that never ends waited for too long."""
EVIDENCE_PAGE_VALUES: Mapping[str, Any] = {"delay": 0.0, "connections_per_host": 6}
"""The same for one page: its parts are asked for as a browser does, so that they are seen close together."""


@dataclass(frozen=True, slots=True)
class EvidenceSummary(WorkSummary):
    """What a package came to."""

    into: Path
    finished: bool
    """Whether there is a package."""
    proven: bool = False
    """Whether every page is shown, and every part of each is proven to have been there together with the others."""
    shown: bool = False
    """Whether any page is shown, and not only errors, walls and the like."""
    pages: int = 0
    parts: int = 0
    parts_proven: int = 0
    shortcomings: tuple[str, ...] = ()
    """What is not proven, or not shown; each in a sentence."""
    signed: str = ""
    """By whom, in words."""
    stamps: tuple[Moment, ...] = ()
    """When time-stamping authorities say that it existed."""
    redacted: int = 0
    """Values that were left out."""
    bytes: int = 0
    """The size of the WACZ."""
    seconds: float = 0.0
    facts: EvidenceFacts | None = field(default=None, metadata=LEFT_OUT)
    """All that the package says of itself."""


@dataclass(frozen=True, slots=True)
class EvidenceRequest:
    """What is to be packaged, and where."""

    plan: EvidencePlan
    into: Path
    signing: SigningRequest = field(default_factory=SigningRequest)
    stamping: StampRequest | None = None
    """Whom to ask for time stamps; None asks nobody."""

    def __post_init__(self) -> None:
        check_target(self.into)


@name_options(CaptureOptions)
@check_arguments
def evidence(
    *urls: str,
    into: StrPath,
    operator: str = "",
    about: str = "",
    rounds: int = DEFAULT_ROUNDS,
    vantages: Texts = (),
    sign_key: StrPath | None = None,
    certificate: StrPath | None = None,
    passphrase_file: StrPath | None = None,
    authorities: Texts = (),
    stamp_authorities: StrPath | None = None,
    plan: StrPath | None = None,
    seeds_from: StrPath | Iterable[StrPath] = (),
    on_progress: CaptureProgressCallback | None = None,
    on_note: NoteCallback | None = None,
    **options: Unpack[CaptureOptions],
) -> EvidenceSummary:
    """Prove to others what stands on a page: captured until all is proven or named, in a package they can check.

    `vantages` are further points that it is looked at from, each as a name and what differs there: `phone
    user-agent="…"`, `abroad proxy=socks5h://…`, `stranger anonymous`. `operator` and `about` are told as given.
    It is signed by a key of your own, or as a `certificate` names you; `authorities` are asked for time stamps.
    """
    observer = CallbackObserver(on_progress, on_note)
    values = merge_plan_values(read_path_or_none(plan), plan_values_from_options(options))
    seeds = (urls, tuple(map(str, read_paths(seeds_from))))
    made = build_vantages(values, seeds, list_texts(vantages, "vantages"), observer.on_note)
    described = EvidencePlan(made, operator, about, rounds)
    key, named, secret = map(read_path_or_none, (sign_key, certificate, passphrase_file))
    signing = SigningRequest(key, named, passphrase_file=secret)
    asked = list_texts(authorities, "authorities")
    stamping = StampRequest(read_path(into), asked, read_path_or_none(stamp_authorities)) if asked else None
    request = EvidenceRequest(described, read_path(into), signing, stamping)
    return call_cleanly(lambda: run_evidence(request, observer))


def build_vantages(
    values: Mapping[str, Any],
    seeds: tuple[Iterable[str], Iterable[str]],
    vantages: Iterable[str],
    tell: Callable[[str], None],
) -> tuple[VantagePoint, ...]:
    """The vantage points that a plan's values and words for further ones make; seeds are URLs, and files of them."""
    urls, files = (tuple(each) for each in seeds)
    usual = {**EVIDENCE_VALUES, **values}
    usual = {**(EVIDENCE_PAGE_VALUES if usual["scope"] == ScopeExtent.PAGE else {}), **usual}
    found = [VantagePoint(_FIRST_VANTAGE, plan_for_evidence(build_capture_plan(usual, urls, files, tell)))]
    for words in vantages:
        name, given = _parse_vantage(words)
        if name in (each.name for each in found):
            raise UsageError(f"--vantage {name} is named twice; give each a name of its own")
        changed = {key: value for key, value in {**usual, **given}.items() if value not in ("", [])}
        plan = plan_for_evidence(build_capture_plan(changed, urls, files, tell))
        found.append(VantagePoint(name, plan, ", ".join(_describe_differences(given))))
    return tuple(found)


def _parse_vantage(words: str) -> tuple[str, dict[str, Any]]:
    """The name of a vantage point, and what of the plan is otherwise there; an empty value takes something away."""
    try:
        name, *rest = shlex.split(words) or [""]
    except ValueError as error:
        raise UsageError(f"--vantage {words!r} cannot be read ({error}); write it as 'NAME proxy=URL'") from error
    if not name or "=" in name or not rest:
        raise UsageError(f"--vantage {words!r} has no name, or says nothing; write it as 'NAME proxy=URL'")
    given: dict[str, Any] = {}
    for word in rest:
        key, mark, value = word.partition("=")
        key = key.replace("-", "_")
        if word == _ANONYMOUS:
            given |= dict.fromkeys(_LOGIN_NAMES, "")
        elif not mark or key not in _VANTAGE_NAMES:
            known = ", ".join(sorted(each.replace("_", "-") for each in _VANTAGE_NAMES))
            raise UsageError(f"--vantage {name}: {word!r} is none of {known} or {_ANONYMOUS}")
        else:
            given[key] = value
    return name, given


def _describe_differences(given: Mapping[str, Any]) -> Iterator[str]:
    """In what a vantage point differs, in words that tell no secret."""
    if all(given.get(each, "?") == "" for each in _LOGIN_NAMES):
        yield "nobody logged in"
    for key, value in given.items():
        if key == "user_agent":
            yield f"as {value}"
        elif value:
            yield f"with {_DIFFERENCE_WORDS.get(key, 'another ' + key.replace('_', ' '))}"


def run_evidence(request: EvidenceRequest, observer: CaptureObserver) -> EvidenceSummary:
    """Make a package."""
    clock = SystemClock()
    began = clock.now()
    seal = _open_seal(request)  # before anything is asked for: a wrong passphrase costs nothing then
    made = make_package(request.plan, request.into, seal, observer, clock)
    seconds = round(clock.now().seconds_since(began), 3)
    if made is None:
        return EvidenceSummary(request.into, finished=False, seconds=seconds)
    return _summarize(made, seconds)


def _open_seal(request: EvidenceRequest) -> PackageSeal:
    """Whoever signs, and whoever asks for time stamps."""
    log_key = open_own_key(KeyPurpose.LOG, passphrase=_log_passphrase(request.signing))
    stamping = request.stamping
    client = authority_client(stamping) if stamping is not None else None
    return PackageSeal(open_identity(request.signing), log_key, stamping.authorities if stamping else (), client)


def _log_passphrase(signing: SigningRequest) -> str | None:
    """The passphrase of the log's key: that of the key that signs where both are one's own in their usual place."""
    is_usual = signing.key is None and signing.certificate is None and signing.token is None
    # That of a certificate or token is not put on a key which lasts longer than these, and signs for others of them.
    return read_passphrase(signing.passphrase_file if is_usual else None)


def _summarize(made: EvidencePackage, seconds: float) -> EvidenceSummary:
    facts = made.facts
    proofs = [each.proof for each in facts.vantages]
    return EvidenceSummary(
        made.folder,
        finished=True,
        proven=facts.is_proven,
        shown=facts.shows_pages,
        pages=len(facts.exhibits),
        parts=sum(each.parts for each in proofs),
        parts_proven=sum(each.proven for each in proofs),
        shortcomings=(*facts.find_shortcomings(), *_describe_stamp_failures(made.stamping)),
        signed=facts.seal.signer,
        stamps=tuple(each.stamp.moment for each in made.stamping.answers) if made.stamping is not None else (),
        redacted=sum(facts.survey.redacted.values()),
        bytes=made.bytes,
        seconds=seconds,
        facts=facts,
    )


def _describe_stamp_failures(stamping: StampingResult | None) -> Iterator[str]:
    """Which time stamps were asked for and did not come."""
    for each in stamping.failures if stamping is not None else ():
        yield f"No time stamp came: {each}; webkeep stamp asks again later."
