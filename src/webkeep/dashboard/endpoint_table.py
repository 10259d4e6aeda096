"""Every address of the service, once: what answers there, and what whoever asks must be allowed to do.

An address that does not stand here does not exist.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.access import account_pages, audit_pages, login_pages, people_pages
from webkeep.dashboard.notices import job_feed, metrics, webhooks
from webkeep.dashboard.pages import (
    assets,
    collections,
    job_files,
    job_results,
    job_steering,
    jobs,
    logins,
    machines,
    patches,
    public_collections,
    schedules,
    seeds,
    shown_browsers,
    shown_replays,
    site_previews,
    start,
    uploads,
)
from webkeep.dashboard.pages.sent_seeds import MAX_SENT_BYTES
from webkeep.dashboard.recoveries import recovery_desk, usage_page, visitor_form, visitor_results, visitor_status
from webkeep.dashboard.rest import openapi
from webkeep.dashboard.rest.api_call import ApiCall, build_call_handler
from webkeep.dashboard.rest.api_table import API_CALLS
from webkeep.dashboard.sent_forms import MAX_FORM_BYTES
from webkeep.service.accounts import Permission

GET, POST = ("GET",), ("POST",)
MAX_VISITOR_FORM_BYTES = 64 << 10
"""Of what strangers send: an address, some names and dates."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address."""

    path: str
    """As Starlette has it, with parameters: /collections/{collection}/seeds."""
    methods: tuple[str, ...]
    handler: Callable[[Request], Awaitable[Response]]
    permission: Permission
    collection_of: Callable[[Request], str] | None = None
    """Which collection READ or CURATE is about; without it the parameter `collection`, or that of the job `job`."""
    is_form: bool = True
    """Whether what is sent to it must carry the token of a form, unless the caller shows an API token."""
    is_audited: bool = True
    """Whether the audit log has a line for each that was let in; what is refused is always there."""
    needs_session: bool = False
    """Whether only a person who logged in may, and nobody who shows an API token."""
    max_body_bytes: int = MAX_FORM_BYTES
    """So much is read of what is sent."""


PAGES: tuple[Endpoint, ...] = (
    Endpoint("/health", GET, start.answer_health, Permission.ANYONE),
    Endpoint("/assets/{name}", GET, assets.answer_asset, Permission.ANYONE),
    Endpoint("/login", GET, login_pages.show_login, Permission.ANYONE),
    Endpoint("/login", POST, login_pages.log_in, Permission.ANYONE),
    Endpoint("/logout", POST, login_pages.log_out, Permission.SIGNED_IN, needs_session=True),
    Endpoint("/account", GET, account_pages.show_account, Permission.SIGNED_IN, needs_session=True),
    Endpoint("/account/password", POST, account_pages.change_password, Permission.SIGNED_IN, needs_session=True),
    Endpoint(
        "/account/sessions/{session}/end", POST, account_pages.end_session, Permission.SIGNED_IN, needs_session=True
    ),
    Endpoint("/account/tokens", POST, account_pages.make_token, Permission.SIGNED_IN, needs_session=True),
    Endpoint(
        "/account/tokens/{token}/revoke", POST, account_pages.revoke_token, Permission.SIGNED_IN, needs_session=True
    ),
    Endpoint("/accounts", GET, people_pages.show_people, Permission.ADMINISTER),
    *(
        Endpoint(f"/accounts{part}", POST, handler, Permission.ADMINISTER, needs_session=True)
        for part, handler in (
            ("", people_pages.add_account),
            ("/{account}/role", people_pages.change_role),
            ("/{account}/lock", people_pages.lock_account),
            ("/{account}/password", people_pages.renew_password),
            ("/{account}/delete", people_pages.delete_account),
        )
    ),
    Endpoint("/audit", GET, audit_pages.show_audit, Permission.ADMINISTER),
    Endpoint("/audit.csv", GET, audit_pages.download_audit, Permission.ADMINISTER),
    Endpoint("/", GET, start.show_start, Permission.SIGNED_IN),
    Endpoint("/start", POST, start.start_job, Permission.SIGNED_IN),
    Endpoint("/plan.toml", POST, start.download_form_plan, Permission.SIGNED_IN),
    Endpoint("/plan", POST, start.take_plan_file, Permission.SIGNED_IN),
    Endpoint("/previews", POST, site_previews.begin_preview, Permission.SIGNED_IN),
    Endpoint("/previews/{preview}", GET, site_previews.show_preview, Permission.SIGNED_IN),
    Endpoint("/jobs", GET, jobs.list_jobs, Permission.SIGNED_IN),
    Endpoint("/jobs/{job}", GET, jobs.show_job, Permission.READ),
    Endpoint("/collections", GET, collections.list_collections, Permission.SIGNED_IN),
    Endpoint("/collections", POST, collections.make_collection, Permission.ADMINISTER),
    Endpoint("/new-collection", GET, collections.show_new_collection, Permission.ADMINISTER),
    Endpoint("/collections/{collection}", GET, collections.show_collection, Permission.READ),
    Endpoint("/collections/{collection}/edit", GET, collections.show_edit, Permission.CURATE),
    Endpoint("/collections/{collection}/edit", POST, collections.change_collection, Permission.CURATE),
    Endpoint("/collections/{collection}/capture", POST, collections.capture_collection, Permission.CURATE),
    Endpoint("/collections/{collection}/remove", GET, collections.show_removal, Permission.ADMINISTER),
    Endpoint("/collections/{collection}/remove", POST, collections.remove_collection, Permission.ADMINISTER),
    Endpoint("/collections/{collection}/move-seeds", POST, collections.move_seeds, Permission.ADMINISTER),
    Endpoint("/schedules", GET, schedules.list_schedules, Permission.SIGNED_IN),
    Endpoint("/collections/{collection}/schedules", GET, schedules.show_collection_schedules, Permission.READ),
    Endpoint("/collections/{collection}/schedules", POST, schedules.add_schedule, Permission.CURATE),
    Endpoint("/collections/{collection}/schedules/{schedule}", POST, schedules.change_schedule, Permission.CURATE),
    Endpoint("/collections/{collection}/watches", POST, schedules.add_watch, Permission.CURATE),
    Endpoint("/collections/{collection}/watches/{watch}", POST, schedules.change_watch, Permission.CURATE),
    Endpoint("/public/{collection}/embed", GET, public_collections.show_embedded, Permission.ANYONE),
    Endpoint("/public/{collection}/picture", GET, public_collections.answer_picture, Permission.ANYONE),
    Endpoint("/collections/{collection}/picture", POST, public_collections.choose_picture, Permission.CURATE),
    Endpoint("/public/{collection}", GET, public_collections.show_public, Permission.ANYONE),
    Endpoint(
        "/collections/{collection}/seeds",
        POST,
        seeds.import_seeds,
        Permission.CURATE,
        max_body_bytes=MAX_SENT_BYTES,
    ),
    Endpoint("/collections/{collection}/seeds/{seed}", GET, seeds.show_seed, Permission.READ),
    Endpoint("/collections/{collection}/seeds/{seed}", POST, seeds.change_seed, Permission.CURATE),
    Endpoint("/collections/{collection}/seeds/{seed}/capture", POST, seeds.capture_seed, Permission.CURATE),
    Endpoint("/collections/{collection}/seeds/{seed}/delete", GET, seeds.show_deletion, Permission.CURATE),
    Endpoint("/collections/{collection}/seeds/{seed}/delete", POST, seeds.delete_seed, Permission.CURATE),
    Endpoint("/collections/{collection}/seeds/{seed}/move", POST, seeds.move_seed, Permission.CURATE),
    Endpoint("/collections/{collection}/logins", GET, logins.list_logins, Permission.CURATE),
    Endpoint("/collections/{collection}/logins", POST, logins.begin_login, Permission.CURATE, needs_session=True),
    Endpoint("/collections/{collection}/logins/{login}/name", POST, logins.rename_login, Permission.CURATE),
    Endpoint("/collections/{collection}/logins/{login}/check", POST, logins.check_profile, Permission.CURATE),
    Endpoint("/collections/{collection}/logins/{login}/delete", POST, logins.delete_login, Permission.CURATE),
    Endpoint(
        "/collections/{collection}/logins/{login}/renew",
        POST,
        logins.renew_login,
        Permission.CURATE,
        needs_session=True,
    ),
    Endpoint("/jobs/{job}/patch", GET, patches.show_patch, Permission.CURATE),
    Endpoint("/jobs/{job}/patch", POST, patches.begin_patch, Permission.CURATE, needs_session=True),
    Endpoint(
        "/collections/{collection}/seeds/{seed}/patch",
        POST,
        patches.begin_seed_patch,
        Permission.CURATE,
        needs_session=True,
    ),
    *(
        Endpoint(
            f"/collections/{{collection}}/browsers/{{browser}}{part}",
            methods,
            handler,
            permission,
            needs_session=True,
        )
        for part, methods, handler, permission in (
            ("", GET, shown_browsers.show_browser, Permission.READ),
            ("/view", GET, shown_browsers.answer_view, Permission.READ),
            ("/save", POST, shown_browsers.save_login, Permission.CURATE),
            ("/end", POST, shown_browsers.end_browser, Permission.READ),
        )
    ),
    Endpoint(
        "/collections/{collection}/browsers/{browser}/input",
        POST,
        shown_browsers.take_inputs,
        Permission.READ,
        is_form=False,
        is_audited=False,
        needs_session=True,
        max_body_bytes=shown_browsers.MAX_INPUT_BYTES,
    ),
    Endpoint("/jobs/{job}/events", GET, jobs.stream_job, Permission.READ),
    Endpoint("/jobs/{job}/plan.toml", GET, job_results.download_plan, Permission.READ),
    Endpoint("/jobs/{job}/report", GET, job_files.show_report, Permission.READ),
    Endpoint("/jobs/{job}/certificate", GET, job_files.show_certificate, Permission.READ),
    Endpoint("/jobs/{job}/replay", GET, job_results.show_replay, Permission.READ),
    Endpoint("/jobs/{job}/replay", POST, shown_replays.begin_replay, Permission.READ, needs_session=True),
    Endpoint("/jobs/{job}/evidence", GET, job_files.show_cover_sheet, Permission.READ),
    Endpoint("/jobs/{job}/evidence.zip", GET, job_files.download_package, Permission.READ),
    Endpoint(
        uploads.UPLOADS_PATH, POST, uploads.take_upload, Permission.SIGNED_IN, max_body_bytes=start.MAX_UPLOAD_BYTES
    ),
    Endpoint("/jobs/{job}/downloads", GET, job_files.show_downloads, Permission.READ),
    Endpoint("/jobs/{job}/downloads/{format}", GET, job_files.download_file, Permission.READ),
    Endpoint("/jobs/{job}/steering", POST, job_steering.steer_job, Permission.CURATE),
    Endpoint("/jobs/{job}/changes", POST, job_steering.change_capture, Permission.CURATE),
    Endpoint("/jobs/{job}/priority", POST, job_steering.change_priority, Permission.CURATE),
    Endpoint("/jobs/{job}/rule", GET, job_steering.preview_rule, Permission.CURATE),
    Endpoint("/jobs/{job}/pictures/{number}", GET, job_steering.show_picture, Permission.READ),
    Endpoint("/metrics", GET, metrics.answer_metrics, Permission.ANYONE),
    Endpoint("/feed.atom", GET, job_feed.answer_feed, Permission.SIGNED_IN),
    Endpoint("/collections/{collection}/feed.atom", GET, job_feed.answer_feed, Permission.READ),
    Endpoint("/machines", GET, machines.show_machines, Permission.ADMINISTER),
    Endpoint("/machines", POST, machines.change_machine, Permission.ADMINISTER),
    Endpoint("/notices", GET, webhooks.show_notices, Permission.ADMINISTER),
    Endpoint("/notices/webhooks", POST, webhooks.add_webhook, Permission.ADMINISTER),
    Endpoint("/notices/webhooks/{webhook}/delete", POST, webhooks.delete_webhook, Permission.ADMINISTER),
    Endpoint("/api", GET, openapi.show_api, Permission.ANYONE),
    Endpoint("/api/v1/openapi.json", GET, openapi.answer_description, Permission.ANYONE),
    Endpoint("/recover", GET, visitor_form.show_form, Permission.ANYONE),
    Endpoint("/recover", POST, visitor_form.ask_recovery, Permission.ANYONE, max_body_bytes=MAX_VISITOR_FORM_BYTES),
    Endpoint("/recover/{link}", GET, visitor_status.show_status, Permission.ANYONE),
    Endpoint("/recover/{link}/events", GET, visitor_status.stream_status, Permission.ANYONE),
    Endpoint("/recover/{link}/confirm/{code}", GET, visitor_status.show_confirmation, Permission.ANYONE),
    Endpoint("/recover/{link}/confirm/{code}", POST, visitor_status.confirm, Permission.ANYONE),
    Endpoint("/recover/{link}/withdraw", POST, visitor_status.withdraw, Permission.ANYONE),
    Endpoint("/recover/{link}/downloads/{format}", GET, visitor_results.download_result, Permission.ANYONE),
    Endpoint("/recover/{link}/look/{path:path}", GET, visitor_results.look_at_result, Permission.ANYONE),
    Endpoint("/recoveries", GET, recovery_desk.list_recoveries, Permission.ADMINISTER),
    Endpoint("/recoveries/usage", GET, usage_page.show_usage, Permission.ADMINISTER),
    Endpoint("/recoveries/history.csv", GET, recovery_desk.download_csv, Permission.ADMINISTER),
    Endpoint("/recoveries/history.json", GET, recovery_desk.download_json, Permission.ADMINISTER),
    Endpoint("/recoveries/blocked", POST, recovery_desk.block_address, Permission.ADMINISTER),
    Endpoint("/recoveries/blocked/{key}/delete", POST, recovery_desk.unblock_address, Permission.ADMINISTER),
    Endpoint("/recoveries/{recovery}/queue", POST, recovery_desk.move_recovery, Permission.ADMINISTER),
    Endpoint("/recoveries/{recovery}/delete", POST, recovery_desk.delete_recovery, Permission.ADMINISTER),
    Endpoint("/recoveries/{recovery}/block", POST, recovery_desk.block_asker, Permission.ADMINISTER),
)
"""What browsers ask for."""


def _endpoint_of_call(call: ApiCall) -> Endpoint:
    return Endpoint(
        call.full_path,
        (call.method,),
        build_call_handler(call),
        call.permission,
        call.collection_of,
        is_form=False,
        needs_session=call.needs_session,
        max_body_bytes=call.max_body_bytes,
    )


ENDPOINTS: tuple[Endpoint, ...] = (*PAGES, *map(_endpoint_of_call, API_CALLS))
"""All of them: what browsers ask for, and every call of programs."""
