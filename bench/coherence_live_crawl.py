"""One live crawl of a changing site by one strategy, judged by what its server really served.

The site's history is a function of its seed and of the time since the crawl was begun, so that crawls by several
strategies meet the same one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from webkeep.clock import SystemClock
from webkeep.coherence.certificates import CoherenceCertificate, CoherenceVerdict
from webkeep.coherence.schedules import TimeInterval
from webkeep.coherence.schedules.blur import actual_page_blur
from webkeep.lab.demo import DemoKind, DemoServer, DemoSite, SitePlan, TreeShape
from webkeep.lab.demo.served_log import ServedResponse
from webkeep.model import Moment
from webkeep.quality.certificates.certification import derive_certificate
from webkeep.store.archive import Archive

_DAY = 86400.0
_LOOKED = frozenset({200, 304})
_RULES = "/robots.txt"
"""Which no certificate is about."""


def main() -> None:
    """Crawl, judge, and print the figures as one JSON object."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--strategy", required=True)
    parser.add_argument("--pages", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--delay", type=float, required=True)
    parser.add_argument("--hottest", type=float, required=True)
    parser.add_argument("--outdegree", type=int, default=40)
    args = parser.parse_args()
    shape = TreeShape(outdegree=args.outdegree, hottest=args.hottest, cross_links=0)
    site = DemoSite(SitePlan(args.seed, args.pages, town=False, tree=shape), SystemClock().now())
    with tempfile.TemporaryDirectory() as folder:
        served, certificate, summary = _crawled(site, args.strategy, args.delay, Path(folder))
    print(json.dumps({**_figures(site, served, certificate), "seconds": summary}))


def _crawled(
    site: DemoSite, strategy: str, delay: float, folder: Path
) -> tuple[list[tuple[str, ServedResponse]], CoherenceCertificate, float]:
    """What the server logged, by URL; the certificate; and how long it took."""
    with DemoServer(site) as server:
        rates = folder / "rates"
        origin = server.url.rstrip("/")
        rates.write_text("".join(f"{origin}{each.path} {each.rate * _DAY}\n" for each in site.truth()))
        # An offline strategy needs to know all pages at its start; the others are to find them.
        knowing = [] if strategy == "sharc-offline" else ["--no-sitemaps"]
        command = [sys.executable, "-m", "webkeep", "capture", server.url, "--into", str(folder / "archive"), "--json"]
        told = subprocess.run(
            [*command, "--strategy", strategy, "--delay", str(delay), "--rates", str(rates), *knowing],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if told.returncode:
            raise SystemExit(f"{strategy}: the capture ended with {told.returncode}: {told.stderr[-500:]}")
        served = [(origin + each.path, each) for each in server.served_responses()]
    with Archive(folder / "archive") as archive:
        capture = next(archive.captures())
        return served, derive_certificate(archive, capture.id), json.loads(told.stdout.splitlines()[-1])["seconds"]


def _figures(
    site: DemoSite, served: list[tuple[str, ServedResponse]], certificate: CoherenceCertificate
) -> dict[str, object]:
    looks: dict[str, list[ServedResponse]] = defaultdict(list)
    for url, each in served:
        if each.version is not None and each.status in _LOOKED and each.path != _RULES:
            looks[url].append(each)
    pages = {each.path for each in site.truth() if each.kind is DemoKind.PAGE}
    verdicts = {each.url: each.verdict for each in certificate.resources}
    of_pages = {url: seen for url, seen in looks.items() if seen[0].path in pages}
    moments = sorted(each.moment.micros for seen in of_pages.values() for each in seen)
    return {
        "pages": len(of_pages),
        "requests": len(served),
        "step": (moments[-1] - moments[0]) / 1e6 / max(len(moments) - 1, 1),
        "errors": [url for url, seen in looks.items() if _is_wrong(verdicts.get(url), seen)]
        + list(_never_together(site, certificate, looks)),
        "incoherent": sum(seen[0].version != seen[-1].version for seen in of_pages.values()),
        "blur": _blur(site, list(of_pages.values())),
    }


def _is_wrong(verdict: CoherenceVerdict | None, seen: list[ServedResponse]) -> bool:
    """Whether a certificate says another thing than the versions that were served."""
    if len(seen) == 1:
        return verdict not in (CoherenceVerdict.APEX, CoherenceVerdict.ONCE)
    return verdict is not (
        CoherenceVerdict.COHERENT if seen[0].version == seen[-1].version else CoherenceVerdict.CHANGED
    )


def _never_together(
    site: DemoSite, certificate: CoherenceCertificate, looks: dict[str, list[ServedResponse]]
) -> Iterator[str]:
    """What is said to fit together with the rest at a moment when it was another version."""
    coherent_set = certificate.summary.lasting_coherent_set
    if coherent_set is None:
        return
    for each in certificate.resources:
        seen = looks.get(each.url) if each.agrees and each.verdict is CoherenceVerdict.COHERENT else None
        if seen and site.version_at(seen[0].path, coherent_set.end) != seen[0].version:
            yield f"{each.url} at {coherent_set.end}"


def _blur(site: DemoSite, visits: list[list[ServedResponse]]) -> float:
    """The blur of the first visits over the time they took, by the changes that really happened, for a page."""
    first = [seen[0] for seen in visits]
    start, end = (bound(each.moment.micros for each in first) for bound in (min, max))
    whole = TimeInterval(0.0, (end - start) / 1e6)
    return sum(_page_blur(site, each, start, whole) for each in first) / len(first)


def _page_blur(site: DemoSite, visit: ServedResponse, start: int, whole: TimeInterval) -> float:
    at = (visit.moment.micros - start) / 1e6
    return actual_page_blur(_changes(site, visit.path, start, whole.end), at, at, whole)


def _changes(site: DemoSite, path: str, start: int, seconds: float) -> Iterator[float]:
    for moment in site.changes_until(path, Moment(start).plus(seconds)):
        if moment.micros >= start:
            yield (moment.micros - start) / 1e6


if __name__ == "__main__":
    main()
