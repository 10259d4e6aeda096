"""Pages chosen together with their parts."""

from itertools import product

from hypothesis import given, settings, strategies as st

from webkeep.coherence.time_travel import TemporalFit
from webkeep.model import Digest, Moment
from webkeep.recover.judging import AvailableVersion, PageCandidate, VersionPreference, VersionTier, choose_composition
from webkeep.recover.judging.embed_history import EmbedHistory
from webkeep.recover.judging.page_composition import ChosenEmbed, PageComposition, build_histories, compose_page

DAY = 86_400_000_000
START = Moment.parse("2009-01-01").micros


def seen(number: int, day: float, content: str = "", tier: VersionTier = VersionTier.WHOLE) -> AvailableVersion:
    digest = Digest.from_chunks("sha1", [content.encode()]) if content else None
    return AvailableVersion(number, tier, START + round(day * DAY), digest=digest)


def at(day: float) -> Moment:
    return Moment(START + round(day * DAY))


def test_the_same_before_and_after_is_coherent_and_the_nearest_of_them_is_taken() -> None:
    history = EmbedHistory([seen(1, 0, "a"), seen(2, 9, "a"), seen(3, 20, "b")], VersionPreference())
    choice = history.version_at(at(7))
    assert (choice.version.number, choice.fit, choice.doubt) == (2, TemporalFit.COHERENT, 0.0)  # type: ignore[union-attr]


def test_between_two_that_differ_the_nearest_is_taken_and_the_doubt_grows_with_the_way() -> None:
    history = EmbedHistory([seen(1, 0, "a"), seen(2, 10, "b")], VersionPreference())
    near, half = history.version_at(at(9)), history.version_at(at(5))
    assert near.version.number == 2  # type: ignore[union-attr]
    assert near.doubt == 0.1
    assert half.doubt == 0.5


def test_what_was_surely_another_is_taken_only_where_nothing_else_is_held() -> None:
    history = EmbedHistory(
        [seen(1, 0, "a"), seen(2, 10, "a"), seen(3, 5.5, "b", VersionTier.CUT_OFF)], VersionPreference()
    )
    assert history.version_at(at(5)).version.number == 1  # type: ignore[union-attr]
    lone = EmbedHistory([seen(1, 10, "b")], VersionPreference())
    assert lone.version_at(at(5)).fit is TemporalFit.PROBABLY_VIOLATIVE
    assert 0 < lone.version_at(at(5)).doubt < 0.1


def test_nothing_held_is_nothing_chosen() -> None:
    assert EmbedHistory([], VersionPreference()).version_at(at(1)).version is None
    undated = AvailableVersion(1, VersionTier.WHOLE, None)
    assert EmbedHistory([undated], VersionPreference()).version_at(at(1)).version is undated


def test_a_page_is_moved_to_where_its_parts_fit_it() -> None:
    """The newest page has a style sheet that was captured only long before, and again changed; the older one fits."""
    pages = [seen(1, 0), seen(2, 50)]
    held = {"style": [seen(10, -1, "old"), seen(11, 1, "old"), seen(12, 100, "new")]}
    best = choose_composition([PageCandidate(each, ["style"]) for each in pages], held, VersionPreference())
    assert best is not None
    assert best.page.number == 1
    assert best.parts[0].fit is TemporalFit.COHERENT
    near = choose_composition([PageCandidate(each, ["style"]) for each in pages], held, VersionPreference(), reach=10)
    assert near is not None
    assert near.page.number == 2


def test_completeness_goes_before_fit_and_fit_before_distance() -> None:
    pages = [PageCandidate(seen(1, 0), ["a", "lost"]), PageCandidate(seen(2, 50), ["a"])]
    held = {"a": [seen(10, 0, "x"), seen(11, 1, "y")]}
    best = choose_composition(pages, held, VersionPreference(at(0)))
    assert best is not None
    assert (best.page.number, best.missing) == (2, 0)


moments = st.integers(0, 60)
contents = st.sampled_from("abc")
parts = st.lists(st.tuples(moments, contents), min_size=1, max_size=4, unique_by=lambda each: each[0])


@settings(max_examples=150, deadline=None)
@given(st.lists(moments, min_size=1, max_size=3, unique=True), st.lists(parts, min_size=1, max_size=3), moments)
def test_no_other_choice_costs_less(days: list[int], held: list[list[tuple[int, str]]], wanted: int) -> None:
    """Against every way to take one version of the page and one of each part."""
    wish = VersionPreference(at(wanted))
    versions = {
        f"part{place}": [seen(100 * (place + 1) + n, day, content) for n, (day, content) in enumerate(each)]
        for place, each in enumerate(held)
    }
    leaves = [PageCandidate(seen(n, day), list(versions)) for n, day in enumerate(days)]
    best = choose_composition(leaves, versions, wish)
    assert best is not None
    least = min(_cost(leaf, pick, versions, wish) for leaf in leaves for pick in product(*versions.values()))
    assert best.cost <= least


def _cost(
    leaf: PageCandidate,
    pick: tuple[AvailableVersion, ...],
    versions: dict[str, list[AvailableVersion]],
    wish: VersionPreference,
) -> tuple[float, ...]:
    """What a choice of one version of each part comes to, each judged by all that are held."""
    moment = Moment(leaf.version.micros or 0)
    made = build_histories(versions, wish)
    chosen = []
    for (url, each), version in zip(versions.items(), pick, strict=True):
        choice = made[url].version_at(moment, {version.number})
        assert each
        chosen.append(ChosenEmbed(url, choice.version, choice.fit, choice.doubt))
    whole = compose_page(leaf, made, wish)
    distance = sum(abs((part.version.micros or 0) - moment.micros) for part in chosen if part.version) / len(chosen)
    own = abs(moment.micros - (wish.at.micros if wish.at else 0)) / DAY
    fits = [part.fit for part in chosen]
    doubt = sum(part.doubt for part in chosen)
    return PageComposition(whole.page, (), 0, fits.count(TemporalFit.VIOLATIVE), doubt, own + distance / DAY).cost
