"""Job folders: made, found again by their plan, and taken away."""

from pathlib import Path

from webkeep.model import CaptureKind
from webkeep.store.archive import WritableArchive
from webkeep.store.jobs import PLAN_FACT, JobFolder, job_path, newest_captures, resumable_captures


def test_the_newest_unfinished_run_of_a_plan_is_gone_on_with(tmp_path: Path) -> None:
    with WritableArchive.open_or_create(tmp_path / "archive") as archive:
        old, new = (archive.begin("capture", (), {PLAN_FACT: "same"}) for _ in range(2))
        archive.begin("capture", (), {PLAN_FACT: "other"})
        archive.begin("recover", (), {PLAN_FACT: "same"})
        archive.begin("capture", ())
        archive.begin("capture", (), {PLAN_FACT: "same"}).end({})  # which waits until all of them are on disk
        found = [each.id for each in resumable_captures(archive, CaptureKind.CAPTURE, lambda text: text == "same")]
        assert found == [new.id, old.id]
        assert len(newest_captures(archive, CaptureKind.CAPTURE)) == 5


def test_a_folder_with_something_in_it_stays(tmp_path: Path) -> None:
    with WritableArchive.open_or_create(tmp_path / "archive") as archive:
        job = JobFolder(job_path(archive, "some-capture"))
    job.create_spool()
    (job.spool / "body").write_bytes(b"x")
    job.remove_if_empty()
    assert job.spool.is_dir()
    job.remove()
    assert not job.folder.exists()
    job.create_spool()
    job.remove_if_empty()
    assert not job.folder.exists()
