"""Recall: pages come out the same whether their tags were met before or not."""

import json
from pathlib import Path

import pytest

from webkeep.extract import DocumentKind
from webkeep.extract.links import Link
from webkeep.rewrite import HtmlEdits, LinkPath, LinkRenaming, TagMemory, TagRecall, rewrite_document

TABLES = json.loads((Path(__file__).parents[2] / "data/rewrite/pages.json").read_text())
SITE = "https://site.example"
LIFTS = HtmlEdits(lift_integrity=True, lift_policies=True, lift_connecting=True, lift_crossorigin=True, lift_base=True)
PAGES = [
    f"{SITE}/dir/one.html",
    f"{SITE}/dir/two.html?q=a/b",
    f"{SITE}/three.html",
    "https://other.example/dir/four.html",
]
TAGS = """
<a href="/dir/x.html">1</a> <a href="x.html#there">2</a> <a href=../y?z=1>3</a> <a href="#top">4</a>
<a href="?q=2">5</a> <img src="/a.png" srcset="b.png 2x" crossorigin> <link rel=stylesheet href=s.css integrity=x>
<a href="//o.example/x">6</a> <a href="mailto:a@b.example">7</a> <a href="javascript:go('x.html')">8</a>
<p data-next="/dir/x.html" class=c>9</p>
<a href="https://site.example/dir/x.html" title="a > b">10</a> <a href=/caf\u00e9>11</a> <a href="">12</a> <a>13</a>
<a href="/outside/x.html">14</a> <img src="outside/x.png"> <script src="/s.js"></script><script>load('x.html')</script>
<!-- <a href="x.html"> --><svg><a xlink:href="/dir/x.html"/></svg><iframe srcdoc="<a href='x.html'>"></iframe>
"""


class Copy:
    """Names of which folders and files follow from URLs, as those of a copy do; what is outside is left there."""

    def __init__(self, url: str, memory: TagMemory | None) -> None:
        self.url = url
        self.folder = self._folder(url)
        self.within = self.outside = 0
        ways = _Ways(self.folder)
        self.recall = None if memory is None else TagRecall(memory, url, self.folder, ways)
        self._ways = ways

    def page(self, text: str) -> bytes:
        renaming = LinkRenaming(self._renamed, recall=self.recall)
        return rewrite_document(text.encode(), self.url, renaming, kind=DocumentKind.HTML, edits=LIFTS)

    def _renamed(self, link: Link) -> str | None:
        if "outside" in link.url:
            self.outside += 1
            return link.url
        self.within += 1
        folder, _, leaf = link.url.partition("://")[2].rpartition("/")
        return LinkPath.to_goal((folder, leaf or "index.html"), self._ways[folder])

    @staticmethod
    def _folder(url: str) -> str:
        return url.partition("://")[2].partition("?")[0].rpartition("/")[0]


class _Ways(dict[str, str]):
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __missing__(self, goal: str) -> str:
        return "" if goal == self._folder else f"../{goal}/"


def all_pages(text: str, memory: TagMemory | None) -> list[tuple[bytes, int, int]]:
    told = []
    for url in PAGES * 3:
        copy = Copy(url, memory)
        made = copy.page(text)
        told.append((made, copy.within + (copy.recall.recalled_links if copy.recall else 0), copy.outside))
    return told


@pytest.mark.parametrize("text", [TAGS, f"<base href=/else/>{TAGS}", TAGS.replace("\n", "\r\n"), *TABLES["spellings"]])
def test_what_is_recalled_is_what_would_be_worked_out(text: str) -> None:
    assert all_pages(text, TagMemory()) == all_pages(text, None)


def test_tags_are_recalled_on_later_pages() -> None:
    memory = TagMemory()
    Copy(PAGES[0], memory).page(TAGS)
    later = Copy(PAGES[0], memory)
    later.page(TAGS)
    assert later.recall is not None
    assert later.recall.recalled_links >= 5


def test_a_memory_stays_small() -> None:
    memory = TagMemory(most=10)
    for number in range(100):
        Copy(PAGES[0], memory).page(f'<a href="/{number}">{number}</a>')
    assert len(memory.tags_at(SITE)) <= 10
    assert Copy(PAGES[0], memory).page('<a href="/7">') == Copy(PAGES[0], None).page('<a href="/7">')
