"""The server's face: which of its names a request came to, and whether it may come in at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from webkeep.replay.context import Context
from webkeep.replay.control import Control
from webkeep.replay.locks import site_locks
from webkeep.replay.message import Answer, Later, Request, text_answer
from webkeep.replay.replaying import Replaying


class Site:
    """Answers every request."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._control = Control(context)
        self._replaying = Replaying(context)
        self.locks = site_locks(context.front, context.elsewhere)

    def answer(self, request: Request) -> Answer | Later:
        """Hand a request to whom it concerns; a Host that is none of ours gets nothing."""
        front = self._context.front
        host = request.host
        if request.is_upgrade:
            return text_answer(501, "nothing but HTTP is spoken here")
        if front.is_control(host):
            return self._refusal(request) or self._paced(partial(self._control.answer, request))
        replayed = front.replayed(host)
        if replayed is not None:
            return self._paced(partial(self._replaying.answer, request, replayed))
        return text_answer(421, f"this server is called {front.authority}; ask for it by that name")

    def _paced(self, make: Callable[[], Answer | Later]) -> Answer | Later:
        """An answer at once; under access rules it may take a look at many versions to find one that may be seen."""
        if not self._context.looker.access.rules:
            return make()

        def made() -> Answer:
            answer = make()
            return answer.make() if isinstance(answer, Later) else answer

        return Later(made)

    def _refusal(self, request: Request) -> Answer | None:
        password = self._context.password
        given = request.headers.get("authorization", "")
        return None if password is None else password.refusal(request.client, given)
