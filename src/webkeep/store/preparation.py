"""Preparing batches one after the other: in this process, or by an assistant where there is much to do."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import cast

from webkeep.errors import StorageError
from webkeep.model import Capture, Moment
from webkeep.store.assistant import Answer, Assistant, AssistantLostError, studied_of
from webkeep.store.batch import Batch, Item
from webkeep.store.drafting import Known
from webkeep.store.payload import Payload
from webkeep.store.recollection import Recollection

WORTH_AN_ASSISTANT = 300
"""After so many pieces of work that could be passed on, it pays to start a process for them."""

Hire = Callable[[Callable[[list[Answer] | None], None]], Assistant]
"""Starts an assistant that gives its answers to someone."""


class Preparation:
    """Prepares batches in the order they come and says when each is ready.

    An assistant that is lost is not missed: what it had not answered for is prepared here.
    """

    def __init__(self, known: Recollection, hire: Hire, finish: Callable[[Batch], None]) -> None:
        self._known = known
        self._hire = hire
        self._finish = finish
        self._turn = threading.Lock()
        self._assistant: Assistant | None = None
        self._assisted = False
        self._alone = False
        self._passed_on: deque[Batch] = deque()
        self._packable = 0
        self.failure: Exception | None = None
        """What ended it all."""

    def expect_much(self) -> None:
        """Have an assistant ready soon."""
        self._packable = WORTH_AN_ASSISTANT

    def take(self, batch: Batch, wait_for_others: Callable[[], None]) -> None:
        """Prepare a batch, or have it prepared; `wait_for_others` returns when all before it are on disk."""
        if not self._assisted and self._has_assistant(batch):
            # It knows what the catalog knows: from here on, that has to be everything.
            wait_for_others()
            self._assisted = True
        with self._turn:
            if self._assisted and self._assistant is not None and not self._assistant.lost:
                self._pass_on(batch, self._assistant)
            else:
                self._prepare_passed_on()
                self._prepare(batch, self._known)

    def disclaim(self, digest: str) -> None:
        """The record that claimed a payload will not be written."""
        self._known.disclaim(digest)
        if self._assistant is not None:
            self._assistant.disclaim(digest)

    def settled(self, batch: Batch) -> None:
        """A batch has come to its end: what was shared for it is free."""
        tray, batch.tray = batch.tray, None
        if tray is not None and self._assistant is not None:
            for item in batch.items:
                item.prepared = ()
            self._assistant.give_back(tray)

    def close(self) -> None:
        """Let the assistant go; nothing may be under way."""
        if self._assistant is not None:
            self._assistant.close()

    def _has_assistant(self, batch: Batch) -> bool:
        if self._assistant is None:
            self._packable += len(batch.items) if batch.is_packed else 0
            if self._packable >= WORTH_AN_ASSISTANT and (os.cpu_count() or 1) > 1 and not self._alone:
                self._hire_one()
            return False
        return self._assistant.ready.is_set() and not self._assistant.lost

    def _hire_one(self) -> None:
        try:
            self._assistant = self._hire(self._take_answers)
        except (OSError, RuntimeError):  # no process, memory or thread to be had: it goes on without
            self._alone = True

    def _pass_on(self, batch: Batch, assistant: Assistant) -> None:
        """Have a batch prepared; what cannot be packed is prepared here, but it is the assistant who knows."""
        try:
            if batch.is_packed:
                batch.tray = assistant.tray()
                self._passed_on.append(batch)
                assistant.prepare([item.packed for item in batch.items if item.packed is not None], batch.tray)
            else:
                self._prepare(batch, _Knower(assistant, self._known))
        except AssistantLostError:
            if not batch.is_packed:
                self._passed_on.append(batch)

    def _take_answers(self, answers: list[Answer] | None) -> None:
        """Take the answers to a batch, or all of its work once it is lost."""
        if answers is None:
            with self._turn:
                self._prepare_passed_on()
            return
        # It stays among those passed on until all of its answers are found good.
        batch, assistant = self._passed_on[0], cast("Assistant", self._assistant)
        for item, answer in zip(batch.items, answers, strict=True):
            item.prepared = assistant.prepared_from(answer)
            *_, item.error, item.studied = answer
        self._passed_on.popleft()
        self._finish(batch)

    def _prepare_passed_on(self) -> None:
        """Prepare what a lost assistant has not answered for, in its turn; whoever comes first does it before all else.

        A batch that overtook these could become the holder of a payload that an earlier record then refers to.
        """
        while self._passed_on:
            self._prepare(self._passed_on.popleft(), self._known)

    def _prepare(self, batch: Batch, known: Known) -> None:
        """Prepare a batch in this process."""
        try:
            _examine(batch.items)
            known.recall([item.digest for item in batch.items if item.digest])
            for item in batch.items:
                self._prepare_item(item, known)
        except AssistantLostError:
            raise
        except Exception as error:  # noqa: BLE001 - a writer that failed must say so, not leave its callers waiting
            self.failure = error
        self._finish(batch)

    def _prepare_item(self, item: Item, known: Known) -> None:
        if isinstance(item.task, Capture):
            return
        item.studied = studied_of(item.task)
        if item.error is not None:
            return
        try:
            item.prepared = item.task.prepare(known)
        except (StorageError, AssistantLostError):
            raise
        except Exception as error:  # noqa: BLE001 - what the work raises belongs to whoever submitted it
            item.error = error
            self.disclaim(item.digest)


def _examine(items: Sequence[Item]) -> None:
    for item in items:
        if isinstance(item.task, Capture):
            continue
        item.digest, item.error = "", None  # it may have been begun before, with an assistant that was lost
        try:
            item.digest = item.task.examine()
        except Exception as error:  # noqa: BLE001 - what the work raises belongs to whoever submitted it
            item.error = error


class _Knower:
    """What was stored before, as the assistant knows it."""

    def __init__(self, assistant: Assistant, known: Recollection) -> None:
        self._assistant = assistant
        self._known = known

    def recall(self, digests: Sequence[str]) -> None:
        """It recalls what it is asked about."""

    def claim(self, payload: Payload) -> Payload | None:
        """The record that holds this payload already; None, and from now on this one, where there is none."""
        return self._assistant.claim(payload)

    def latest(self, url: str, before: Moment) -> Payload | None:
        """The latest record of this URL that holds a payload."""
        return self._known.latest(url, before)
