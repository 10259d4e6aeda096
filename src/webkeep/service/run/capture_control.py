"""The capture of a job while it runs: how it is doing, and what it can be told, by the files in its archive.

An archive has one writer, so that the one capture of it which listens is that of the job which runs.
"""

from __future__ import annotations

from pathlib import Path

from webkeep.crawl.run import ControlChannel
from webkeep.service.jobs import Job
from webkeep.service.run.service_folder import ServiceFolder
from webkeep.store.folder import ArchiveLayout

_MAIN_ARCHIVE = "main"
"""Of a capture on many machines: the one beside those of its workers."""


def find_job_channel(folder: ServiceFolder, job: Job) -> ControlChannel | None:
    """Where the capture of a job is told things, while it runs."""
    if job.order.wants_workers:
        return find_control_channel(folder.workspace(job.id).workers_path / _MAIN_ARCHIVE)
    return find_control_channel(folder.archive(job.order.collection, job.order.archive))


def find_control_channel(archive: Path) -> ControlChannel | None:
    """Where the capture that runs in an archive is told things; None where none does."""
    try:
        folders = sorted(each for each in ArchiveLayout(archive).jobs.iterdir() if each.is_dir())
    except OSError:
        return None
    channels = (ControlChannel(folder) for folder in folders)
    return next((channel for channel in channels if channel.is_listening), None)
