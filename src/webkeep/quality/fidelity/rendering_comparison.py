"""What differs between a page as it was shown elsewhere and in replay, and what that means: the same, varying by
itself, changed since the capture, or different in replay.

Theory of operation. A difference speaks against replay only where nothing else explains it. A page that its author
changed since differs for that reason, so the archived document and its parts are compared with the live ones first, by
the verdicts of change detection. What differs between two looks at the same page varies by itself, and is left out of
pictures and texts. What is left is told as different in replay, with the parts that replay lacks and what its console
says as the likely reason.
"""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from webkeep.change.detection import ChangeCategory, ChangeVerdict, NoiseKind, NoiseModel, compare_blocks
from webkeep.document import PageBlock, read_text_blocks
from webkeep.presentation import format_count
from webkeep.quality.fidelity.page_rendering import PageRendering, RenderingSource
from webkeep.quality.fidelity.picture_comparison import PictureDifference, ReportPicture

_MAX_LINES_TOLD = 20
"""Lines of text of a page that are told as missing or added."""
_MAX_LISTED_PARTS = 50
"""Parts of a page, and errors on its console, that are told one by one."""
_MAX_LINE_CHARS, _MAX_NAME_CHARS = 300, 80
"""Of a line, and of the name of a part, as they are told."""
_ADDRESS = re.compile(r"\bhttps?://\S+")
_DIGITS = re.compile(r"\d+")


class FidelityVerdict(enum.StrEnum):
    """What a comparison of a page elsewhere and in replay comes to."""

    SAME = "the same"
    VARYING = "the same but for what varies"
    """It differs in what varies by itself, or in nothing that matters."""
    CHANGED = "changed since"
    """The live page is another one by now; nothing follows for replay."""
    DIFFERENT = "different in replay"
    UNCOMPARED = "not compared"


@dataclass(frozen=True, slots=True)
class TextDifference:
    """How two visible texts of a page compare."""

    category: ChangeCategory
    resemblance: float
    """What they share of what either has."""
    noise: tuple[NoiseKind, ...] = ()
    missing: tuple[str, ...] = ()
    """Lines that replay does not show."""
    added: tuple[str, ...] = ()
    """Lines that it alone shows."""

    @property
    def is_same(self) -> bool:
        """Whether they say the same in all that matters."""
        return not self.category.is_significant


@dataclass(frozen=True, slots=True)
class RequestDifference:
    """How the requests of a page compare."""

    shared: int = 0
    """Resources that were asked for in both."""
    reference_only: int = 0
    replay_only: int = 0
    lacking: tuple[str, ...] = ()
    """What the page got elsewhere, and asked for in vain in replay."""


@dataclass(frozen=True, slots=True)
class ChangeSince:
    """What became of a live page since it was captured."""

    document: ChangeVerdict
    parts: tuple[str, ...] = ()
    """Parts of it that are others by now."""
    varying: tuple[str, ...] = ()
    """Parts of it that are others at every look."""

    @property
    def is_significant(self) -> bool:
        """Whether it is another page by now."""
        return self.document.category.is_significant or bool(self.parts)

    @property
    def is_none(self) -> bool:
        """Whether all of it is as it was."""
        return self.document.category is ChangeCategory.UNCHANGED and not self.parts and not self.varying

    def describe(self) -> str:
        """What changed, in a few words."""
        told = [] if self.document.category is ChangeCategory.UNCHANGED else [self.document.describe()]
        for parts, words in ((self.parts, "of it changed"), (self.varying, "of it differs at every look")):
            if parts:
                told.append(f"{format_count(len(parts), 'part')} {words} ({_name_some(parts)})")
        return "; ".join(told) or "unchanged"


@dataclass(frozen=True, slots=True)
class ComparedRenderings:
    """A page in replay and elsewhere, and what is known of how it varies."""

    source: RenderingSource
    reference: PageRendering
    replay: PageRendering
    change: ChangeSince | None = None
    """Of the live page; None where nothing can have changed."""
    noise: NoiseModel = field(default_factory=NoiseModel)
    is_second_look: bool = False
    """Whether each was looked at twice, and what varies is left out."""


@dataclass(frozen=True, slots=True)
class RenderingComparison:
    """What a page in replay came to, held against the same page elsewhere."""

    reference: RenderingSource
    verdict: FidelityVerdict
    reason: str
    """Why that is the verdict, in words; "" where there is nothing to add."""
    picture: PictureDifference | None = None
    """None where there were no two pictures to compare."""
    text: TextDifference | None = None
    errors: tuple[str, ...] = ()
    """What the console said in replay alone."""
    requests: RequestDifference = RequestDifference()
    change: str = ""
    """What became of the live page since, in words."""
    overlays: tuple[str, ...] = ()
    """What lay over the page, and was left out."""
    pictures: tuple[ReportPicture, ...] = ()
    """The page elsewhere, and in replay."""


def compare_renderings(
    given: ComparedRenderings, picture: PictureDifference | None, pictures: tuple[ReportPicture, ...] = ()
) -> RenderingComparison:
    """What differs, and what that means."""
    reference, replay = given.reference, given.replay
    if reference.trouble:
        return RenderingComparison(given.source, FidelityVerdict.UNCOMPARED, reference.trouble)
    if replay.trouble:
        reason = f"it does not load in replay: {replay.trouble}"
        return RenderingComparison(given.source, FidelityVerdict.DIFFERENT, reason)
    text = compare_texts(reference.text, replay.text, given.noise)
    requests = _compare_requests(reference, replay)
    errors = _find_new_errors(reference.errors, replay.errors)
    evidence = _Evidence(given, picture, text, requests.lacking, errors)
    verdict, reason = evidence.judge()
    overlays = tuple(dict.fromkeys((*reference.overlays, *replay.overlays)))
    change = "" if given.change is None else given.change.describe()
    return RenderingComparison(
        given.source, verdict, reason, picture, text, errors, requests, change, overlays, pictures
    )


@dataclass(frozen=True, slots=True)
class _Evidence:
    given: ComparedRenderings
    picture: PictureDifference | None
    text: TextDifference
    lacking: Sequence[str]
    errors: Sequence[str]

    def judge(self) -> tuple[FidelityVerdict, str]:
        """The verdict, and why."""
        given, picture = self.given, self.picture
        is_same_picture = picture is None or picture.is_same
        if picture is None and not self.text.resemblance:
            return FidelityVerdict.UNCOMPARED, "there are no two pictures and no text to compare"
        if picture is not None and picture.is_mostly_varying:
            return (
                FidelityVerdict.UNCOMPARED,
                "too much of it varies between two looks (animation, chance, a change meanwhile) to be compared",
            )
        if is_same_picture and self.text.is_same:
            return self._judge_same()
        if given.change is not None and given.change.is_significant:
            return FidelityVerdict.CHANGED, given.change.describe()
        if not (self.lacking or self.errors) and self._varies:
            return FidelityVerdict.VARYING, self._variation_words()
        return FidelityVerdict.DIFFERENT, self._difference_words()

    def _judge_same(self) -> tuple[FidelityVerdict, str]:
        lacks = ""
        if self.lacking:
            lacks = f"; replay lacks {_count_parts(self.lacking)}, and looks and reads the same"
        if self.given.is_second_look:
            return FidelityVerdict.VARYING, f"what differs also differs between two looks at the same page{lacks}"
        return FidelityVerdict.SAME, lacks.removeprefix("; ")

    @property
    def _varies(self) -> bool:
        """Whether what differs may be what the page does by itself."""
        change = self.given.change
        if change is not None:
            return not change.is_none
        return self.given.reference.is_restless or self.given.replay.is_restless

    def _variation_words(self) -> str:
        change = self.given.change
        if change is not None:
            return f"the live page itself varies, or changed in nothing that matters ({change.describe()})"
        return "something on the page moves by itself, and what differs cannot be told from that"

    def _difference_words(self) -> str:
        told = []
        if self.lacking:
            told.append(f"replay lacks {_count_parts(self.lacking)}")
        if self.errors:
            told.append(f"its console says {format_count(len(self.errors), 'error')} in replay alone")
        return "; ".join(told) or "it looks or reads differently, though nothing is missing and nothing changed"


def _count_parts(parts: Sequence[str]) -> str:
    return f"{format_count(len(parts), 'part')} that the page had ({_name_some(parts)})"


def _name_some(urls: Sequence[str]) -> str:
    """The first of some addresses, by the end of it."""
    name = urls[0].partition("?")[0].rstrip("/").rpartition("/")[2][:_MAX_NAME_CHARS] or urls[0][:_MAX_NAME_CHARS]
    return name if len(urls) == 1 else f"{name} and {len(urls) - 1:,} more"


def compare_texts(reference: str, replay: str, noise: NoiseModel) -> TextDifference:
    """How two visible texts compare, noise left out."""
    one, other = _text_blocks(reference), _text_blocks(replay)
    if one == other:
        return TextDifference(ChangeCategory.UNCHANGED, 1.0)
    verdict = compare_blocks(one, other, noise)
    had, has = Counter(each.value for each in one), Counter(each.value for each in other)
    resemblance = 1.0 if verdict.resemblance is None else verdict.resemblance
    return TextDifference(
        verdict.category, resemblance, verdict.noise, _first_lines(had - has), _first_lines(has - had)
    )  # fmt: skip


def _text_blocks(text: str) -> list[PageBlock]:
    """The lines of a text; of one that is too long its beginning."""
    blocks = read_text_blocks(text)
    return blocks if blocks is not None else read_text_blocks("\n".join(text.splitlines()[:5000])) or []


def _first_lines(lines: Counter[str]) -> tuple[str, ...]:
    return tuple(line[:_MAX_LINE_CHARS] for line in list(lines.elements())[:_MAX_LINES_TOLD])


def _compare_requests(reference: PageRendering, replay: PageRendering) -> RequestDifference:
    shared = reference.requests & replay.requests
    lacking = sorted(url for url in replay.failures if url in reference.requests and url not in reference.failures)
    return RequestDifference(
        len(shared),
        len(reference.requests - replay.requests),
        len(replay.requests - reference.requests),
        tuple(lacking[:_MAX_LISTED_PARTS]),
    )


def _find_new_errors(reference: Iterable[str], replay: Iterable[str]) -> tuple[str, ...]:
    """What a console says in replay alone; addresses and numbers differ in any case."""
    known = {_error_key(each) for each in reference}
    found = {key: each for each in replay if (key := _error_key(each)) not in known}
    return tuple(found.values())[:_MAX_LISTED_PARTS]


def _error_key(text: str) -> str:
    return _DIGITS.sub("0", _ADDRESS.sub("", text))
