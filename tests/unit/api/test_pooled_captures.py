"""What many workers wrote, brought into one archive."""

from pathlib import Path

from webkeep.api.captures import CaptureSummary
from webkeep.api.pooled_captures import PoolRequest, _bring_together
from webkeep.api.work_listener import CallbackListener
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import Archive, WritableArchive

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
START = Moment.parse("2026-05-01")
SUMMARY = CaptureSummary(
    capture="one", finished=True, resumed=False, counts={}, bytes=0, seconds=1.0, missed=0, hosts={}
)


def test_what_is_damaged_in_the_archive_of_a_worker_is_told_and_counted(tmp_path: Path) -> None:
    for name in ("main", "worker-1", "worker-2"):
        with WritableArchive.create(tmp_path / "crawl" / name) as archive:
            seen = archive.append(Exchange(f"http://{name}.example/", START, HEAD, BytesBody(name.encode() * 999)))
    file = tmp_path / "crawl" / "worker-2" / "warcs" / seen.place.file
    sound = file.read_bytes()
    damaged = bytearray(sound)
    damaged[seen.place.offset + seen.place.length // 2] ^= 0xFF
    notes: list[str] = []
    request = PoolRequest("postgresql:///crawl", tmp_path / "crawl", whole=tmp_path / "whole")
    listener = CallbackListener(on_note=notes.append)
    for content, word in ((bytes(damaged), "keep"), (sound, "")):
        file.write_bytes(content)
        notes.clear()
        done = _bring_together(request, tmp_path / "whole", SUMMARY, listener)
        assert done.archive == tmp_path / "whole"
        assert bool(done.flaws) == bool(word) == ("flaws" in done.to_dict())
        assert any(f"keep {tmp_path / 'crawl'}" in note for note in notes) == bool(word)
    with Archive(tmp_path / "whole") as whole:
        assert whole.lookup("http://worker-2.example/") is not None
