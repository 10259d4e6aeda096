"""A request that may not go out any more, as the one who asks has lost the right to, is withheld at the last moment."""

from dataclasses import replace
from pathlib import Path

from fetcher_calls import fetch
from small_site import SmallSite, linking

from fetch_settings import settings
from webkeep.fetch import FetchFailure, FetchRequest


def test_nothing_is_sent_once_it_may_not_be(tmp_path: Path) -> None:
    answers = iter((True, False, True))
    with SmallSite({"/a": linking(), "/b": linking(), "/c": linking()}) as site:
        requests = [FetchRequest(site.url(path), private=True) for path in ("/a", "/b", "/c")]
        done = fetch(tmp_path, *requests, settings=replace(settings(), may_send=lambda: next(answers)))
        assert [each.failure for each in done] == [None, FetchFailure.WITHHELD, None]
        assert [path for _, path in site.asked] == ["/a", "/c"]


def test_nothing_is_sent_by_the_way_without_libcurl_either(tmp_path: Path) -> None:
    asked_first, answers = [], iter((True, False, True))

    def may_send() -> bool:
        asked_first.append(len(site.asked))
        return next(answers, False)

    with SmallSite({"/a": linking(), "/b": linking(), "/c": linking()}) as site:
        requests = [FetchRequest(site.url(path), private=True) for path in ("/a", "/b", "/c")]
        done = fetch(tmp_path, *requests, settings=replace(settings(plain_after=1), may_send=may_send))
        # The second is held back by the plain way, and made by libcurl, which asks for itself.
        assert [each.failure for each in done] == [None, None, FetchFailure.WITHHELD]
        assert [path for _, path in site.asked] == ["/a", "/b"]
        assert asked_first == [0, 1, 1, 2, 2]
