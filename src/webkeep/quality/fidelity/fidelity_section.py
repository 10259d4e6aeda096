"""The section of a report on how replay shows pages: how many of each verdict, page by page with both pictures under a
slider, and what could not be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webkeep.presentation import format_count, format_duration, format_share
from webkeep.presentation.drawings import SliderPicture, render_picture_slider
from webkeep.presentation.pages import Markup, element, render_table
from webkeep.quality.fidelity.fidelity_figures import FidelityFigures, PageFidelity
from webkeep.quality.fidelity.page_rendering import RenderingSource
from webkeep.quality.fidelity.rendering_comparison import FidelityVerdict, RenderingComparison

_MAX_URL_CHARS = 300
"""Of an address on a page; the JSON has all of it."""
_SHOWN_VERDICTS = (FidelityVerdict.DIFFERENT, FidelityVerdict.CHANGED, FidelityVerdict.VARYING)
"""What both pictures are shown for, in this order."""
_CELL_CLASSES = {"page": "first", "held against": "measure", "picture": "measure", "text": "measure"}
_VERDICT_WORDS = {
    FidelityVerdict.SAME: "Picture and visible text are the same.",
    FidelityVerdict.VARYING: "They differ in what varies by itself between two looks at the same page, or in nothing "
    "that matters: dates, counters, advertisements.",
    FidelityVerdict.CHANGED: "The live page is another one by now. That says nothing of replay.",
    FidelityVerdict.DIFFERENT: "The page looks or reads differently in replay, and not because it changed since.",
    FidelityVerdict.UNCOMPARED: "There was nothing to hold it against; the reason stands beside the page.",
}


def render_fidelity_section(figures: FidelityFigures, held: int) -> Iterator[object]:
    """How replay shows pages; `held` pages there are in all."""
    yield element("p", _summary_words(figures, held))
    if not figures.pages:
        return
    yield _render_counts(figures)
    yield element("p", "Pictures are of the whole page, without consent boxes and the like that lay over it, and are "
                  "compared by structural dissimilarity (SSIM; Wang, Bovik, Sheikh, Simoncelli 2004): 0% for no "
                  "difference. Texts are those that a reader can see.", class_="soft")  # fmt: skip
    yield from _render_page_table(figures.pages)
    for verdict in _SHOWN_VERDICTS:
        for page in figures.pages:
            for told in page.comparisons:
                if told.verdict is verdict:
                    yield _render_difference(page, told)


def _summary_words(figures: FidelityFigures, held: int) -> str:
    against = "the pictures kept at capture" if figures.budget.is_offline else "the live pages"
    if not figures.pages:
        reason = "no page has such a picture" if figures.budget.is_offline and not figures.left else "no time was left"
        return f"No page could be held against {against}: {reason}."
    some = format_count(len(figures.pages), "page")
    left = f"; for {format_count(figures.left, 'more page')} no time was left" if figures.left else ""
    return (
        f"{some} of {held:,} were opened in a browser, in replay and against {against}, in "
        f"{format_duration(figures.seconds)} (the budget: {format_count(figures.budget.pages, 'page')}, "
        f"{format_duration(figures.budget.seconds)}){left}. {_share_words(figures)}"
    )


def _share_words(figures: FidelityFigures) -> str:
    if figures.share is None:
        return "None of the comparisons says anything of replay."
    return (
        f"Of {format_count(figures.judged, 'comparison')} that say something of replay, {figures.sound:,} "
        f"({format_share(figures.share)}) found that it shows the page as it was."
    )


def _render_counts(figures: FidelityFigures) -> object:
    columns = [element("th", "verdict", scope="col"), *(_number_head(str(source)) for source in figures.sources),
               element("th", "what it means", scope="col")]  # fmt: skip
    rows = [
        [
            element("td", str(verdict), class_=_verdict_class(verdict)),
            *(element("td", f"{figures.count(source)[verdict]:,}", class_="number") for source in figures.sources),
            _VERDICT_WORDS[verdict],
        ]
        for verdict in FidelityVerdict
    ]
    return render_table(columns, rows, class_="list", caption="Pages by what comparing them came to")


def _number_head(words: str) -> Markup:
    return element("th", words, scope="col", class_="number")


def _verdict_class(verdict: FidelityVerdict) -> str:
    return f"verdict-{verdict.name.lower()}"


def _render_page_table(pages: Sequence[PageFidelity]) -> Iterator[object]:
    head = ("page", "held against", "verdict", "picture", "text", "why")
    rows = (
        [
            element("td", cell, class_=_CELL_CLASSES.get(name), data_label=name if place > 2 and cell else None)
            for place, (name, cell) in enumerate(zip(head, _page_cells(page, told), strict=True))
        ]
        for page in pages
        for told in page.comparisons
    )
    yield from render_table(head, rows, class_="list cards", caption="Every page that was looked at")


def _page_cells(page: PageFidelity, told: RenderingComparison) -> tuple[object, ...]:
    return (
        _shorten(page.url),
        str(told.reference),
        element("span", str(told.verdict), class_=_verdict_class(told.verdict)),
        "" if told.picture is None else f"{format_share(told.picture.dissimilarity)} different",
        "" if told.text is None else f"{format_share(told.text.resemblance)} shared",
        told.reason,
    )


def _render_difference(page: PageFidelity, told: RenderingComparison) -> Markup:
    """A page whose pictures differ; folded away where that says nothing of replay."""
    title = [_shorten(page.url), ": ", element("span", str(told.verdict), class_=_verdict_class(told.verdict))]
    if told.verdict is FidelityVerdict.DIFFERENT:
        return element("section", element("h3", title), _render_evidence(page, told))
    return element("details", element("summary", title), _render_evidence(page, told))


def _render_evidence(page: PageFidelity, told: RenderingComparison) -> Iterator[object]:
    yield element("p", f"Held against the page {_source_words(told.reference)}. {_sentence(told.reason)}")
    if told.pictures and told.picture is not None:
        yield _render_pictures(page, told)
    yield from _render_list("Parts that replay lacks", told.requests.lacking)
    if told.text is not None and not told.text.is_same:
        yield from _render_list("Text that replay does not show", told.text.missing)
        yield from _render_list("Text that replay alone shows", told.text.added)
    yield from _render_list("Errors on the console in replay alone", told.errors)
    yield from _render_list("Left out, as it lay over the page", told.overlays)


def _render_pictures(page: PageFidelity, told: RenderingComparison) -> Markup:
    first, second = told.pictures
    picture = told.picture
    assert picture is not None
    shown = tuple(
        SliderPicture(name, each.data_url, each.width, each.height)
        for name, each in ((str(told.reference), first), (str(RenderingSource.REPLAY), second))
    )
    # A long page is cut off in the report; what differs below that is in the JSON alone.
    height = first.height * picture.width / first.width
    marks = [
        (left / picture.width, top / height, width / picture.width, min(tall, height - top) / height)
        for left, top, width, tall in picture.regions
        if top < height
    ]
    cut = f" Shown down to {height:,.0f} of {picture.height:,} pixels." if picture.height > height + 1 else ""
    varying = f", {format_count(picture.varying, 'block')} left out that vary" if picture.varying else ""
    caption = (
        f"Dissimilarity {format_share(picture.dissimilarity)} of what is drawn; "
        f"{format_count(picture.different, 'block')} of 8 × 8 pixels differ{varying}.{cut}"
    )
    return render_picture_slider(_shorten(page.url), (shown[0], shown[1]), marks, caption)


def _render_list(title: str, lines: Sequence[str]) -> Iterator[object]:
    if lines:
        listed = element("ul", [element("li", _shorten(each)) for each in lines], class_="list")
        yield element("details", element("summary", f"{title} ({len(lines):,})"), listed)


def _source_words(source: RenderingSource) -> str:
    return "as it was kept at capture" if source is RenderingSource.KEPT else "as it is live"


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}." if reason else ""


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_URL_CHARS else f"{text[:_MAX_URL_CHARS]}…"
