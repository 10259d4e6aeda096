"""A single-page application copied in one step shows every one of its pages, from a disk and on a plain web server."""

import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from devtools import Browser, Page, visit_all
from plain_server import served
from speaking_site import Speaker, counting
from warc_material import webkeep as run

STORIES = 3
PICTURES = 4
SHELL = '<!doctype html><title>App</title><link rel=icon href=data:,><main></main><script src="/App.js"></script>'
APP = """
const main = document.querySelector('main'), get = async (...way) => (await fetch(['', ...way].join('/'))).json();
const shown = (image) => new Promise((yes) => {
  const look = () => yes(image.naturalWidth);
  if (image.complete) look(); else image.onload = image.onerror = look;
});
const routes = [
  [/^\\/$/, async () => {
    const feed = await get('api', 'feed.json');
    main.innerHTML = `<h1>Feed</h1>` + feed.map((each) => `<a href="/story/${each}">Story ${each}</a>`).join(' ');
  }],
  [/^\\/story\\/(\\d+)$/, async (number) => {
    const story = await get('api', 'story', number + '.json');
    main.innerHTML = `<h1>${story.title}</h1>` + story.pictures.map((each) => `<img src="/Img/${each}.svg">`).join('');
  }],
];
for (const [pattern, show] of routes) {
  const match = pattern.exec(location.pathname);
  if (match) show(match[1]).then(async () => {
    const widths = await Promise.all([...document.images].map(shown));
    document.documentElement.dataset.done = `${main.innerText}|${widths}`;
  });
}
"""


def answer(speaker: Speaker) -> None:
    """The application: one document under every address, and what its script asks for."""
    way = speaker.path.strip("/").split("/")
    match way:
        case ["App.js"]:
            speaker.say(APP.encode(), kind="text/javascript")
        case ["api", "feed.json"]:
            speaker.say(json.dumps(list(range(STORIES))).encode(), kind="application/json")
        case ["api", "story", name]:
            number = int(name.removesuffix(".json"))
            story = {"title": f"Story number {number}", "pictures": [f"P{number}-{each}" for each in range(PICTURES)]}
            speaker.say(json.dumps(story).encode(), kind="application/json")
        case ["Img", name]:
            width = 10 + sum(map(int, name[1:-4].split("-")))
            speaker.say(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="9"/>'.encode(),
                        kind="image/svg+xml")  # fmt: skip
        case [""] | ["story", _]:
            speaker.say(SHELL.encode())
        case _:
            speaker.say(b"", status=404)


def pages_at(offline_browser: Browser, urls: list[str]) -> list[str]:
    """What the pages say once they are done."""
    pages = [Page(url) for url in urls]
    visit_all(offline_browser, pages)
    assert [each.complaints for each in pages] == [[] for _ in pages]
    return [each.done for each in pages]


def test_every_page_of_an_application_is_in_its_copy(tmp_path: Path, offline_browser: Browser) -> None:
    ways = ["/", *(f"/story/{number}" for number in range(STORIES))]
    with counting(answer) as (home, _):
        live = pages_at(offline_browser, [home + way for way in ways])
        done = run("copy", f"{home}/", tmp_path / "out", "--delay", "0", "--json")
    assert done.code == 0, done.err
    assert live[2] == f"Story number 1|{','.join(str(11 + each) for each in range(PICTURES))}"
    files = [copied_file(tmp_path / "out", home, way) for way in ways]
    assert pages_at(offline_browser, [(tmp_path / "out" / each).as_uri() for each in files]) == live
    with served(tmp_path / "out") as address:
        assert pages_at(offline_browser, [address + each for each in files]) == live


def copied_file(out: Path, home: str, way: str) -> str:
    """The file of a page."""
    folder = next(out.glob(f"{urlsplit(home).hostname}*"))
    names = ["index.html"] if way == "/" else [f"{way[1:]}.html", way[1:], f"{way[1:]}/index.html"]
    return str(next(folder / each for each in names if (folder / each).is_file()).relative_to(out))
