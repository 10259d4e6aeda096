"""The front of a copy: a start page with what it is, its seeds, parts, gaps and a search, and what stands in the lists
beside it (manifest, gaps, gone, needs-serving).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from webkeep.presentation import format_count
from webkeep.presentation.pages import Markup, element, render_facts, render_page

_BATCH_LINES = 1000
"""Written together, so that a list of a million lines is never in memory."""
_FINDING_FILES = (SEARCH_FILE, GAPS_FILE, NEEDS_SERVING_FILE, BINARY_LINKS_FILE)
_MAX_STARTS = 20
"""Seeds that the page begins with."""
_INTRODUCTION = (
    "This is a copy of a website, made to be read from a disk. Links within it lead to its own pages; all others lead "
    "to the web."
)
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


@dataclass(frozen=True, slots=True)
class StartPageFacts:
    """What a start page says of its copy, beside what is in it."""

    facts: Mapping[str, str]
    seeds: Sequence[str]
    links: str = ""
    """Stands for where links lead: a version with other links is another copy."""
    unfinished: Sequence[str] = ()
    """What captures did not come to their end."""


def write_start_files(
    tree: CopyFolder,
    contents: CopyContents,
    built: BuildResult,
    about: StartPageFacts,
    before: PriorVersion | None = None,
) -> None:
    """Write the start page, the search, the list of files and the gaps."""
    uses = sorted(built.links.uses)
    sign = json.dumps({"made by": "webkeep", **about.facts, USES_KEY: uses, "links": about.links}, indent=1) + "\n"
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
    page = _render_start_page(contents, about.facts, about.seeds, about.unfinished)
    _write_or_share(tree, START_PAGE, (page,), before)


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
) -> bytes:
    name = facts.get("name", "A copy")
    starts = [item for seed in seeds if (item := contents.follow_redirects(seed)) is not None][:_MAX_STARTS]
    search = {"placeholder": "words in titles and texts", "aria_label": "Search"}
    scripts = element("script", src=SEARCH_FILE), element("script", Markup(_SEARCH_SCRIPT))
    content = (
        element("h1", name),
        element("p", _INTRODUCTION),
        (element("h2", "Begin here"), element("ul", map(_render_start, starts))) if starts else None,
        element("h2", "Search"),
        element("input", id="q", type="search", **search),
        element("ol", id="found", aria_live="polite"),
        element("h2", "What this is"),
        render_facts(facts.items()),
        element("h2", "Parts"),
        element("ul", _render_sites(contents)),
        element("h2", "Gaps"),
        _render_gaps(contents),
        [element("p", f"{words[:1].upper()}{words[1:]}.") for words in unfinished],
        element("p", element("small", element("a", "All files with their addresses", href=MANIFEST_FILE))),
    )
    return render_page(name, element("main", content), scripts)


def _render_start(item: CopyItem) -> Markup:
    return element("li", element("a", item.url, href=relative_href(START_PAGE, item.name)))


def _render_sites(contents: CopyContents) -> Iterator[Markup]:
    """The sites of a copy and their folders, with how many files each has."""
    counts = Counter(item.name.split("/")[0] for item in contents)
    for name, count in sorted(counts.items()):
        yield element("li", f"{name}: {format_count(count, 'file')}")


def _render_gaps(contents: CopyContents) -> Markup:
    served = element("a", "what does not work from a disk, and needs webkeep serve", href=NEEDS_SERVING_FILE)
    gone = (" · ", element("a", "what was gone by then", href=GONE_FILE)) if contents.gone else None
    return element("p", element("a", "What is missing here, and what wants it", href=GAPS_FILE), " · ", served, gone)


def capture_span(contents: CopyContents) -> tuple[Moment, Moment] | None:
    """When the first and the last thing in a copy were captured."""
    moments = [item.micros for item in contents]
    return (Moment(min(moments)), Moment(max(moments))) if moments else None
