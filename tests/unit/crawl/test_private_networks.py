"""No public page leads into private networks, however its host's name is pointed elsewhere in between."""

from webkeep.crawl.plan import CapturePlan
from webkeep.crawl.requests.private_hosts import PrivateHosts
from webkeep.crawl.requests.request_builder import RequestBuilder
from webkeep.frontier.hosts import host_key_of
from webkeep.frontier.urls import Candidate

PUBLIC, PRIVATE = "93.184.216.34", "10.0.0.7"
SEED = "http://seed.test/"
INNER = "http://192.168.1.1/admin"


def candidate(url: str) -> Candidate:
    return Candidate(1, url, host_key_of(url))


def may_be_private(requests: RequestBuilder, url: str, via: str = "") -> bool:
    return requests.build(candidate(url), via).private


def answered(requests: RequestBuilder, address: str, url: str = SEED, via: str = "") -> None:
    requests.learn_address(candidate(url), address, may_be_private(requests, url, via))


def test_a_seed_that_was_public_cannot_become_private() -> None:
    requests = RequestBuilder(CapturePlan((SEED,)))
    assert may_be_private(requests, SEED)
    answered(requests, PUBLIC)
    assert not may_be_private(requests, SEED)
    requests.learn_address(candidate(SEED), PRIVATE, private=True)  # was under way before the first answer
    assert not may_be_private(requests, SEED)
    assert not may_be_private(requests, INNER, SEED)


def test_a_seed_that_was_private_and_is_public_now_leads_nowhere() -> None:
    requests = RequestBuilder(CapturePlan((SEED,)))
    answered(requests, PRIVATE)
    assert may_be_private(requests, INNER, SEED)
    answered(requests, PUBLIC)
    assert not may_be_private(requests, INNER, SEED)
    assert not may_be_private(requests, SEED)


def test_an_answer_without_an_address_says_nothing() -> None:
    requests = RequestBuilder(CapturePlan((SEED,)))
    answered(requests, "")
    assert may_be_private(requests, SEED)
    assert not may_be_private(requests, INNER, SEED)


def test_what_a_private_page_leads_to_is_held_to_the_same() -> None:
    other = "http://other.test/"
    requests = RequestBuilder(CapturePlan((SEED,)))
    answered(requests, PRIVATE)
    answered(requests, PUBLIC, other, via=SEED)
    assert not may_be_private(requests, other, via=SEED)
    elsewhere = "http://elsewhere.test/"
    answered(requests, PUBLIC, elsewhere, via=other)
    assert not may_be_private(requests, elsewhere, via=SEED)


def test_who_was_placed_by_a_person_may_stay_there() -> None:
    requests = RequestBuilder(
        CapturePlan(
            (SEED, "http://127.0.0.1:8080/", "http://[::1]/", "http://localhost/"), resolve=("Seed.test:80:10.0.0.7",)
        )
    )
    answered(requests, PUBLIC)
    assert may_be_private(requests, SEED)
    assert not may_be_private(requests, INNER, SEED)
    for url in ("http://127.0.0.1:8080/", "http://[::1]/", "http://localhost/"):
        requests.learn_address(candidate(url), PUBLIC, private=True)
        assert may_be_private(requests, url)
    assert not may_be_private(requests, "http://127.0.0.1:8081/", SEED)


def test_a_name_is_placed_whatever_is_spoken_there() -> None:
    requests = RequestBuilder(CapturePlan((SEED,), resolve=("other.test:443:10.0.0.7",)))
    assert may_be_private(requests, "https://other.test/", SEED)
    assert may_be_private(requests, "http://other.test:443/", SEED)
    assert not may_be_private(requests, "http://other.test/", SEED)


def test_no_page_of_the_web_leads_to_files() -> None:
    requests = RequestBuilder(CapturePlan((SEED, "file:///srv/site/")))
    answered(requests, PRIVATE)
    assert may_be_private(requests, "file:///srv/site/")
    assert may_be_private(requests, "file:///srv/site/page", "file:///srv/site/")
    assert not may_be_private(requests, "file:///etc/passwd", SEED)


def test_what_was_learned_holds_for_who_goes_on() -> None:
    other, third = "http://other.test/", "http://third.test/"
    kept: dict[str, str] = {}
    requests = RequestBuilder(CapturePlan((SEED, third)), private_hosts=PrivateHosts(keep=kept.__setitem__))
    answered(requests, PRIVATE)
    answered(requests, PRIVATE, other, via=SEED)
    answered(requests, PUBLIC, third)
    again = RequestBuilder(CapturePlan((SEED, third)), private_hosts=PrivateHosts(kept.items()))
    assert may_be_private(again, INNER, via=other)
    assert not may_be_private(again, third)
    assert not may_be_private(again, INNER, via=third)
    answered(requests, PUBLIC, other, via=SEED)
    last = RequestBuilder(CapturePlan((SEED, third)), private_hosts=PrivateHosts(kept.items()))
    assert not may_be_private(last, INNER, via=other)
    assert may_be_private(last, INNER, via=SEED)
