"""What the web of a disturbed capture was asked for twice, and why that was: by its own log, by the archives of the
workers, by what the database knows of their sessions, and by what was done to them.

A URL may be asked for again where its worker was lost before it had handed over what came of it: what was under way
then, and what came within the time that handing over takes. A batch that was held up on its way had set out before, and
has nothing of what came after; so what holds up batches that are on their way, as a lock or a way that is jammed, does
not count as such time. Where the database only breaks off, what came meanwhile goes with the batch that did not get
there. And a database may take the place of another that knew more.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from bench.cluster_trial import Trial
from webkeep.cluster.group_leases import LEASE_SECONDS

_HANDOVER_SECONDS = 2.0
"""What a worker got so long before it was last heard of had surely been handed over, also beside a load."""
_CLOCK_SECONDS = 0.5
"""By so much what a worker writes down of a request may differ from what the web does."""
_GUEST = "guest"
"""The name of who takes part for a while with the archive of another."""
Records = dict[str, list[tuple[str, float]]]
Requests = list[tuple[str, str, float, float]]


class _Session(NamedTuple):
    joined: float
    heard: float
    is_lost: bool


def explain_repeats(trial: Trial, port: int, requests: Requests, records: Records) -> tuple[Counter[str], list[str]]:
    """How often something was asked for again for each reason, and what for none."""
    reasons: Counter[str] = Counter()
    unexplained: list[str] = []
    sessions = _read_sessions(trial)
    asked: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for host, path, began, ended in requests:
        asked[f"http://{host}:{port}{path}"].append((began, ended))
    for url, spans in asked.items():
        for began, ended in sorted(spans)[:-1]:
            around = began - _CLOCK_SECONDS, ended + _CLOCK_SECONDS
            holders = [name for name, moment in records.get(url, ()) if around[0] <= moment <= around[1]]
            reason = _reason_of(trial, sessions, holders, began, ended)
            reasons[reason or "unexplained"] += 1
            if not reason:
                known = {name: sessions[name] for name in holders}
                unexplained.append(f"{url} was asked for again, though {holders} had it at {ended:.2f}: {known}")
    return reasons, unexplained


def _read_sessions(trial: Trial) -> dict[str, list[_Session]]:
    sessions: dict[str, list[_Session]] = defaultdict(list)
    for name, joined, expires, state in trial.server.ask(
        "SELECT name, extract(epoch FROM joined)::FLOAT, extract(epoch FROM expires)::FLOAT, state "
        "FROM webkeep_cluster.worker"
    ):
        heard = float(str(expires)) - LEASE_SECONDS
        sessions[str(name)].append(_Session(float(str(joined)), heard, state != "left"))
    return sessions


def _reason_of(
    trial: Trial, sessions: dict[str, list[_Session]], holders: list[str], began: float, ended: float
) -> str:
    """Why something was asked for again; empty where it should not have been."""
    if not holders:  # It was let go of, with its worker or by it.
        return "under_way"
    if any(since - _HANDOVER_SECONDS <= ended and began <= until for since, until in trial.losses):
        return "forgotten"
    for name in holders:
        having = [each for each in (*sessions[name], *sessions[_GUEST]) if _had_its_time(each, ended)]
        if any(each.is_lost and _calm_seconds(trial, name, ended, each.heard) <= _HANDOVER_SECONDS for each in having):
            return "not_handed_over"
        # A session that was forgotten goes on asking until it hears of that.
        if not having and any(since <= ended <= until + LEASE_SECONDS for since, until in trial.losses):
            return "forgotten"
    return ""


def _had_its_time(session: _Session, ended: float) -> bool:
    """Whether something may have come to a session at a moment: it asks until its lease ends."""
    return session.joined - _CLOCK_SECONDS <= ended <= session.heard + LEASE_SECONDS


def _calm_seconds(trial: Trial, name: str, since: float, until: float) -> float:
    """For how long of a time nothing held up what a worker had on its way to the database."""
    spans = [(max(since, began), min(until, ended)) for whom, began, ended in trial.delays if whom in ("", name)]
    return max(0.0, until - since - _covered(span for span in spans if span[0] < span[1]))


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """How many seconds lie within any of these."""
    total, reached = 0.0, 0.0
    for began, ended in sorted(spans):
        total += max(0.0, ended - max(began, reached))
        reached = max(reached, ended)
    return total
