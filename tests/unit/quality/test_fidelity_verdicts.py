"""What is made of differences between a page elsewhere and in replay."""

from dataclasses import replace

import pytest

from webkeep.change.detection import ChangeCategory, ChangeEvidence, ChangeVerdict, NoiseKind, NoiseModel
from webkeep.model import Moment
from webkeep.quality.fidelity import (
    ChangeSince,
    ComparedRenderings,
    FidelityVerdict,
    PageRendering,
    PictureDifference,
    RenderingSource,
    compare_renderings,
)
from webkeep.quality.fidelity.rendering_comparison import compare_texts

URL, STYLE = "http://site.example/", "http://site.example/style.css"
SHOWN = PageRendering(URL, Moment(10**15), text="The ferry leaves.\nThe tug stays.", requests=frozenset({URL, STYLE}))
SAME = PictureDifference(0.0, 1000, 0, 0, 1280, 960)
OTHER = PictureDifference(0.4, 1000, 400, 0, 1280, 960, ((0, 0, 80, 80),))
UNCHANGED = ChangeSince(ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.DIGEST))
DATED = ChangeSince(ChangeVerdict(ChangeCategory.INSIGNIFICANT, ChangeEvidence.CONTENT, noise=(NoiseKind.DATE,)))
EDITED = ChangeSince(ChangeVerdict(ChangeCategory.MAJOR, ChangeEvidence.CONTENT))
RESTYLED = replace(UNCHANGED, parts=(STYLE,))


def judged(
    change: ChangeSince | None = UNCHANGED,
    picture: PictureDifference | None = OTHER,
    replay: PageRendering = SHOWN,
    reference: PageRendering = SHOWN,
    again: bool = False,
) -> tuple[FidelityVerdict, str]:
    source = RenderingSource.LIVE if change is not None else RenderingSource.KEPT
    given = ComparedRenderings(source, reference, replay, change, NoiseModel(), again)
    told = compare_renderings(given, picture)
    return told.verdict, told.reason


LACKING = replace(SHOWN, failures={STYLE: 404})
BROKEN = replace(SHOWN, errors=("ReferenceError: boats is not defined",))
RESTLESS = replace(SHOWN, is_restless=True)


@pytest.mark.parametrize("change", [UNCHANGED, DATED, EDITED, RESTYLED, None])
def test_what_looks_and_reads_the_same_is_the_same_whatever_changed(change: ChangeSince | None) -> None:
    assert judged(change, SAME) == (FidelityVerdict.SAME, "")


@pytest.mark.parametrize("change", [EDITED, RESTYLED])
@pytest.mark.parametrize("replay", [SHOWN, LACKING, BROKEN])
def test_a_page_that_changed_is_never_told_as_damage(change: ChangeSince, replay: PageRendering) -> None:
    assert judged(change, replay=replay) == (FidelityVerdict.CHANGED, change.describe())


def test_a_difference_that_nothing_explains_speaks_against_replay() -> None:
    assert judged()[0] is FidelityVerdict.DIFFERENT
    assert judged(picture=SAME, replay=replace(SHOWN, text="The ferry leaves."))[0] is FidelityVerdict.DIFFERENT


def test_a_page_that_changed_in_nothing_that_matters_may_differ_for_that() -> None:
    assert judged(DATED)[0] is FidelityVerdict.VARYING
    assert judged(DATED, replay=LACKING) == (
        FidelityVerdict.DIFFERENT,
        "replay lacks 1 part that the page had (style.css)",
    )
    assert judged(DATED, replay=BROKEN)[0] is FidelityVerdict.DIFFERENT


def test_a_part_that_differs_at_every_look_is_not_held_against_replay() -> None:
    restless = replace(UNCHANGED, varying=("http://site.example/tides.json",))
    verdict, reason = judged(restless, again=True)
    assert verdict is FidelityVerdict.VARYING
    assert "tides.json" in reason
    assert judged(restless, replay=LACKING, again=True)[0] is FidelityVerdict.DIFFERENT


def test_what_differs_also_between_two_looks_varies() -> None:
    assert judged(picture=replace(SAME, varying=200), again=True)[0] is FidelityVerdict.VARYING
    assert judged(picture=replace(SAME, varying=2000), again=True)[0] is FidelityVerdict.UNCOMPARED


def test_what_moves_by_itself_is_not_held_against_replay_by_a_kept_picture() -> None:
    assert judged(None, reference=RESTLESS)[0] is FidelityVerdict.VARYING
    assert judged(None)[0] is FidelityVerdict.DIFFERENT
    assert judged(None, reference=RESTLESS, replay=LACKING)[0] is FidelityVerdict.DIFFERENT


def test_what_failed_elsewhere_too_is_nothing_that_replay_lacks() -> None:
    given = ComparedRenderings(RenderingSource.LIVE, LACKING, LACKING, UNCHANGED)
    assert compare_renderings(given, SAME).requests.lacking == ()


def test_errors_are_told_by_their_words_not_their_addresses() -> None:
    one = replace(SHOWN, errors=("TypeError: x at http://site.example/a.js:10:2",))
    other = replace(SHOWN, errors=("TypeError: x at http://2026h-site-example.localhost:80/a.js:11:2", "Uncaught y"))
    given = ComparedRenderings(RenderingSource.LIVE, one, other, UNCHANGED)
    assert compare_renderings(given, SAME).errors == ("Uncaught y",)


def test_pages_that_do_not_load() -> None:
    gone = PageRendering(URL, Moment(0), trouble="the live page answers 404 Not Found")
    assert judged(reference=gone) == (FidelityVerdict.UNCOMPARED, gone.trouble)
    assert judged(replay=replace(gone, trouble="crashed"))[0] is FidelityVerdict.DIFFERENT
    assert judged(picture=None, reference=replace(SHOWN, text=""))[0] is FidelityVerdict.UNCOMPARED


def test_texts_are_compared_without_noise_and_however_long() -> None:
    told = compare_texts("High water\nVisitor number 1,234", "High water\nVisitor number 99", NoiseModel())
    assert (told.is_same, told.noise) == (True, (NoiseKind.COUNTER,))
    told = compare_texts("\n".join(map(str, range(200_000))), "none", NoiseModel())
    assert not told.is_same
    assert len(told.missing) == 20
