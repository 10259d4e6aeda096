"""The cover sheet of a package: one page in plain words that a judge can read: what, when, how, by whom, what is
proven, what is not, and how anybody checks it without trusting us; how much of each fits on the sheet.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence

from webkeep.evidence.package.evidence_facts import (
    EvidenceFacts,
    VantageEvidence,
    describe_server_survey,
    describe_span,
)
from webkeep.evidence.package.page_condition import PageCondition
from webkeep.evidence.package.page_exhibit import PageExhibit
from webkeep.evidence.package.readme_text import STAMP_CHECK, render_signature_check
from webkeep.fetch.client import OriginSurvey
from webkeep.presentation import format_count, format_instant, format_size
from webkeep.presentation.pages import Markup, element, join_markup, render_facts, render_page

_MAX_SEEDS, _MAX_EXHIBITS, _MAX_SHORTCOMINGS, _MAX_ORIGINS = 3, 4, 6, 3
"""What is named of each on one sheet of paper; all of it is in evidence.json."""
_MAX_LINE_CHARS = 300
"""Longer addresses and reasons are cut on paper."""
_MAX_PICTURE_BYTES = 3 << 20
"""A larger picture is left to its own file."""
_POLICY = Markup(
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
)
_LIMITS_TEXT = (
    "That what is recorded here is what the servers sent is the word of whoever made this package: connections leave "
    "nothing behind that others could check. It is not proven that what the page says is true, that others were shown "
    "the same from elsewhere or at other times, or that the person named as operator is that person. A change that was "
    "undone between two looks would not have been seen. Moments are those of this machine's clock."
)


def render_cover_sheet(facts: EvidenceFacts, picture: bytes) -> bytes:
    """The sheet as a page of its own, which loads nothing; with a picture of the first page, where there is one."""
    shortcomings = _limit(list(map(_shorten, facts.find_shortcomings())), _MAX_SHORTCOMINGS)
    unproven = [*shortcomings, *map(_shorten, facts.find_reservations())]
    return render_page(
        "Evidence of a web page",
        element(
            "header", element("div", element("h1", "Evidence of a web page"), _render_seeds(facts)), _image(picture)
        ),
        element("p", _verdict(facts), class_="verdict" if facts.is_proven else "verdict short"),
        render_facts(_list_facts(facts)),
        element("h2", "What is proven"),
        element("ul", [element("li", each) for each in _list_proven(facts)]),
        element("h2", "What is not proven"),
        element("ul", [element("li", each) for each in unproven]) if unproven else None,
        element("p", _LIMITS_TEXT),
        element("h2", "How to check it without trusting us"),
        element("ol", [element("li", each) for each in _list_checks(facts)]),
        element(
            "footer", f"Package {facts.identifier}. All of this, and more, is in evidence.json within evidence.wacz."
        ),
        head=_POLICY,
        style=("cover",),
    )


def _render_seeds(facts: EvidenceFacts) -> Markup:
    return join_markup(element("p", _shorten(each)) for each in _limit(facts.plan.seeds, _MAX_SEEDS))


def _image(picture: bytes) -> Markup | None:
    if not picture or len(picture) > _MAX_PICTURE_BYTES:
        return None
    return element(
        "img", src=f"data:image/png;base64,{base64.b64encode(picture).decode()}", alt="The page in its window"
    )


def _verdict(facts: EvidenceFacts) -> str:
    """What the package comes to, in a sentence."""
    if not facts.shows_pages:
        shown = facts.exhibits[0].remark if facts.exhibits else "nothing that came is a page that a browser shows"
        return _shorten(f"This package shows no page, and proves none: {shown}.")
    proof, place = facts.vantages[0].proof, _name_first(facts)
    if facts.is_proven:
        together = " together" if proof.parts > 1 else ""
        return f"{_count_parts(facts)}{place} stood on the web{together}, as kept here, {describe_span(proof)}."
    if not proof.proven:
        return "This is what was sent and shown at the moments named below; nothing is proven of its parts together."
    told = f"{proof.proven:,} of {proof.parts:,} parts{place} stood on the web together {describe_span(proof)}"
    flaws = "; and ".join(_list_picture_flaws(facts))
    if not flaws:
        return f"{told}; not all is proven."
    return f"{told}; but {flaws}." if proof.is_whole else f"{told}; not all is proven, and {flaws}."


def _list_picture_flaws(facts: EvidenceFacts) -> Iterator[str]:
    """Why the pictures of the first vantage point do not show the whole page: what a judge has to know first."""
    if not facts.is_at_rest:
        yield "what is shown never came to rest: more followed, or might have"
    shown = [each for each in facts.exhibits if each.vantage == facts.vantages[0].vantage.name]
    troubles = [(each.name, trouble) for each in shown for trouble in each.troubles]
    for name, trouble in troubles[:1]:
        yield _shorten(trouble if len(shown) == 1 else f"of {name}, {trouble}")


def _name_first(facts: EvidenceFacts) -> str:
    """Which vantage point is spoken of, where there are several: each is proven for itself."""
    return f", seen from {facts.vantages[0].vantage.name}," if len(facts.vantages) > 1 else ""


def _count_parts(facts: EvidenceFacts) -> str:
    first = facts.vantages[0]
    pages = sum(each.vantage == first.vantage.name for each in facts.exhibits)
    kind = "file" if facts.shows_files_alone else "page"
    whole = f"the {kind}" if pages == 1 else format_count(pages, kind)
    return whole.capitalize() if first.proof.parts == 1 else f"All {first.proof.parts:,} parts of {whole}"


def _list_facts(facts: EvidenceFacts) -> Iterator[tuple[str, object]]:
    plan, offset, is_named = facts.plan, facts.survey.clock_offset, len(facts.vantages) > 1
    yield (
        "What",
        [element("div", _describe_exhibit(each, is_named)) for each in facts.exhibits[:_MAX_EXHIBITS]]
        + (
            [element("div", f"and {len(facts.exhibits) - _MAX_EXHIBITS:,} pages more")]
            if len(facts.exhibits) > _MAX_EXHIBITS
            else []
        ),
    )
    yield (
        "When",
        f"{format_instant(facts.began)} to {format_instant(facts.ended)} UTC"
        + (f"; {offset.describe()}" if offset is not None else "; no server told its own time"),
    )
    yield "How", _describe_ways(facts)
    yield "By whom", f"{_shorten(plan.operator)} (as they say)" if plan.operator else "nobody is named"
    yield "For", _shorten(plan.about)
    yield "By what", facts.machine.describe()
    servers = "; ".join(_limit([_describe_origin(facts, each) for each in facts.origins], _MAX_ORIGINS))
    yield "Servers", f"{servers}. {describe_server_survey(facts)}" if servers else ""
    yield "Left out", _describe_redaction(facts)
    yield "Signed", _shorten(facts.seal.signer) or "by nobody: whoever holds this package could have changed it"
    yield "Dated", _describe_stamps(facts.seal.authorities)


def _describe_exhibit(each: PageExhibit, is_named: bool) -> str:
    """A page, and from which vantage point it was seen where there are several."""
    place = f", {each.vantage}" if is_named else ""
    title = f" “{each.note.title}”" if each.note.title else ""
    led_to = each.file.url if each.file is not None else each.note.url
    where = f", which led to {led_to}" if led_to not in ("", each.page) else ""
    at = f"{format_instant(each.moment)} UTC{place}"
    if each.file is not None and each.condition is PageCondition.FILE:
        kind = f"{each.file.type or 'no type told'}, {format_size(each.file.bytes)}"
        named = f"{each.file.name}, SHA-256 {each.file.sha256}"
        return (
            f"{_shorten(f'{each.name}: {each.page}{where}')}, a file ({kind}), as it was sent: {named}; asked for {at}"
        )
    shown = "" if each.condition is PageCondition.SHOWN else f" ({each.condition.value})"
    return _shorten(f"{each.name}: {each.page}{where}{title}{shown}, shown {at}")


def _describe_ways(facts: EvidenceFacts) -> str:
    rounds = sum(len(each.rounds) for each in facts.vantages)
    named = [f"{each.name} ({each.description})" if each.description else each.name for each in facts.plan.vantages]
    places = _shorten(f" from {len(named)} vantage points: {', '.join(named)}") if len(named) > 1 else ""
    pages = "The page was" if len(facts.exhibits) <= 1 else "Pages were"
    rest = "left until at rest" if facts.is_at_rest else "waited for, but did not come to rest"
    way = f"{pages} loaded in a browser, scrolled through and {rest}"
    pictures = " Pictures and PDF show what the recorded bytes gave."
    if facts.shows_files_alone:
        way, pictures = "What was asked for is a file, which browsers keep rather than show", ""
    return (
        f"{way}; every byte that passed was recorded{places}. What came was asked for a second time and compared byte "
        f"by byte ({format_count(rounds, 'capture')}, {format_count(facts.survey.exchange_count, 'answer')}).{pictures}"
    )


def _describe_origin(facts: EvidenceFacts, seen: OriginSurvey) -> str:
    origin = seen.origin
    addresses = {each.address for each in facts.survey.exchanges.values() if each.origin == origin and each.address}
    at = f" at {', '.join(sorted(addresses)[:2])}" if addresses else ""
    if not seen.is_encrypted:
        return f"{origin}{at} (not encrypted: whoever was on the way could have changed what came)"
    if seen.is_trusted is None:
        return f"{origin}{at} (encrypted; its certificate is not known: {seen.trouble})"
    if not seen.is_trusted:
        return f"{origin}{at} (its certificate is not trusted: {seen.trouble})"
    own = f", certificate of {seen.chain[0].subject}, by {seen.chain[0].issuer}, valid then" if seen.chain else ""
    return f"{origin}{at} (encrypted{own})"


def _describe_redaction(facts: EvidenceFacts) -> str:
    if not facts.plan.vantages[0].plan.redacts:
        return "nothing: secrets were to be kept"
    count = sum(facts.survey.redacted.values())
    if not count:
        return "nothing had to be"
    kinds = sorted({each.kind for each in facts.survey.redacted})
    return f"{format_count(count, 'secret value')} ({', '.join(kinds[:4])}); each place is listed in evidence.json"


def _describe_stamps(authorities: Sequence[str]) -> str:
    if not authorities:
        return (
            "by no authority: that it existed at that time rests on this machine's clock alone "
            "(stamps that came later lie in the folder stamps)"
        )
    named = _shorten(", ".join(authorities))
    return f"time stamps were asked for from {named}; those that came are in the folder stamps"


def _list_proven(facts: EvidenceFacts) -> Iterator[str]:
    yield from (_describe_proof(each, len(facts.vantages) > 1) for each in facts.vantages)
    for each in facts.records[:2]:
        yield f"The records have not been changed if the SHA-256 of {each.path} is {each.sha256}."
    if facts.seal.log:
        yield facts.seal.log


def _describe_proof(each: VantageEvidence, is_named: bool) -> str:
    proof, place = each.proof, f"{each.vantage.name}: " if is_named else ""
    if not proof.proven:
        return f"{place}Each answer is kept as it came at its moment; nothing is proven of the parts together."
    return (
        f"{place}{proof.proven:,} of {proof.parts:,} parts (page, pictures, styles, scripts) were the same at a first "
        f"and a later look, and all of them were there {describe_span(proof)}."
    )


def _list_checks(facts: EvidenceFacts) -> Iterator[object]:
    is_dated = bool(facts.seal.authorities)
    yield element("code", "sha256sum -c SHA256SUMS"), " in this folder: no file was changed since the list was made."
    told = (
        "with --verify-auth its signature too, where that program knows the authority of the time stamp."
        if is_dated and facts.seal.is_named
        else "README.txt has the words by which openssl checks its signature."
        if render_signature_check(facts.seal)
        else "https://replayweb.page/ says whether its signature holds."
    )
    yield (
        element("code", "wacz validate -f evidence.wacz"),
        f" (pip install 'wacz[signing]'): everything is as it is listed; {told}",
    )
    if is_dated:
        yield (
            element("code", STAMP_CHECK),
            ": it existed when the authority says. CHAIN.pem: its certificates, had from the authority itself.",
        )
    trust = " --tsa-ca CHAIN.pem" if is_dated else ""
    yield element("code", f"webkeep verify evidence.wacz{trust}"), " says all of this at once. README.txt has more."


def _limit(lines: Sequence[str], most: int) -> list[str]:
    """Some lines, and how many more there are."""
    return [*lines[:most], *([f"and {len(lines) - most:,} more, in evidence.json"] if len(lines) > most else [])]


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_LINE_CHARS else f"{text[: _MAX_LINE_CHARS - 1]}…"
