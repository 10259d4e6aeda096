"""The server that archives itself: middleware that keeps every distinct answer a site really gave."""

from webkeep.recorder.asgi import ArchivingMiddleware
from webkeep.recorder.limits import Limits
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.rules import Rules
from webkeep.recorder.tally import Count
from webkeep.recorder.wsgi import ArchivingApplication, archiving
from webkeep.store.served_history import History, histories, history

__all__ = [
    "ArchivingApplication",
    "ArchivingMiddleware",
    "Count",
    "History",
    "Limits",
    "Recorder",
    "Rules",
    "archiving",
    "histories",
    "history",
]
