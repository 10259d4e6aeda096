"""A site whose server is gone, out of three archives: pywb and webkeep serve two of them, the third is a WARC file."""

import hashlib
import json
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import pytest
from devtools import Browser, Page, chromium, evaluate_apart, visit_all
from serve_calls import archive_of, page, served

from webkeep.browser.process import quiet_switches
from webkeep.cli.main import main
from webkeep.lab.demo import DemoAddresses, DemoKind, DemoSite, SitePlan
from webkeep.model import Exchange, Moment
from webkeep.recover.state.provenance import read_provenances
from webkeep.store.archive import Archive

PYWB = Path(__file__).parents[2] / ".peers/pywb/bin"
SEED = "http://www.tidewick.example/"
MOMENTS = ("2019-03-01T10:00:00Z", "2020-06-01T10:00:00Z", "2021-09-01T10:00:00Z")
NAMES = ("old", "middle", "new")
HELD = ({0, 1, 2, 3}, {2, 3, 4, 5}, {0, 4, 6})
"""Which eighths of the site each archive has; a seventh is nobody's."""


@dataclass
class World:
    """Three archives, what they hold between them, and what was recovered out of them."""

    held: list[dict[str, bytes]]
    """By URL what each archive has."""
    folder: Path

    @property
    def best(self) -> dict[str, tuple[int, bytes]]:
        """The newest of everything that anybody has, and whose it is."""
        found: dict[str, tuple[int, bytes]] = {}
        for number, held in enumerate(self.held):
            found |= {url: (number, content) for url, content in held.items()}
        return found

    def holders(self, url: str) -> set[int]:
        """Who has the newest bytes of it; what several have alike comes from whom the first page fits."""
        return {number for number, held in enumerate(self.held) if held.get(url) == self.best[url][1]}


def eighth(path: str) -> int:
    return 0 if path == "/" else hashlib.sha256(path.encode()).digest()[0] % 8


def exchanges(number: int) -> Iterator[Exchange]:
    """What one archive has: an incomplete capture of the site as it was at its moment."""
    site = DemoSite(SitePlan(), Moment.parse("2018-01-01"))
    moment = Moment.parse(MOMENTS[number])
    addresses = DemoAddresses(SEED.rstrip("/"))
    kinds = (DemoKind.PAGE, DemoKind.PICTURE, DemoKind.STYLE, DemoKind.SCRIPT)
    for path, resource in sorted(site.resources.items()):
        if eighth(path) in HELD[number] and resource.kind in kinds and resource.status == 200 and not resource.location:
            content = site.render_state(path, site.state_at(path, moment), addresses)
            yield page(urljoin(SEED, path), moment, content, resource.media_type)


@contextmanager
def pywb(folder: Path, archive: Path) -> Iterator[str]:
    """Another program that serves an archive, in an environment of its own."""
    warcs = [str(each) for each in sorted((archive / "warcs").iterdir())]
    for words in (["init", "lost"], ["add", "lost", *warcs]):
        subprocess.run([PYWB / "wb-manager", *words], cwd=folder, check=True, capture_output=True, timeout=120)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(PYWB / "wayback"), "--port", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and process.poll() is None:
                with socket.socket() as probe:
                    if not probe.connect_ex(("127.0.0.1", port)):
                        break
            yield f"http://127.0.0.1:{port}/lost"
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("recovery")
    seen = [list(exchanges(number)) for number in range(3)]
    archives = [archive_of(folder / f"a{number}", *each) for number, each in enumerate(seen)]
    held = [{each.url: b"".join(each.body.chunks()) for each in of} for of in seen]
    warc = folder / "third.warc.gz"
    assert main(["export", str(archives[2]), "--warc", str(warc)]) == 0
    (folder / "pywb").mkdir()
    with pywb(folder / "pywb", archives[0]) as root, served(archives[1]) as client:
        words = ["recover", SEED, "--from", f"cdx={root}/cdx name=old", "--from", f"cdx={client.root}/cdx name=middle"]
        words += ["--from", f"warc={warc} name=new", "--into", str(folder / "recovered"), "--json"]
        words += ["--copy", str(folder / "copy"), "--rehost", str(folder / "host")]
        words += ["--summary", str(folder / "summary.tsv"), "--ledger", str(folder / "ledger.sqlite")]
        assert main(words) == 1, "something is missing, and that is a finding"
    return World(held, folder)


def lines(world: World) -> list[dict[str, object]]:
    return [json.loads(line) for line in (world.folder / "summary.jsonl").read_text().splitlines()]


def test_everything_that_anybody_holds_is_back_byte_for_byte_in_its_newest_version(world: World) -> None:
    with Archive(world.folder / "recovered") as archive:
        for url, (_, content) in world.best.items():
            seen = archive.lookup(url)
            assert seen is not None, url
            assert seen.url == url
            assert seen.moment in {Moment.parse(MOMENTS[number]) for number in world.holders(url)}
            assert archive.read(seen).read() == content


def test_the_numbers_of_the_report_equal_the_truth(world: World) -> None:
    told = lines(world)
    recovered = {each["url"]: each for each in told if each["outcome"] == "recovered"}
    assert recovered.keys() == world.best.keys()
    for url, each in recovered.items():
        assert each["repository"] in {NAMES[number] for number in world.holders(url)}
        others = {other["repository"] for other in each["others"]}  # type: ignore[attr-defined]
        holders = {NAMES[number] for number, held in enumerate(world.held) if url in held}
        assert others == holders - {each["repository"]}
    missing = {str(each["url"]) for each in told if each["outcome"] == "missing"}
    assert not missing & world.best.keys()
    assert missing >= linked(world) - world.best.keys()
    report = next((world.folder / "recovered/reports/recoveries").glob("*.html")).read_text()
    assert f"{len(world.best):,} of {len(world.best) + len(missing):,} known resources are back" in report
    assert re.search(rf"; {len(missing):,} (?:is|are) missing", report)


def linked(world: World) -> set[str]:
    """What recovered pages lead to by plain links, on the same host."""
    found: set[str] = set()
    for url, (_, content) in world.best.items():
        if content.lstrip()[:1] == b"<" and b"<html" in content[:400].lower():
            found |= {urljoin(url, link) for link in re.findall(r'<a [^>]*?href="([^"#?]+)"', content.decode())}
    return {url for url in found if url.startswith(SEED)}


def test_each_resource_has_a_record_of_its_provenance(world: World) -> None:
    with Archive(world.folder / "recovered") as archive:
        for url in world.best:
            (told,) = read_provenances(archive, url)
            number = NAMES.index(told.repository)
            assert number in world.holders(url)
            assert told.moment == Moment.parse(MOMENTS[number])
            holders = {NAMES[each] for each, held in enumerate(world.held) if url in held}
            assert {told.repository, *(other.repository for other in told.others)} == holders
            assert told.fidelity == ("original" if number == 2 else "raw")


def test_the_export_has_every_file_under_its_old_path(world: World) -> None:
    root = world.folder / "host/sites/www.tidewick.example"
    for url, (_, content) in world.best.items():
        path = url.removeprefix(SEED)
        assert (root / (path + "index.html" if path.endswith("/") or not path else path)).read_bytes() == content


_SEEN = """JSON.stringify({
  links: [...document.querySelectorAll('a[href], area[href]')].map((each) => each.href),
  pictures: [...document.images].map((each) => [each.src,
    each.naturalWidth > 0 || each.loading === 'lazy' || !each.currentSrc.startsWith('file:')]),
})"""
"""Lazy pictures come when they are scrolled to; of several sizes a browser may want one that nobody holds."""
_ENOUGH = 20


@dataclass
class Walked:
    """A page of the copy as a browser shows it, with what it shows by the lost site's URLs."""

    text: str
    links: set[str]
    pictures: dict[str, bool]
    """Whether each is shown."""
    broken: set[str]
    """Links to files that are not there."""


class Walker:
    """Opens the pages of a copy that its links lead to, one after the other, until they are many."""

    def __init__(self, copy: Path) -> None:
        manifest = (copy / "_webkeep/manifest.jsonl").read_text().splitlines()
        self.files = {(copy / each["file"]).as_uri(): str(each["url"]) for each in map(json.loads, manifest)}
        self.kinds = {str(each["url"]): str(each["type"]) for each in map(json.loads, manifest)}
        self._places = {url: place for place, url in self.files.items()}
        self.walked: dict[str, Walked] = {}

    def walk(self, browser: Browser, start: str) -> None:
        """Go from page to page."""
        waiting = {start}
        while waiting and len(self.walked) < _ENOUGH:
            next_ones = sorted(waiting)[: _ENOUGH - len(self.walked)]
            visit_all(browser, [Page(self._places[url], is_plain=True) for url in next_ones], then=self._look)
            led_to = {url for seen in self.walked.values() for url in seen.links}
            waiting = {url for url in led_to if self.kinds[url] == "text/html"} - self.walked.keys()

    def _look(self, browser: Browser, page: Page) -> None:
        seen = json.loads(evaluate_apart(browser, page, _SEEN))
        links = {link.partition("#")[0].partition("?")[0] for link in seen["links"] if link.startswith("file:")}
        pictures = {self.files.get(place, place): shown for place, shown in seen["pictures"]}
        known = {self.files[link] for link in links if link in self.files}
        self.walked[self.files[page.url]] = Walked(page.text, known, pictures, links - self.files.keys())


def shown_by(world: World, url: str, pattern: str) -> set[str]:
    """The URLs that a recovered page names in some way, and that someone holds."""
    named = {urljoin(url, each) for each in re.findall(pattern, world.best[url][1].decode())}
    return {each for each in named if each in world.best}


def test_the_copy_walks_in_a_browser(world: World, tmp_path: Path) -> None:
    """Pages that recovered pages lead to open from the disk, and link and show all that the archives held."""
    walker = Walker(world.folder / "copy")
    words = ["chromium", f"--user-data-dir={tmp_path}", *quiet_switches(), "--no-sandbox", "--headless=new",
             "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"]  # fmt: skip
    with chromium(words) as browser:
        walker.walk(browser, SEED)
    assert len(walker.walked) >= _ENOUGH
    for url, seen in walker.walked.items():
        assert "Tidewick" in seen.text, url
        assert not seen.broken, url
        assert seen.links >= shown_by(world, url, r'<a [^>]*?href="([^"#?]+)"'), url
        held = shown_by(world, url, r'<img (?:[^>]*? )?src="([^"#?]+)"')
        assert {each for each, shown in seen.pictures.items() if shown} >= held, url
