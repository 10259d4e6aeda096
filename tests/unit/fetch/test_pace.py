"""Rates of bytes, in a time that is told."""

import pytest

from webkeep.fetch.pace import Bucket, Paces, draw, owed


def test_a_bucket_lets_a_little_come_at_once_and_the_rest_at_its_rate() -> None:
    bucket = Bucket(1000, 0)
    assert bucket.wait(0) == 0
    bucket.draw(250, 0)
    assert bucket.wait(0) == 0
    bucket.draw(500, 0)
    assert bucket.wait(0) == pytest.approx(0.5)
    assert bucket.wait(0.3) == pytest.approx(0.2)
    assert bucket.wait(0.5) == 0


def test_idle_time_is_not_saved_up() -> None:
    bucket = Bucket(1000, 0)
    bucket.draw(1250, 3600)
    assert bucket.wait(3600) == pytest.approx(1.0)


def test_over_time_the_rate_is_kept_whatever_the_chunks() -> None:
    bucket, now, came = Bucket(1000, 0), 0.0, 0
    for chunk in [1, 5000, 10, 300, 70, 16384] * 50:
        now += bucket.wait(now) + 1e-9
        bucket.draw(chunk, now)
        came += chunk
    assert came <= 1000 * now + 250 + 16384


def test_transfers_share_what_is_meant_for_all_and_for_their_host() -> None:
    paces = Paces(1000, 100)
    one, same, other = paces.of("a", 0, 0), paces.of("a", 0, 0), paces.of("b", 7, 0)
    assert one == same
    assert set(one) & set(other) == {one[0]}
    assert len(other) == 3
    draw(one, 125, 0)
    assert owed(one, 0) == owed(same, 0) == pytest.approx(1.0)
    assert owed(other, 0) == 0
    assert Paces(0, 0).of("a", 0, 0) == ()
    assert owed((), 0) == 0


def test_hosts_of_long_ago_are_forgotten() -> None:
    paces = Paces(0, 100)
    first = paces.of("host 0", 0, 0)
    for number in range(1, 10_001):
        paces.of(f"host {number}", 0, 0)
    assert paces.of("host 0", 0, 0) != first
