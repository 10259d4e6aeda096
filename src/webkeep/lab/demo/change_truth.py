"""What every change of the demo site is, by its plan: the category of what lies between two versions of a page, judged
on the page without its noise.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from webkeep.lab.demo.demo_site import DemoSite
from webkeep.lab.demo.site_resource import DemoKind

_UNSEEN = re.compile(r"<(script|style|template|noscript)\b.*?</\1>|<!--.*?-->", re.DOTALL)
_ADDRESS = re.compile(r'<(?:a|area|img|iframe|video|audio|source|embed)\b[^>]*?\s(?:href|src)="([^"#]+)')
_TAG = re.compile(r"<[^>]*>")
_WORD = re.compile(r"\w+")
_MAJOR_SHARE = 0.1
"""A change of a tenth of the words is a large one, by definition."""


def category_of_change(site: DemoSite, path: str, before: int, after: int) -> str:
    """What changed between two versions of a resource: nothing, links, much of the text or little of it; `removed`
    where it is gone, and `major` for what is no page.
    """
    if before == after:
        return "unchanged"
    gone, was_gone = site.is_gone(path, after), site.is_gone(path, before)
    if gone or was_gone:
        return "unchanged" if gone and was_gone else "removed" if gone else "new"
    if site.resources[path].kind is not DemoKind.PAGE:
        return "major"
    old, new = (
        _UNSEEN.sub("", site.render_version(path, version).decode(errors="replace")) for version in (before, after)
    )
    if set(_ADDRESS.findall(old)) != set(_ADDRESS.findall(new)):
        return "structural"
    was, now = (_WORD.findall(_TAG.sub(" ", text)) for text in (old, new))
    if was == now:
        return "insignificant"
    same = sum(each.size for each in SequenceMatcher(None, was, now, autojunk=False).get_matching_blocks())
    return "major" if len(was) + len(now) - 2 * same >= _MAJOR_SHARE * (len(was) + len(now)) else "minor"
