"""Every call of the API, once: endpoints, checks and the description are made of this table."""

from __future__ import annotations

from webkeep.dashboard.rest.api_call import ApiCall
from webkeep.dashboard.rest.collection_calls import COLLECTION_CALLS
from webkeep.dashboard.rest.job_calls import JOB_CALLS
from webkeep.dashboard.rest.login_calls import LOGIN_CALLS
from webkeep.dashboard.rest.people_calls import PEOPLE_CALLS
from webkeep.dashboard.rest.preview_calls import PREVIEW_CALLS
from webkeep.dashboard.rest.recovery_calls import RECOVERY_CALLS
from webkeep.dashboard.rest.schedule_calls import SCHEDULE_CALLS
from webkeep.dashboard.rest.seed_calls import SEED_CALLS
from webkeep.dashboard.rest.service_calls import SERVICE_CALLS

API_CALLS: tuple[ApiCall, ...] = (
    *SERVICE_CALLS,
    *PEOPLE_CALLS,
    *PREVIEW_CALLS,
    *JOB_CALLS,
    *COLLECTION_CALLS,
    *SEED_CALLS,
    *SCHEDULE_CALLS,
    *LOGIN_CALLS,
    *RECOVERY_CALLS,
)
"""All of them."""
