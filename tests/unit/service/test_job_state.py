"""The state machine of a job: one table, and nothing that is not in it."""

import pytest

from webkeep.errors import UsageError
from webkeep.service.jobs import JobEvent, JobState, next_state
from webkeep.service.jobs.job_state import ENDED_STATES, OPEN_STATES, TRANSITIONS, possible_events


def test_every_state_is_reached_and_every_event_means_something() -> None:
    assert {JobState.PENDING, JobState.QUEUED, *TRANSITIONS.values()} == set(JobState)
    assert {event for _, event in TRANSITIONS} == set(JobEvent)


def test_every_open_job_can_be_cancelled_or_ends_by_being_cancelled() -> None:
    assert {state for state, event in TRANSITIONS if event is JobEvent.CANCEL} == OPEN_STATES


def test_nothing_leaves_an_ended_state_but_a_retry_and_the_end_of_its_term() -> None:
    leaving = {event for state, event in TRANSITIONS if state in ENDED_STATES}
    assert leaving == {JobEvent.RETRY, JobEvent.EXPIRE}
    assert possible_events(JobState.EXPIRED) == frozenset()


def test_only_a_queued_job_is_started() -> None:
    assert [state for state, event in TRANSITIONS if event is JobEvent.START] == [JobState.QUEUED]


@pytest.mark.parametrize(
    ("state", "event"), [(state, event) for state in JobState for event in JobEvent], ids=lambda each: each.value
)
def test_what_is_not_in_the_table_is_refused_with_what_can_be_done(state: JobState, event: JobEvent) -> None:
    if (state, event) in TRANSITIONS:
        assert next_state(state, event) is TRANSITIONS[state, event]
    else:
        with pytest.raises(
            UsageError, match=f"a job that is {state.value} cannot {event.value}; what can be asked of it is: "
        ):
            next_state(state, event)
