"""What was shown from several vantage points, side by side: pictures beside each other, and below them which lines of
text only some were shown.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path

from webkeep.evidence.package.evidence_facts import EvidenceFacts
from webkeep.evidence.package.page_condition import PageCondition
from webkeep.evidence.package.page_exhibit import PageExhibit
from webkeep.presentation import format_instant
from webkeep.presentation.pages import Markup, element, render_page

_MAX_LINES_LISTED = 200
"""Lines of text that are listed of one page; the rest is in its own file."""
_MAX_PICTURE_BYTES = 3 << 20
"""A larger picture is left to its own file."""
_POLICY = Markup(
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
)


def render_vantage_sheet(facts: EvidenceFacts, folder: Path) -> bytes:
    """The sheet, with the pictures and texts that lie in a folder."""
    places: dict[str, list[PageExhibit]] = {}
    for each in facts.exhibits:
        places.setdefault(each.page, []).append(each)
    return render_page(
        "Side by side",
        element("h1", "What was shown from each vantage point"),
        [_render_row(exhibits, facts, folder) for exhibits in places.values()],
        head=_POLICY,
        style=("cover",),
    )


def _render_row(exhibits: Sequence[PageExhibit], facts: EvidenceFacts, folder: Path) -> Markup:
    """One page from all sides."""
    texts = {each.name: _read_lines(folder / f"{each.name}.txt") for each in exhibits}
    differs = {each.vantage.name: each.vantage.description for each in facts.vantages}
    absent = sorted(differs.keys() - {each.vantage for each in exhibits})
    shared = set() if absent else set.intersection(*map(set, texts.values()))
    columns = [
        element("section", _render_side(each, differs.get(each.vantage, ""), texts[each.name], shared, folder))
        for each in exhibits
    ]
    missing = element("p", f"There is no picture of {exhibits[0].page} from: {', '.join(absent)}.") if absent else None
    return element("div", columns, missing, class_="sides")


def _render_side(
    exhibit: PageExhibit, differs: str, lines: Sequence[str], shared: set[str], folder: Path
) -> Iterator[Markup]:
    yield element("h2", exhibit.vantage, f" ({differs})" if differs else "")
    yield element("p", f"{exhibit.name}: {exhibit.page}, {format_instant(exhibit.moment)} UTC")
    picture = folder / f"{exhibit.name}-window.png"
    if picture.exists() and picture.stat().st_size <= _MAX_PICTURE_BYTES:
        data = base64.b64encode(picture.read_bytes()).decode()
        yield element("img", src=f"data:image/png;base64,{data}", alt=f"The page as {exhibit.vantage} was shown it")
    if exhibit.file is not None:
        yield element("p", f"A file: {exhibit.file.name}, {exhibit.file.bytes:,} bytes, SHA-256 {exhibit.file.sha256}")
    own = [line for line in lines if line not in shared]
    if own:
        yield element("p", "Not shown to all:")
        yield element("ul", [element("li", line) for line in own[:_MAX_LINES_LISTED]])
    elif exhibit.condition is not PageCondition.FILE:
        yield element("p", "The text is what all were shown." if lines else "There is no text on it.")


def _read_lines(file: Path) -> list[str]:
    return file.read_text("utf-8", "replace").splitlines() if file.exists() else []
