"""Recoveries of visitors carried out: queued ones become jobs in their turn, what jobs came to is announced, people are
reminded, and what is kept for its term is deleted with all that tells of whom it was for.

Theory of operation. Every step is a change of one row by the table of states, in one transaction with the mail that
goes with it, so that a service that is killed between any two does each once. Files are removed after their row says
that they are, and looked for again until they are gone.
"""

from __future__ import annotations

import shutil

from webkeep.errors import UsageError
from webkeep.model import Clock, Moment
from webkeep.service.jobs import ENDED_STATES, Job, JobEvent, JobState
from webkeep.service.notices import MailDraft, MailSettings
from webkeep.service.recoveries import (
    VISITOR_COLLECTION,
    RecoveryYield,
    TermStep,
    VisitorRecovery,
    VisitorRecoveryState,
    VisitorSettings,
    draft_confirmation,
    draft_result,
    due_step,
    end_of_term,
    plan_visitor_recovery,
    yield_from_summary,
)
from webkeep.service.run.disk_budget import folder_bytes
from webkeep.service.run.service_folder import ServiceFolder
from webkeep.service.store import JobStore, NoticeStore, SqlDatabase, VisitorRecoveryStore

_SLOW_LOOK_SECONDS = 60.0
"""So often terms are looked at, and how large recoveries grew: days are what terms are counted in."""
_USE_SECONDS = 86400.0
"""So long it is remembered from where somebody asked: limits count by the day."""
_NOT_DONE = "It could not be carried out; whoever runs this service can see why."
_STOPPED = "Whoever runs this service stopped it."
_TOO_LARGE = "It is larger than what is recovered here."
_KEPT_STATES = (VisitorRecoveryState.PENDING, VisitorRecoveryState.COMPLETED, VisitorRecoveryState.FAILED)
"""Those whose terms run."""


class VisitorRunner:
    """Looks after all recoveries of visitors."""

    def __init__(
        self,
        folder: ServiceFolder,
        database: SqlDatabase,
        settings: VisitorSettings | None,
        mail: MailSettings | None,
        clock: Clock,
    ) -> None:
        self._folder, self._sql, self._clock, self._mail = folder, database, clock, mail
        self._recoveries, self._jobs = VisitorRecoveryStore(database), JobStore(database)
        self._notices = NoticeStore(database)
        self._is_open = settings is not None
        self._settings = settings or VisitorSettings({})
        self._slow_look: Moment | None = None
        self._has_remains = True
        """Whether something of deleted ones may be left; also at the start, as a service may have been killed."""

    # ---- asked for ----

    def submit(self, recovery: VisitorRecovery, address: str) -> None:
        """Take what somebody asks for, and write to them if mail is sent; raises where it is too much."""
        with self._sql.transaction():
            self._recoveries.add(recovery, address, self._settings.limits)
            if self._mail is not None and recovery.mail:
                end = end_of_term(recovery, self._settings.terms)
                self._queue_mail(recovery, draft_confirmation(recovery, self._mail.address, end))

    def delete(self, recovery: VisitorRecovery, message: str) -> bool:
        """Forget one, whatever it does; whether it was this call that did."""
        with self._sql.transaction():
            if not self._recoveries.delete(recovery, message):
                return False
            self._notices.forget_mail(recovery.id)
        self._has_remains = True
        return True

    # ---- by and by ----

    def look(self) -> bool:
        """Do what is due; whether some are left that go on by themselves."""
        processing = self._recoveries.list_recoveries([VisitorRecoveryState.PROCESSING])
        open_count = len([each for each in processing if not self._settle(each)])
        queued = self._recoveries.list_recoveries([VisitorRecoveryState.QUEUED]) if self._is_open else []
        for each in queued[: max(0, self._settings.limits.running - open_count)]:
            self._start(each)
        if self._is_slow_look_due():
            self._keep_terms()
            self._stop_large_ones(processing)
        if self._has_remains:
            self._has_remains = self._remove_remains()
        return bool(queued or open_count)

    def _is_slow_look_due(self) -> bool:
        now, last = self._clock.now(), self._slow_look
        is_due = last is None or abs(now.seconds_since(last)) >= _SLOW_LOOK_SECONDS
        self._slow_look = now if is_due else last
        return is_due

    def _start(self, recovery: VisitorRecovery) -> None:
        now = self._clock.now()
        try:
            plan = plan_visitor_recovery(recovery.order, self._settings.repositories)
        except UsageError as error:
            with self._sql.transaction():
                if self._recoveries.start(recovery, {}, self._jobs, now):
                    self._cancel_job_of(recovery.id, now)
                    self._fail(recovery.id, f"{error}.", now)
            return
        self._recoveries.start(recovery, plan, self._jobs, now)

    def _cancel_job_of(self, recovery_id: str, now: Moment) -> None:
        recovery = self._recoveries.find(recovery_id)
        job = None if recovery is None else self._find_job(recovery)
        if job is not None and job.state not in ENDED_STATES and job.wish is not JobEvent.CANCEL:
            self._jobs.wish(job, JobEvent.CANCEL, now)

    def _settle(self, recovery: VisitorRecovery) -> bool:
        """Record what became of one that is said to be done; whether that is over."""
        job, now = self._find_job(recovery), self._clock.now()
        if job is not None and job.state not in ENDED_STATES:
            return False
        with self._sql.transaction():
            if job is not None and job.state is JobState.DONE:
                outcome = self._name_repositories(yield_from_summary(job.summary))
                if self._recoveries.finish(recovery, outcome, now):
                    self._announce(recovery.id, is_reminder=False)
            else:
                is_stopped = job is not None and job.state is JobState.CANCELLED
                self._fail(recovery.id, _STOPPED if is_stopped else _NOT_DONE, now)
        return True

    def _fail(self, recovery_id: str, message: str, now: Moment) -> None:
        recovery = self._recoveries.find(recovery_id)
        is_done_now = recovery is not None and recovery.state is VisitorRecoveryState.PROCESSING
        if recovery is not None and is_done_now and self._recoveries.fail(recovery, message, now):
            self._announce(recovery_id, is_reminder=False)

    def _find_job(self, recovery: VisitorRecovery) -> Job | None:
        try:
            return self._jobs.get(recovery.job) if recovery.job else None
        except UsageError:
            return None

    def _name_repositories(self, outcome: RecoveryYield) -> RecoveryYield:
        """What it came to, with repositories called as visitors know them."""
        from webkeep.recover.sources import load_declarations, parse_repository  # most services have no visitors

        known: dict[str, str] = {}
        declarations = load_declarations()
        for label, source in self._settings.repositories.items():
            try:
                known.setdefault(parse_repository(source, declarations).name, label)
            except UsageError:  # it was taken off the disk meanwhile
                continue
        given, asked = (
            {known.get(name, name): count for name, count in counts.items()}
            for counts in (outcome.contributions, outcome.requests)
        )
        return RecoveryYield(outcome.recovered, outcome.missing, outcome.bytes, given, asked)

    # ---- terms ----

    def _keep_terms(self) -> None:
        now = self._clock.now()
        for each in self._recoveries.list_recoveries(_KEPT_STATES):
            match due_step(each, self._settings.terms, now):
                case TermStep.DELETE:
                    is_pending = each.state is VisitorRecoveryState.PENDING
                    self.delete(each, "never confirmed" if is_pending else "its term was over")
                case TermStep.REMIND_TO_CONFIRM | TermStep.REMIND_TO_PICK_UP:
                    self._remind(each, now)
                case TermStep.NOTHING:
                    pass
        self._recoveries.forget_uses(now.plus(-_USE_SECONDS))

    def _remind(self, recovery: VisitorRecovery, now: Moment) -> None:
        if self._mail is None or not recovery.mail:
            return
        with self._sql.transaction():
            if not self._recoveries.note_reminder(recovery, now):
                return
            if recovery.state is VisitorRecoveryState.PENDING:
                end = end_of_term(recovery, self._settings.terms)
                self._queue_mail(recovery, draft_confirmation(recovery, self._mail.address, end, is_reminder=True))
            else:
                self._announce(recovery.id, is_reminder=True)

    def _announce(self, recovery_id: str, is_reminder: bool) -> None:
        recovery = self._recoveries.find(recovery_id)
        if self._mail is not None and recovery is not None and recovery.mail:
            end = end_of_term(recovery, self._settings.terms)
            self._queue_mail(recovery, draft_result(recovery, self._mail.address, end, is_reminder))

    def _queue_mail(self, recovery: VisitorRecovery, draft: MailDraft) -> None:
        self._notices.queue_mail(draft, self._clock.now(), recovery.id)

    def _stop_large_ones(self, processing: list[VisitorRecovery]) -> None:
        """Stop those that take more of the disk than visitors may."""
        largest, now = self._settings.limits.largest_gigabytes * 1_000_000_000, self._clock.now()
        for each in processing:
            if folder_bytes(self._folder.archive(VISITOR_COLLECTION, each.id)) > largest:
                with self._sql.transaction():
                    self._cancel_job_of(each.id, now)
                    self._fail(each.id, _TOO_LARGE, now)

    # ---- what is left on the disk ----

    def _remove_remains(self) -> bool:
        """Take away what is left of deleted ones; whether some have to wait for their process."""
        waiting, now = False, self._clock.now()
        for each in self._recoveries.list_remains():
            job = self._find_job(each)
            if job is not None and job.state not in ENDED_STATES:
                self._cancel_job_of(each.id, now)
                waiting = True
                continue
            shutil.rmtree(self._folder.archive(VISITOR_COLLECTION, each.id), ignore_errors=True)
            if job is not None:
                self._folder.workspace(job.id).remove()
            with self._sql.transaction():
                if job is not None and job.state is not JobState.EXPIRED:
                    self._jobs.forget(job, now)
                self._recoveries.note_removal(each)
        return waiting
