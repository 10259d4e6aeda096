"""Rates of bytes, in a time that is told."""

import pytest

from webkeep.fetch.client.bandwidth_limit import BandwidthLimits, TokenBucket, draw_bytes, seconds_owed


def test_a_bucket_lets_a_little_come_at_once_and_the_rest_at_its_rate() -> None:
    bucket = TokenBucket(1000, 0)
    assert bucket.seconds_owed(0) == 0
    bucket.draw(250, 0)
    assert bucket.seconds_owed(0) == 0
    bucket.draw(500, 0)
    assert bucket.seconds_owed(0) == pytest.approx(0.5)
    assert bucket.seconds_owed(0.3) == pytest.approx(0.2)
    assert bucket.seconds_owed(0.5) == 0


def test_idle_time_is_not_saved_up() -> None:
    bucket = TokenBucket(1000, 0)
    bucket.draw(1250, 3600)
    assert bucket.seconds_owed(3600) == pytest.approx(1.0)


def test_over_time_the_rate_is_kept_whatever_the_chunks() -> None:
    bucket, now, came = TokenBucket(1000, 0), 0.0, 0
    for chunk in [1, 5000, 10, 300, 70, 16384] * 50:
        now += bucket.seconds_owed(now) + 1e-9
        bucket.draw(chunk, now)
        came += chunk
    assert came <= 1000 * now + 250 + 16384


def test_transfers_share_what_is_meant_for_all_and_for_their_host() -> None:
    paces = BandwidthLimits(1000, 100)
    one, same, other = paces.buckets_for("a", 0, 0), paces.buckets_for("a", 0, 0), paces.buckets_for("b", 7, 0)
    assert one == same
    assert set(one) & set(other) == {one[0]}
    assert len(other) == 3
    draw_bytes(one, 125, 0)
    assert seconds_owed(one, 0) == seconds_owed(same, 0) == pytest.approx(1.0)
    assert seconds_owed(other, 0) == 0
    assert BandwidthLimits(0, 0).buckets_for("a", 0, 0) == ()
    assert seconds_owed((), 0) == 0


def test_hosts_of_long_ago_are_forgotten() -> None:
    paces = BandwidthLimits(0, 100)
    first = paces.buckets_for("host 0", 0, 0)
    for number in range(1, 10_001):
        paces.buckets_for(f"host {number}", 0, 0)
    assert paces.buckets_for("host 0", 0, 0) != first
