"""The front of a copy: a start page with what it is, its parts, its gaps and a search, and the list of its files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from html import escape
from urllib.parse import unquote

from webkeep.mirror.names.copy_layout import (
    BINARY_LINKS_FILE,
    FROZEN_FOR,
    GAPS_FILE,
    GONE_FILE,
    LEADS_TO,
    MANIFEST_FILE,
    MARKER_FILE,
    NEEDS,
    NEEDS_SERVING_FILE,
    RENAMED_KEY,
    SEARCH_FILE,
    START_PAGE,
    USES_KEY,
    WANTED_BY,
)
from webkeep.mirror.names.relative_links import relative_href
from webkeep.mirror.output.copy_folder import CopyFolder
from webkeep.mirror.output.prior_version import PriorVersion
from webkeep.mirror.rendering.build_result import BuildResult, CopyLinks, PageAbstract
from webkeep.mirror.selection.copy_contents import CopyContents, CopyItem, unpack_digest
from webkeep.model import Moment

_BATCH_LINES = 1000
_FINDING_FILES = (SEARCH_FILE, GAPS_FILE, NEEDS_SERVING_FILE, BINARY_LINKS_FILE)
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6570; --paper: #fdfdfb; --line: #d9dcd6; --link: #1a4f8b }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e1; --soft: #a2a9b0; --paper: #16181b; --line: #363b40;
  --link: #9cc4f2 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 52rem;
  margin: 2rem auto; padding: 0 1rem } a { color: var(--link) } h1 { font-size: 1.7rem } h2 { margin-top: 2rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem } dt, small { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere } input { font: inherit; width: 100%; padding: .5rem; box-sizing: border-box }
li { margin: .3rem 0; overflow-wrap: anywhere }
"""
_SEARCH_SCRIPT = """
var field = document.getElementById("q"), list = document.getElementById("found"), pages = window.webkeepPages || [];
function show(words) {
  list.textContent = "";
  if (!words.length) return;
  var hits = [];
  for (var i = 0; i < pages.length && hits.length < 2000; i++) {
    var title = pages[i][1].toLowerCase(), text = pages[i][2].toLowerCase(), score = 0;
    for (var w = 0; w < words.length; w++) {
      var there = title.indexOf(words[w]) >= 0 ? 2 : text.indexOf(words[w]) >= 0 ? 1 : 0;
      if (!there) { score = 0; break; }
      score += there;
    }
    if (score) hits.push([score, pages[i], text]);
  }
  hits.sort(function (a, b) { return b[0] - a[0]; });
  hits.slice(0, 100).forEach(function (hit) {
    var item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("small");
    link.href = hit[1][0]; link.textContent = hit[1][1] || hit[1][0];
    var at = Math.max(0, hit[2].indexOf(words[0]) - 60);
    text.textContent = " " + hit[1][2].slice(at, at + 180);
    item.append(link, document.createElement("br"), text); list.append(item);
  });
  if (!hits.length) list.textContent = "Nothing was found.";
}
field.addEventListener("input", function () { show(field.value.toLowerCase().split(/\\s+/).filter(Boolean)); });
"""


def write_start_files(
    tree: CopyFolder,
    contents: CopyContents,
    built: BuildResult,
    facts: Mapping[str, str],
    seeds: Iterable[str],
    links: str = "",
    before: PriorVersion | None = None,
    unfinished: Iterable[str] = (),
) -> None:
    """Write the start page, the search, the list of files and the gaps; `links` stands for where links lead, and
    `unfinished` says what captures did not come to their end.
    """
    uses = sorted(built.links.uses)
    sign = json.dumps({"made by": "webkeep", **facts, USES_KEY: uses, "links": links}, indent=1) + "\n"
    _write_or_share(tree, MARKER_FILE, (sign.encode(),), before)
    encode = json.JSONEncoder(ensure_ascii=False).encode
    _write_or_share(
        tree,
        MANIFEST_FILE,
        _encode_batches(encode(_manifest_entry(item, contents.renamed)) + "\n" for item in contents),
        before,
    )
    if before is not None:
        _reuse_links(contents, built, before)
    if before is None or not _share_findings(tree, built, before):
        _write_findings(tree, contents, built, before)
    if contents.gone:
        lines = (f"{url}\t{gone.describe(url in contents.items)}\n" for url, gone in sorted(contents.gone.items()))
        _write_or_share(tree, GONE_FILE, _encode_batches(lines), before)
    _write_or_share(tree, START_PAGE, _encode_batches(_render_start_page(contents, facts, seeds, unfinished)), before)


def _write_or_share(tree: CopyFolder, name: str, pieces: Iterable[bytes], before: PriorVersion | None) -> None:
    """Write a file, or have it from the version before where it is the same there."""
    if before is not None:
        whole = b"".join(pieces)
        if before.is_same(name, whole) and tree.share(name, before.path(name)):
            return
        pieces = (whole,)
    tree.write(name, pieces)


def _share_findings(tree: CopyFolder, built: BuildResult, before: PriorVersion) -> bool:
    """Whether all files are those of the version before, and so is what is known of them."""
    is_same = before.same_links and built.shared == built.files and not built.damaged
    if not is_same or not all((before.folder / each).is_file() for each in _FINDING_FILES):
        return False
    return all(tree.share(each, before.path(each)) for each in _FINDING_FILES)


def _write_findings(tree: CopyFolder, contents: CopyContents, built: BuildResult, before: PriorVersion | None) -> None:
    """Write the search and the gaps."""
    if before is not None:
        _reuse_abstracts(contents, built, before)
    _write_or_share(tree, SEARCH_FILE, _encode_batches(_render_search_index(built.abstracts)), before)
    gaps = [f"{url}\t{WANTED_BY} {page}\n" for url, page in sorted(built.links.missing.items())]
    gaps += [f"{url}\t{reason}\n" for url, reason in sorted(built.damaged.items())]
    tree.write(GAPS_FILE, _encode_batches(gaps))
    served = [f"{url}\t{NEEDS} {what}\n" for url, what in sorted(built.links.server_needs.items())]
    served += [f"{url}\t{FROZEN_FOR} {what}\n" for url, what in sorted(built.links.frozen.items())]
    tree.write(NEEDS_SERVING_FILE, _encode_batches(served))
    bound = ((url, link) for url, links in sorted(built.links.binary_links.items()) for link in links)
    tree.write(BINARY_LINKS_FILE, _encode_batches(f"{url}\t{LEADS_TO} {link}\n" for url, link in bound))


def _reuse_abstracts(contents: CopyContents, built: BuildResult, before: PriorVersion) -> None:
    """Take over what the search of the version before knew of pages that were not read again."""
    read = {each.name for each in built.abstracts}
    names = {item.name: item.url for item in contents.items.values() if item.is_page and item.name not in read}
    known = (each._replace(name=unquote(each.name)) for each in before.read_abstracts()) if names else ()
    built.abstracts += [each for each in known if each.name in names and names[each.name] not in built.damaged]


def _reuse_links(contents: CopyContents, built: BuildResult, before: PriorVersion) -> None:
    """Take over what the version before knew of the links of files that were not read again."""
    if not before.same_links:
        return  # then everything with links in it was read again

    def is_kept(url: str) -> bool:
        item = contents.find(url)
        return item is not None and before.has_unchanged(item)

    missing = {url: page for url, page in before.read_pairs(GAPS_FILE, WANTED_BY) if is_kept(page)}
    needing = {url: what for url, what in before.read_pairs(NEEDS_SERVING_FILE, NEEDS) if is_kept(url)}
    frozen = {url: what for url, what in before.read_pairs(NEEDS_SERVING_FILE, FROZEN_FOR) if is_kept(url)}
    links = CopyLinks(missing=missing, server_needs=needing, frozen=frozen)
    for url, link in before.read_pairs(BINARY_LINKS_FILE, LEADS_TO):
        if is_kept(url):
            links.binary_links.setdefault(url, []).append(link)
    built.links.add(links)


def _encode_batches(texts: Iterable[str]) -> Iterator[bytes]:
    """Texts as bytes, many together."""
    held: list[str] = []
    for text in texts:
        held.append(text)
        if len(held) >= _BATCH_LINES:
            yield "".join(held).encode("utf-8", "surrogatepass")
            held.clear()
    yield "".join(held).encode("utf-8", "surrogatepass")


def _manifest_entry(item: CopyItem, unusual: Container[str]) -> dict[str, object]:
    entry: dict[str, object] = {
        "url": item.url,
        "file": item.name,
        "type": item.media_type,
        "captured": item.moment.iso(),
        "digest": unpack_digest(item.digest),
    }
    if item.url in unusual:
        entry[RENAMED_KEY] = True
    return {**entry, "leads to": item.target} if item.is_redirect else entry


def _render_search_index(pages: list[PageAbstract]) -> Iterator[str]:
    """The pages as a script, because browsers read no other files from a disk."""
    pages.sort()
    yield "window.webkeepPages = [\n"
    for page in pages:
        values = json.dumps([relative_href(START_PAGE, page.name), page.title, page.text], ensure_ascii=True)
        yield f"{values},\n"
    yield "];\n"


def _render_start_page(
    contents: CopyContents, facts: Mapping[str, str], seeds: Iterable[str], unfinished: Iterable[str]
) -> Iterator[str]:
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(facts.get('name', 'A copy'))}</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>{escape(facts.get('name', 'A copy'))}</h1>\n<p>This is a copy of a website, made to be read from a disk. "
        "Links within it lead to its own pages; all others lead to the web.</p>\n"
    )
    starts = [item for seed in seeds if (item := contents.follow_redirects(seed)) is not None]
    if starts:
        yield "<h2>Begin here</h2>\n<ul>"
        yield (
            "".join(f'<li><a href="{_start_href(item)}">{escape(item.url)}</a></li>' for item in starts[:20])
            + "</ul>\n"
        )
    yield '<h2>Search</h2>\n<input id="q" type="search" placeholder="words in titles and texts" aria-label="Search">'
    yield '<ol id="found" aria-live="polite"></ol>\n'
    yield "<h2>What this is</h2>\n<dl>"
    yield "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items()) + "</dl>\n"
    yield "<h2>Parts</h2>\n<ul>" + "".join(_render_sites(contents)) + "</ul>\n"
    yield f'<h2>Gaps</h2>\n<p><a href="{GAPS_FILE}">What is missing here, and what wants it</a> · '
    yield f'<a href="{NEEDS_SERVING_FILE}">what does not work from a disk, and needs webkeep serve</a>'
    yield f' · <a href="{GONE_FILE}">what was gone by then</a></p>\n' if contents.gone else "</p>\n"
    yield "".join(f"<p>{escape(words[:1].upper() + words[1:])}.</p>\n" for words in unfinished)
    yield f'<p><small><a href="{MANIFEST_FILE}">All files with their addresses</a></small></p>\n'
    yield f'<script src="{SEARCH_FILE}"></script><script>{_SEARCH_SCRIPT}</script>\n</body></html>\n'


def _render_sites(contents: CopyContents) -> Iterator[str]:
    """The sites of a copy and their folders, with how many files each has."""
    counts = Counter(item.name.split("/")[0] for item in contents)
    for name, count in sorted(counts.items()):
        yield f"<li>{escape(name)}: {count:,} {'file' if count == 1 else 'files'}</li>"


def _start_href(item: CopyItem) -> str:
    return escape(relative_href(START_PAGE, item.name), quote=True)


def capture_span(contents: CopyContents) -> tuple[Moment, Moment] | None:
    """When the first and the last thing in a copy were captured."""
    moments = [item.micros for item in contents]
    return (Moment(min(moments)), Moment(max(moments))) if moments else None
