"""Laws of blur and coherence: what holds for every site, against brute force where sites are small."""

from itertools import pairwise, permutations
from math import exp

import pytest
import xxhash
from hypothesis import example, given, settings, strategies as st

from webkeep.change.detection import jaccard_similarity
from webkeep.change.detection.minhash import hash_functions, minhash_signature, signature_similarity
from webkeep.change.prediction.rate_predictor import build_equal_bins
from webkeep.change.rates import frequency_rate
from webkeep.change.rates.rate_estimators import (
    Poll,
    bias_corrected_rate,
    estimate_rate,
    irregular_likelihood_rate,
    maximum_likelihood_rate,
)
from webkeep.coherence.schedules import (
    TimeInterval,
    VisitSchedule,
    actual_blur,
    capture_interval,
    choose_hopeless,
    expected_incoherence,
    fifo_schedule,
    incoherent_pages,
    intervals_schedule,
    joined_revisit_slots,
    lifo_schedule,
    outside_in_schedule,
    rate_from_probability,
    revisit_penalty,
    separate_revisit_slots,
    single_visit_slots,
    threshold_schedule,
)
from webkeep.coherence.schedules.blur import blur_bounds, expected_blur, expected_page_blur
from webkeep.coherence.schedules.expected_coherence import expected_coherence, probability_from_rate
from webkeep.coherence.schedules.interval_schedule import shrink_schedule
from webkeep.coherence.strategies import STRATEGIES, FixedSizeEstimate, LearnedSizeEstimate, simulate_visits
from webkeep.coherence.strategies.rate_queue import RateQueue
from webkeep.coherence.strategies.visit_orders import OrganPipeOrder
from webkeep.coherence.time_travel import MomentMapping
from webkeep.coherence.time_travel.capture_mapping import capture_index_at, capture_intervals
from webkeep.lab.coherence.schedulers import (
    best_start,
    best_times,
    exact_selective_schedule,
    greedy_revisits_schedule,
    inducible_schedule,
    offline_schedule,
    revisits_schedule,
    selective_schedule,
)
from webkeep.lab.prediction.forest import CongruentialRandom
from webkeep.model import ChangeFrequency

RATE = st.sampled_from([0.0, 0.01, 0.1, 0.5, 2.0]) | st.floats(0, 5, allow_subnormal=False)
RATES = st.lists(RATE, min_size=1, max_size=40)
FEW = st.lists(RATE, min_size=1, max_size=6)
DELAY = st.sampled_from([0.5, 1.0, 3.0])
TREE = st.integers(1, 30).flatmap(lambda pages: st.tuples(*(st.integers(0, max(page - 1, 0)) for page in range(pages))))


def hot_to_cold(rates: list[float]) -> list[int]:
    return sorted(range(len(rates)), key=lambda page: -rates[page])


@settings(max_examples=40)
@given(FEW, DELAY)
def test_offline_blur_is_the_least_of_all_orders(rates: list[float], delay: float) -> None:
    best = min(
        expected_blur(rates, VisitSchedule(single_visit_slots(len(rates), delay), order))
        for order in permutations(range(len(rates)))
    )
    assert expected_blur(rates, offline_schedule(rates, delay)) == pytest.approx(best, abs=1e-9)


@given(RATES, DELAY, st.randoms())
def test_blur_is_bounded_linear_in_the_delay_and_the_same_in_the_mirror(
    rates: list[float], delay: float, chance
) -> None:  # type: ignore[no-untyped-def]
    order = list(range(len(rates)))
    chance.shuffle(order)
    schedule = VisitSchedule(single_visit_slots(len(rates), delay), tuple(order))
    value, bounds = expected_blur(rates, schedule), blur_bounds(rates, schedule.geometry.duration)
    assert bounds.start - 1e-9 <= value <= bounds.end + 1e-9
    assert value == pytest.approx(
        delay * expected_blur(rates, VisitSchedule(single_visit_slots(len(rates)), tuple(order)))
    )
    assert value == pytest.approx(
        expected_blur(rates, VisitSchedule(single_visit_slots(len(rates), delay), tuple(order[::-1])))
    )


@given(RATES)
def test_the_best_of_even_slots_are_those_of_offline(rates: list[float]) -> None:
    schedule = offline_schedule(rates)
    seen = capture_interval(schedule)
    times = best_times(rates, [float(slot) for slot in range(len(rates))], seen)
    by_times = sum(expected_page_blur(rate, time, time, seen) for rate, time in zip(rates, times, strict=True))
    assert by_times == pytest.approx(expected_blur(rates, schedule), abs=1e-9)


@given(RATES, st.floats(0, 50))
def test_the_centre_of_gravity_never_starts_worse_than_the_middle(rates: list[float], room: float) -> None:
    schedule = offline_schedule(rates)
    seen = TimeInterval(0, schedule.geometry.duration + room)

    def started(start: float) -> float:
        times = [start + time for time, _ in schedule.times()]
        return sum(expected_page_blur(rate, time, time, seen) for rate, time in zip(rates, times, strict=True))

    assert started(best_start(rates, schedule, seen)) <= started(room / 2) + 1e-9


@given(st.lists(RATE, min_size=1, max_size=80, unique=True))
def test_with_all_pages_known_online_is_offline(rates: list[float]) -> None:
    visits = simulate_visits(
        OrganPipeOrder(FixedSizeEstimate(len(rates))), range(len(rates)), rates.__getitem__, lambda _: ()
    )
    assert tuple(visits) == offline_schedule(rates).visits


@given(TREE, st.sampled_from(sorted(STRATEGIES)), st.integers(0, 60) | st.none(), st.data())
def test_every_order_visits_every_page_once_after_its_parent(
    parents: tuple[int, ...], name: str, guess: int | None, data: st.DataObject
) -> None:
    pages = len(parents)
    rates = data.draw(st.lists(RATE, min_size=pages, max_size=pages))
    links = [[child for child in range(1, pages) if parents[child] == page] for page in range(pages)]
    sizes = [LearnedSizeEstimate(guess)] if guess is None else [LearnedSizeEstimate(guess), FixedSizeEstimate(guess)]
    for size in sizes:
        strategy = STRATEGIES[name]
        order = strategy.start_order(size, 1.0)
        visits = simulate_visits(order, [0], rates.__getitem__, links.__getitem__)
        assert sorted(visits) == list(range(pages))
        place = {page: number for number, page in enumerate(visits)}
        assert all(place[parents[page]] < place[page] for page in range(1, pages))
        again = strategy.order_revisits(order, visits)
        assert sorted(again) == sorted(visits[:-1]) or again == []


@given(RATES, st.sampled_from(["revisits", "greedy", "threshold", "outside in", "intervals", "shrunk", "selective"]))
def test_visits_and_revisits_fill_their_slots_around_the_reference(rates: list[float], name: str) -> None:
    count = len(rates)
    schedule = {
        "revisits": lambda: revisits_schedule(rates),
        "greedy": lambda: greedy_revisits_schedule(rates),
        "threshold": lambda: threshold_schedule(rates, 0.8, separate_revisit_slots(count)),
        "outside in": lambda: outside_in_schedule(rates, 0.8, joined_revisit_slots(count)),
        "intervals": lambda: intervals_schedule(rates, 0.9),
        "shrunk": lambda: intervals_schedule(rates, 0.9, shrunk=True),
        "selective": lambda: selective_schedule(rates),
    }[name]()
    slots = schedule.slots()
    assert sorted(visit for visit, _ in slots) == list(range(count))
    last = schedule.geometry.requests
    assert sorted({revisit for _, revisit in slots}) == list(range(last - count, last))
    assert all(visit <= schedule.geometry.reference <= revisit for visit, revisit in schedule.times())


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0.1, 10))
def test_revisit_penalties_are_what_adding_up_gives(one: float, other: float, length: float) -> None:
    visit, revisit = sorted((min(one, length), min(other, length)))
    steps = 2000
    moments = [(number + 0.5) * length / steps for number in range(steps)]
    total = sum(min(abs(visit - moment), abs(revisit - moment)) for moment in moments) * length / steps
    assert revisit_penalty(visit, revisit, TimeInterval(0, length)) == pytest.approx(total, rel=1e-3, abs=1e-4)
    closed = visit**2 / 2 + (revisit - visit) ** 2 / 4 + (length - revisit) ** 2 / 2
    assert revisit_penalty(visit, revisit, TimeInterval(0, length)) == pytest.approx(closed, abs=1e-9)
    assert revisit_penalty(visit, revisit, TimeInterval(0, length)) >= length**2 / 8 - 1e-9


def history(draw: CongruentialRandom, rate: float, horizon: float) -> list[float]:
    """Changes of a Poisson process: each moment of a fine grid has one with its small probability."""
    cells = 400
    chance = rate * horizon / cells
    assert chance < 0.05
    return [(cell + 0.5) * horizon / cells for cell in range(cells) if draw.draw_below(1 << 30) < chance * (1 << 30)]


def test_simulated_blur_and_coherence_are_what_is_expected() -> None:
    rates = [0.02, 0.1, 0.4, 0.8]
    draw, runs = CongruentialRandom(7), 400
    once, twice = offline_schedule(rates), selective_schedule(rates)
    blurs, lost = [], []
    for _ in range(runs):
        histories = [history(draw, rate, 7) for rate in rates]
        blurs.append(actual_blur(histories, once))
        lost.append(float(len(incoherent_pages(histories, twice))))
    # A grid's changes are a little rarer and more even than a true process's: the tolerance has room for that.
    for simulated, expected in ((blurs, expected_blur(rates, once)), (lost, expected_incoherence(rates, twice))):
        mean = sum(simulated) / runs
        error = (sum((value - mean) ** 2 for value in simulated) / runs / runs) ** 0.5
        assert abs(mean - expected) < 4 * error + 0.01


@given(st.integers(1, 60), st.floats(0, 3))
def test_a_pyramid_beats_equal_distances_where_all_are_equally_hot(count: int, rate: float) -> None:
    rates = [rate] * count
    steep = expected_coherence(rates, lifo_schedule(joined_revisit_slots(count), range(count)).lengths())
    even = expected_coherence(rates, fifo_schedule(joined_revisit_slots(count), range(count)).lengths())
    assert steep >= even - 1e-9


@given(RATES, DELAY)
def test_selective_lies_between_hottest_last_and_the_optimum(rates: list[float], delay: float) -> None:
    geometry = joined_revisit_slots(len(rates), delay)
    schedule = selective_schedule(rates, delay)
    reached = expected_coherence(rates, schedule.lengths())
    assert reached >= expected_coherence(rates, lifo_schedule(geometry, hot_to_cold(rates)[::-1]).lengths()) - 1e-8
    assert reached <= expected_coherence(rates, exact_selective_schedule(rates, delay).lengths()) + 1e-8
    assert schedule.apex is not None
    assert rates[schedule.apex] == max(rates)


@settings(max_examples=25)
@given(FEW)
def test_the_exact_pyramid_is_the_best_of_all(rates: list[float]) -> None:
    every = (lifo_schedule(joined_revisit_slots(len(rates)), order) for order in permutations(range(len(rates))))
    best = max(expected_coherence(rates, schedule.lengths()) for schedule in every)
    assert expected_coherence(rates, exact_selective_schedule(rates).lengths()) == pytest.approx(best)


def plainly_sacrificed(rates: list[float], first: float, step: float) -> tuple[list[int], float]:
    """The choice as it is defined, page by page, and by how little its closest decision was made."""
    lengths = [first + step * place for place in range(len(rates))]
    low, high, page = 0, len(rates), len(rates) - 1
    if first == 0:
        low, page = 1, page - 1
    given_up, closest = [], 1.0
    while page >= 0:
        kept = sum(exp(-rates[page - place] * lengths[low + place]) for place in range(page + 1))
        moved = sum(exp(-rates[page - 1 - place] * lengths[low + place]) for place in range(page))
        moved += exp(-rates[page] * lengths[high - 1])
        closest = min(closest, abs(kept - moved))
        if kept >= moved:
            low += 1
        else:
            given_up.append(page)
            high -= 1
        page -= 1
    return given_up, closest


def coherence_without(given_up: list[int], rates: list[float], first: float, step: float) -> float:
    order = given_up + [page for page in range(len(rates)) if page not in given_up]
    return sum(exp(-rates[page] * (first + step * place)) for place, page in enumerate(reversed(order)))


WIDE = st.floats(-7, 2).map(lambda power: 10**power)


@settings(max_examples=150)
@given(
    st.lists(WIDE | RATE, min_size=1, max_size=40), st.sampled_from([0.0, 1.0, 30.0]), st.sampled_from([0.5, 2.0, 50.0])
)
def test_the_quick_choice_is_the_plain_one(rates: list[float], first: float, step: float) -> None:
    ascending = sorted(rates)
    plain, closest = plainly_sacrificed(ascending, first, step)
    quick = choose_hopeless(ascending, first, step)
    mine, theirs = (coherence_without(each, ascending, first, step) for each in (quick, plain))
    # Where nothing lasts even the shortest length, and in a draw, the plain choice goes by what numbers cannot hold.
    if closest > 1e-8 and ascending[0] * (first or step) < 1:
        assert quick == plain
    assert mine >= theirs - 1e-6


@given(RATES | st.lists(st.floats(0, 1e-280), min_size=1, max_size=40))
@example([2.2250738585072014e-308] * 40)
@example([1.2e-308, *[1.9e-306] * 20, *[9.5e-304] * 4])
@example([5e-324, 1.5e-323, *[2.2250738585072014e-308] * 12])
def test_calm_sites_have_no_hopeless_pages(rates: list[float]) -> None:
    longest = 2 * (len(rates) - 1)
    calm = [rate / (5.01 * max(longest, 1)) for rate in rates]
    assert selective_schedule(calm).hopeless == frozenset()


@given(RATES)
def test_thresholds_at_their_ends_keep_all_or_none(rates: list[float]) -> None:
    geometry = joined_revisit_slots(len(rates))
    assert threshold_schedule(rates, 0.0, geometry).hopeless <= {page for page, rate in enumerate(rates) if rate > 300}
    strict = threshold_schedule(rates, 1 - 1e-15, geometry)
    moving = [page for page, rate in enumerate(rates) if rate > 1e-6]
    assert strict.apex is not None
    assert set(moving) - {hot_to_cold(rates)[0], strict.apex} <= strict.hopeless


@given(RATES, st.floats(0.05, 0.99))
def test_shrinking_lengthens_no_hopeful_page(rates: list[float], sureness: float) -> None:
    before = intervals_schedule(rates, sureness)
    after = shrink_schedule(before)
    for page, (old, new) in enumerate(zip(before.lengths(), after.lengths(), strict=True)):
        assert page in before.hopeless or new <= old
    assert sorted(after.visits) == sorted(before.visits)


@given(st.lists(st.floats(0, 0.99), min_size=1, max_size=30), st.floats(0.01, 0.99))
def test_the_inducible_schedule_is_a_threshold_schedule(chances: list[float], risk: float) -> None:
    rates = [rate_from_probability(chance) for chance in chances]
    assert inducible_schedule(chances, risk) == threshold_schedule(rates, 1 - risk, joined_revisit_slots(len(rates)))
    assert [probability_from_rate(rate) for rate in rates] == pytest.approx(chances)


@given(RATES, st.randoms())
def test_equal_distances_lose_as_much_in_any_order(rates: list[float], chance) -> None:  # type: ignore[no-untyped-def]
    order = list(range(len(rates)))
    chance.shuffle(order)
    shuffled = expected_incoherence(rates, fifo_schedule(separate_revisit_slots(len(rates)), order))
    assert shuffled == pytest.approx(expected_incoherence(rates, revisits_schedule(rates)))


@given(st.integers(1, 200), st.data(), st.floats(0.01, 100))
def test_rates_from_looks_are_finite_grow_and_scale(looks: int, data: st.DataObject, interval: float) -> None:
    changed = data.draw(st.integers(0, looks))
    rate = bias_corrected_rate(looks, changed, interval)
    assert 0 <= rate < float("inf")
    if changed:
        assert rate > bias_corrected_rate(looks, changed - 1, interval)
    assert rate == pytest.approx(bias_corrected_rate(looks, changed, 1.0) / interval)
    polls = [Poll(interval, number < changed) for number in range(looks)]
    assert irregular_likelihood_rate(polls) == pytest.approx(maximum_likelihood_rate(looks, changed, interval))


@given(st.lists(st.tuples(st.floats(0, 1e9), st.booleans()), max_size=30))
def test_looks_at_any_intervals_give_a_finite_rate(looks: list[tuple[float, bool]]) -> None:
    rate = estimate_rate([Poll(length, changed) for length, changed in looks])
    assert rate >= 0
    assert rate == rate or looks == []


@given(st.floats(0.01, 3000))
def test_rates_of_sitemap_words_fall_from_always_to_never(delay: float) -> None:
    words = [frequency_rate(word, delay) for word in ChangeFrequency]
    assert words == sorted(words, reverse=True)
    assert len(set(words)) == len(words)


@given(st.lists(st.floats(0.001, 10), min_size=1, max_size=80, unique=True), st.integers(1, 12))
def test_bins_of_different_rates_hold_as_many(rates: list[float], count: int) -> None:
    bins = build_equal_bins(rates, count)
    held = [sum(bins.bin_of(rate) == number for rate in rates) for number in range(len(bins))]
    assert max(held) - min(held) <= 1
    assert bins.bin_of(0.0) == 0


@given(st.frozensets(st.integers(0, 40)), st.frozensets(st.integers(0, 40)))
def test_likeness_is_mutual_and_whole_for_equals(first: frozenset[int], second: frozenset[int]) -> None:
    assert jaccard_similarity(first, second) == jaccard_similarity(second, first)
    assert jaccard_similarity(first, first) == 1
    assert 0 <= jaccard_similarity(first, second) <= 1


def test_signatures_tell_likeness_on_average() -> None:
    rows = [xxhash.xxh32_intdigest(str(number).encode()) for number in range(90)]
    first, second = set(rows[:60]), set(rows[30:])
    hashes = hash_functions(4000)
    told = signature_similarity(minhash_signature(first, hashes), minhash_signature(second, hashes))
    assert told == pytest.approx(jaccard_similarity(first, second), abs=0.04)


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=20, unique=True).map(sorted), st.integers(0, 1100))
def test_observation_intervals_share_out_all_time(times: list[int], moment: int) -> None:
    for mapping in MomentMapping:
        parts = capture_intervals([float(time) for time in times], mapping, TimeInterval(0, 1100))
        assert all(before.end == after.start for before, after in pairwise(parts))
        assert parts[-1].end == 1100
        chosen = capture_index_at(times, moment, mapping)
        assert chosen is None or moment in parts[chosen]
        assert all(capture_index_at(times, time, mapping) == number for number, time in enumerate(times))


@given(st.lists(st.one_of(RATE, st.integers(0, 1 << 20)), max_size=300), st.integers(0, 3))
def test_ranked_pages_are_taken_as_from_a_sorted_list(steps: list[float], batch: int) -> None:
    ranked: RateQueue[int] = RateQueue()
    model: list[tuple[float, int]] = []
    for serial, step in enumerate(steps):
        if isinstance(step, float) or not model:
            for copy in range(1 + 700 * (batch == 3 and serial % 7 == 0)):
                ranked.add(serial * 1000 + copy, step % 5 + copy % 3)
                model.append((step % 5 + copy % 3, serial * 1000 + copy))
            model.sort(key=lambda entry: entry[0])
        else:
            assert ranked.pop(int(step) % len(model)) == model.pop(int(step) % len(model))[1]
        assert len(ranked) == len(model)
    assert list(ranked) == model
