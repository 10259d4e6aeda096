"""What a certificate says, in plain words: its headline, and what each verdict (coherent, apex, changed), each caveat
(weak ETag, the server's word) and each witness means.
"""

from __future__ import annotations

from collections.abc import Mapping

from webkeep.coherence.certificates import (
    CertificateSummary,
    CertifiedResource,
    CoherenceVerdict,
    CoherentSet,
    ReferenceBasis,
)
from webkeep.coherence.sightings import Caveat, Sameness, SamenessStrength, SamenessWitness, SeenVersion
from webkeep.formats.status import OK
from webkeep.model import Moment
from webkeep.presentation import format_count, format_instant

VERDICT_WORDS = {
    CoherenceVerdict.COHERENT: ("coherent", "seen at least twice, and the same each time"),
    CoherenceVerdict.APEX: ("apex", "seen once, in the middle of the capture, where it needs no second look"),
    CoherenceVerdict.CHANGED: ("changed", "another version was found at the second visit"),
    CoherenceVerdict.VANISHED: ("vanished", "it was gone at the second visit"),
    CoherenceVerdict.APPEARED: ("appeared", "it was missing at the first visit and there at the second"),
    CoherenceVerdict.ONCE: ("seen once", "it was so at that instant, and nothing more is known"),
    CoherenceVerdict.UNDECIDED: (
        "undecided",
        "it was seen again, and the observations cannot be compared or put in order",
    ),
    CoherenceVerdict.UNANSWERED: ("unanswered", "the server never said what is there"),
}
"""A name for each verdict, and what it means."""

CAVEAT_WORDS = {
    Caveat.REVERT_UNSEEN: "A change that was taken back before the second look would not have shown: nothing but "
    "equal content (or an equal weak tag) speaks for the time between.",
    Caveat.SERVERS_WORD: "The server said that nothing was modified; no second body came that could be compared.",
    Caveat.WEAK_ETAG: "The server's tag is a weak one, which promises the same meaning and not the same bytes.",
    Caveat.ETAG_UNSTEADY: "The server's tag was another one though the content was the same, so that tags say nothing "
    "here; the content was compared.",
    Caveat.ETAG_LIES: "The server gave the same strong tag to different content; its tags cannot be trusted.",
    Caveat.DATE_FUTURE: "The server names a date of last change that lay in the future; it was not believed.",
    Caveat.DATE_LIES: "The date of last change stayed the same though the content changed; it cannot be trusted.",
    Caveat.DATE_MOVED: "The date of last change moved though the content was the same: it is made up for every "
    "response, or something was changed and changed back.",
    Caveat.DATE_FRESH: "The last change was less than a minute before the visit. Dates count seconds and clocks "
    "differ, so a further change in that minute would bear the same date.",
    Caveat.CUT_OFF: "A body did not come whole, so that its digest is of a part.",
    Caveat.UNANSWERED: "At least once the server was in trouble or asked for patience; that look says nothing.",
    Caveat.CLOCK: "A second visit is dated before the first: the clock was set back in between. When anything was seen "
    "cannot be said, and nothing is certified of the resources together.",
}
"""What each caveat means."""

WITNESS_WORDS = {
    SamenessWitness.PAYLOAD: "every byte compared by digest",
    SamenessWitness.CONTENT: "content compared by digest, packed otherwise",
    SamenessWitness.ANSWER: "the same response without content",
    SamenessWitness.SERVER: "by the server's word",
}

STRENGTH_WORDS = {
    SamenessStrength.STRONG_ETAG: "equal strong tag",
    SamenessStrength.LAST_MODIFIED: "equal date of last change",
    SamenessStrength.WEAK_ETAG: "equal weak tag only",
    SamenessStrength.NONE: "no validator",
}

_CHANGE_WORDS = {
    Sameness.CHANGED: "another version at",
    Sameness.VANISHED: "gone at",
    Sameness.APPEARED: "there at",
    Sameness.UNKNOWN: "cannot be compared with",
}


_SECOND_MICROS = 1_000_000
_WHOLE_SECONDS_FROM = 3.0
"""Seconds from which on nobody asks for the fractions of one."""


def headline(summary: CertificateSummary) -> str:
    """The one sentence that a certificate comes to."""
    if Caveat.CLOCK in summary.caveats:
        return "The clock ran backwards during this capture; nothing is certified of its resources together."
    if summary.coherent_set is None:
        return "This capture holds nothing that could be certified."
    if not summary.is_revisited:
        return (
            f"{_count_resources(summary.all.resources)} seen, none of them twice: each was as it is held at the "
            f"instant of "
            "its visit, and nothing is certified of them together."
        )
    coherent_set, lasting = summary.coherent_set, summary.lasting_coherent_set
    words = (
        f"{coherent_set.resources:,} of {_count_resources(summary.all.resources)} stood on the site together, as they "
        f"are held here"
    )
    proof = _proof_words(summary)
    if lasting is None or lasting == coherent_set or coherent_set.start != coherent_set.end:
        return f"{words}, {_coherent_set_words(coherent_set)}.{proof}"
    twice = f"{lasting.resources:,} of those seen twice did so {_coherent_set_words(lasting)}."
    return f"{words}, {_coherent_set_words(coherent_set)}. {twice}{proof}"


def _proof_words(summary: CertificateSummary) -> str:
    """What rests on somebody's word, and what holds within parts of the site rather than for all of it."""
    word = summary.caveats.get(Caveat.SERVERS_WORD, 0)
    told = f" For {_count_resources(word)} the proof is the server's word that nothing was modified." if word else ""
    if summary.basis is not ReferenceBasis.PARTS:
        return told
    return f" The parts were made coherent one by one: {summary.all.coherent_count:,} are coherent within theirs.{told}"


def describe_verification(verified: Mapping[str, int] | None) -> str:
    """Whether the bytes of all records were held against the digests that the records state."""
    if verified is None:
        return "not verified: digests are as the records state them, and were not held against the bytes"
    records, findings = verified["records"], verified["findings"]
    told = format_count(records, "record")
    if not findings:
        return f"verified: the bytes of all {told} of the archive agree with their digests"
    flaws = format_count(findings, "finding")
    return f"verified, with {flaws}: not all of {told} of the archive are as they were stored"


def describe_reference(summary: CertificateSummary) -> str:
    """The reference moment, and where it is known from."""
    if summary.reference is None:
        return "each part of the site has its own" if summary.basis is ReferenceBasis.PARTS else "none"
    known = "the capture aimed at it" if summary.basis is ReferenceBasis.PLAN else "most observations hold it"
    return f"{format_instant(summary.reference)} UTC ({known})"


def describe_dating(summary: CertificateSummary) -> str:
    """What follows if dates of last change are believed, where that is more than what was seen."""
    seen, dated = summary.coherent_set, summary.dated_coherent_set
    if seen is None or dated is None or dated.resources <= seen.resources:
        return ""
    return (
        f"{dated.resources:,} of {summary.all.resources:,} resources stood together at "
        f"{format_instant(dated.start)} UTC, if "
        "dates of last change are believed"
    )


def describe_weights(summary: CertificateSummary) -> str:
    """What comes out if resources count by how much they matter, where a person said so."""
    weighted = summary.all.weighted
    if weighted is None:
        return ""
    words = [f"{weighted.coherent:g} of {weighted.judged:g} judged is coherent"]
    if weighted.expected_coherent is not None:
        words.append(f"{weighted.expected_coherent:g} of {weighted.rated:g} with a known rate was to be expected")
    if weighted.expected_blur is not None:
        words.append(f"the blur is {weighted.expected_blur:.3g}")
    return f"by the weights that were given, {', '.join(words)}"


def verdict_reason(resource: CertifiedResource) -> str:
    """Why a resource got its verdict."""
    match resource.verdict:
        case CoherenceVerdict.COHERENT:
            return _sameness_words(resource.versions[0])
        case CoherenceVerdict.CHANGED | CoherenceVerdict.VANISHED | CoherenceVerdict.APPEARED:
            return "; ".join(
                _change_words(*pair) for pair in zip(resource.versions, resource.versions[1:], strict=False)
            )
        case _:
            return VERDICT_WORDS[resource.verdict][1]


def _coherent_set_words(coherent_set: CoherentSet) -> str:
    """For which time a coherent_set holds; in whole seconds, none of them too many, where it is some seconds long."""
    start, end = coherent_set.start, coherent_set.end
    if end.seconds_since(start) >= _WHOLE_SECONDS_FROM:
        start, end = (
            Moment(-(-start.micros // _SECOND_MICROS) * _SECOND_MICROS),
            Moment(end.micros // _SECOND_MICROS * _SECOND_MICROS),
        )
    first, last = format_instant(start), format_instant(end)
    if first == last:
        return f"at {first} UTC"
    day = len("2026-01-01 ")
    return f"from {first} to {last[day:] if first[:day] == last[:day] else last} UTC"


def _sameness_words(version: SeenVersion) -> str:
    witness = WITNESS_WORDS[version.witness] if version.witness else ""
    strength = STRENGTH_WORDS[version.strength] if version.strength else ""
    return f"the same at {version.observations} observations: {witness}; {strength}"


def _change_words(version: SeenVersion, following: SeenVersion) -> str:
    if version.ending is None:
        return ""
    status = "" if following.status in (None, OK) else f" (status {following.status})"
    return f"{_CHANGE_WORDS.get(version.ending, '')} {format_instant(following.first)}{status}"


def _count_resources(number: int) -> str:
    return format_count(number, "resource")
