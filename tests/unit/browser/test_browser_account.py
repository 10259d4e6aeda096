"""As whom Chromium is started."""

from webkeep.browser.process.browser_account import candidate_accounts


def test_whoever_is_not_root_starts_it_for_oneself() -> None:
    (own,) = candidate_accounts(is_root=False)
    assert (own.is_other_user, own.is_sandboxed, own.process_arguments()) == (False, True, {})


def test_root_lets_another_have_it_with_its_sandbox_as_long_as_that_works() -> None:
    first, second, *_, last = candidate_accounts(is_root=True)
    assert first == second
    assert (first.is_other_user, first.is_sandboxed) == (True, True)
    assert first.process_arguments() == {"user": first.user, "group": first.group, "extra_groups": []}
    assert (last.is_other_user, last.is_sandboxed) == (False, False)


def test_a_window_is_of_the_person_who_looks_at_it() -> None:
    (own,) = candidate_accounts(is_root=True, has_window=True)
    assert (own.is_other_user, own.is_sandboxed) == (False, False)
