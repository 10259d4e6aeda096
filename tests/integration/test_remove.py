"""Taking down: the bytes are gone from the disk, nothing else is, and a crash in between does no harm."""

import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from warc_material import (
    MOMENT,
    SITE,
    contents_of,
    exchange,
    findings_of,
    gzipped,
    http,
    on_disk,
    record,
    record_id,
    response,
    revisit,
    sha1,
    webkeep,
)

from webkeep.model import Moment
from webkeep.store.archive import Archive, Selection, WritableArchive
from webkeep.store.folder import ArchiveLayout, replacement_journal as journal
from webkeep.store.maintenance import select_for_takedown, take_down

SECRET = bytes(random.Random(1).choices(b"abcdefgh", k=4000))
NOISE = random.Random(2).randbytes(5000)
NOT_MODIFIED = b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'


def urls_of(path: Path) -> list[str]:
    with Archive(path) as archive:
        return sorted(each.url for each in archive)


def state_of(path: Path) -> tuple[object, ...]:
    with Archive(path) as archive:
        return sorted(contents_of(archive), key=str), list(archive.tombstones()), list(archive.captures())


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "archive"
    with WritableArchive.create(path) as archive, archive.begin("capture", [SITE]) as capture:
        capture.append(exchange(f"{SITE}innocent", b"stays", MOMENT, b"GET /innocent HTTP/1.1\r\n\r\n"))
        capture.append(exchange(f"{SITE}secret", SECRET, MOMENT.plus(1), b"GET /secret HTTP/1.1\r\nCookie: k\r\n\r\n"))
        capture.append(exchange(f"{SITE}noise", NOISE, MOMENT.plus(2)))
        capture.append(exchange(f"{SITE}last", b"stays too", MOMENT.plus(3)))
    return path


def test_bytes_leave_the_disk(kept: Path) -> None:
    assert on_disk(kept, SECRET[:200]) != [] != on_disk(kept, NOISE[:200])
    for name in ("secret", "noise"):
        done = webkeep("remove", kept, "--url", f"{SITE}{name}", "--reason", "a court said so", "--yes")
        assert (done.code, done.summary["removed"], done.summary["repaired"]) == (0, 1, 0)
    assert on_disk(kept, SECRET[:200]) == on_disk(kept, NOISE[:200]) == on_disk(kept, b"Cookie: k") == []
    assert urls_of(kept) == [f"{SITE}innocent", f"{SITE}last"]
    with Archive(kept) as archive:
        assert [payload for _, _, payload in contents_of(archive)] == [b"stays", b"stays too"]
        stones = [(each.url, each.moment, each.reason, each.digest) for each in archive.tombstones()]
    assert stones == [
        (f"{SITE}secret", MOMENT.plus(1), "a court said so", sha1(SECRET)),
        (f"{SITE}noise", MOMENT.plus(2), "a court said so", sha1(NOISE)),
    ]
    assert findings_of(kept) == []


def test_what_the_caches_held_leaves_too(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path, rotate_at=2000) as archive, archive.begin("capture") as capture:
        head = b"POST /form HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
        body = exchange("", b"password=correct-horse-battery").body
        capture.append(exchange(f"{SITE}form", b"in", MOMENT, head, request_body=body))
        for number in range(50):
            capture.append(exchange(f"{SITE}{number}", b"%d" % number, MOMENT.plus(number)))
    assert "index.sqlite" in " ".join(on_disk(path, b"correct-horse"))
    with Archive(path) as reader:  # whose presence keeps the logs of the databases from being folded up
        assert len(list(reader.observations())) == 51
        assert webkeep("remove", path, "--url", f"{SITE}form", "--yes").code == 0
        assert on_disk(path, b"correct-horse") == []


def test_without_yes_it_only_tells(kept: Path) -> None:
    done = webkeep("remove", kept, "--url", f"{SITE}secret")
    assert (done.code, done.summary["would_remove"]) == (0, 1)
    assert f"{SITE}secret" in urls_of(kept)
    assert webkeep("remove", kept, "--url", f"{SITE}nothing").code == 1
    assert webkeep("remove", kept, "--url", f"{SITE}nothing", "--yes").code == 1
    assert webkeep("remove", kept).code == 2


def test_of_urls_with_one_key_only_the_one_that_was_named(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    spellings = ["http://example.org/Page", "http://example.org/page", "https://www.example.org/page"]
    with WritableArchive.create(path) as archive, archive.begin("capture") as capture:
        for number, url in enumerate(spellings):
            capture.append(exchange(url, b"%d" % number, MOMENT.plus(number)))
    assert webkeep("remove", path, "--url", spellings[1], "--yes").summary["removed"] == 1
    assert urls_of(path) == [spellings[0], spellings[2]]
    assert webkeep("remove", path, "--url", "http://example.org/PAGE", "--yes").summary["removed"] == 2


@pytest.mark.parametrize("going", ["first", "heir", "all but one", "everything"])
def test_revisits_that_stay_read_as_before(tmp_path: Path, going: str) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path, rotate_at=1500) as archive, archive.begin("capture") as capture:
        for number in range(5):
            url = f"{SITE}{number}"
            head = http(b"", f"X-Number: {number}")
            capture.append(exchange(url, SECRET, MOMENT.plus(number), head=head))
        capture.append(exchange(f"{SITE}0", b"", MOMENT.plus(10), head=NOT_MODIFIED))
        before = {each[:2]: each[2] for each in contents_of(archive)}
    takedowns = {"first": ["0"], "heir": ["0", "1"], "all but one": ["0", "1", "2", "3"], "everything": [*"01234"]}
    removed = {f"{SITE}{number}" for number in takedowns[going]}
    for url in sorted(removed):
        assert webkeep("remove", path, "--url", url, "--until", "20240301120005", "--yes").code == 0
    expected = {key: payload for key, payload in before.items() if key[0] not in removed or key[1] == MOMENT.plus(10)}
    with Archive(path) as archive:
        assert {each[:2]: each[2] for each in contents_of(archive)} == expected
        for each in archive:
            head = archive.read(each).head
            assert head is not None
            if each.moment != MOMENT.plus(10):
                assert head.headers.get("x-number") == each.url[-1]
        kinds = sorted(each.record_type for each in archive)
        assert kinds.count("response") == 1
    assert findings_of(path) == []


def test_a_revisit_that_names_what_goes_is_turned_to_another_holder(tmp_path: Path) -> None:
    body = b"held twice " * 20
    fields = {"WARC_Refers_To_Target_URI": f"{SITE}named", "WARC_Refers_To_Date": MOMENT.iso()}
    records = [
        response(1, f"{SITE}other", body),
        response(2, f"{SITE}named", body),
        revisit(3, f"{SITE}again", http(b""), WARC_Payload_Digest=sha1(body), **fields),
    ]
    path = tmp_path / "archive"
    (tmp_path / "in.warc.gz").write_bytes(gzipped(records))
    webkeep("import", tmp_path / "in.warc.gz", "--into", path)
    assert webkeep("remove", path, "--url", f"{SITE}named", "--yes").summary["repaired"] == 1
    with Archive(path) as archive:
        turned = [each for each in archive.records() if each.type == "revisit"]
        assert [each.get("WARC-Refers-To-Target-URI") for each in turned] == [f"{SITE}other"]
        again = archive.lookup(f"{SITE}again")
        assert again is not None
        assert archive.read(again).read() == body


@pytest.mark.parametrize("digest", [None, "md5:" + "0" * 32])
def test_a_revisit_that_only_names_what_goes_is_given_the_payload(tmp_path: Path, digest: str | None) -> None:
    fields = {"WARC_Refers_To_Target_URI": f"{SITE}named", "WARC_Refers_To_Date": MOMENT.iso()}
    again = revisit(
        3, f"{SITE}again", http(b""), WARC_Payload_Digest=digest, WARC_Date="2024-03-02T00:00:00Z", **fields
    )
    path = tmp_path / "archive"
    (tmp_path / "in.warc.gz").write_bytes(gzipped([response(2, f"{SITE}named", SECRET), again]))
    webkeep("import", tmp_path / "in.warc.gz", "--into", path)
    assert webkeep("remove", path, "--url", f"{SITE}named", "--yes").summary["repaired"] == 1
    with Archive(path) as archive:
        assert [(url, payload) for url, _, payload in contents_of(archive)] == [(f"{SITE}again", SECRET)]


def test_revisits_with_digests_of_no_known_kind_stay_apart(tmp_path: Path) -> None:
    """Two payloads whose digests cannot be read must not be taken for one another."""
    records = []
    for number, name in enumerate(("a", "b")):
        body = name.encode() * 100
        fields = {"WARC_Refers_To_Target_URI": f"{SITE}{name}", "WARC_Refers_To_Date": MOMENT.iso()}
        records += [
            response(number, f"{SITE}{name}", body, WARC_Payload_Digest=f"crc32:{number}"),
            revisit(10 + number, f"{SITE}{name}2", http(b""), WARC_Payload_Digest=f"crc32:{number}", **fields),
        ]
    path = tmp_path / "archive"
    (tmp_path / "in.warc.gz").write_bytes(gzipped(records))
    webkeep("import", tmp_path / "in.warc.gz", "--into", path)
    assert webkeep("remove", path, "--url", f"{SITE}a", "--yes").code == 0
    with Archive(path) as archive:
        assert {url: payload for url, _, payload in contents_of(archive)} == {
            f"{SITE}a2": b"a" * 100,
            f"{SITE}b": b"b" * 100,
            f"{SITE}b2": b"b" * 100,
        }


def test_what_is_about_a_record_goes_with_it(tmp_path: Path) -> None:
    def about(kind: str, number: int, field: str, of: int, block: bytes, name: str = "secret") -> bytes:
        fields = {"WARC-Record-ID": record_id(number), field: record_id(of), "WARC-Target-URI": f"{SITE}{name}"}
        media = "application/warc-fields" if kind == "metadata" else "text/plain"
        return record(kind, block, {**fields, "Content-Type": media})

    records = [
        response(1, f"{SITE}secret", SECRET),
        about("metadata", 2, "WARC-Concurrent-To", 1, b"outlink: secret-name\r\n"),
        about("conversion", 3, "WARC-Refers-To", 1, b"secret text"),
        response(4, f"{SITE}other", b"other"),
        about("metadata", 5, "WARC-Concurrent-To", 4, b"outlink: open-name\r\n", "other"),
        about("conversion", 6, "WARC-Refers-To", 4, b"open text", "other"),
    ]
    (tmp_path / "in.warc.gz").write_bytes(gzipped(records))
    path = tmp_path / "archive"
    webkeep("import", tmp_path / "in.warc.gz", "--into", path)
    webkeep("remove", path, "--url", f"{SITE}secret", "--yes")
    assert on_disk(path, b"secret-name") == on_disk(path, b"secret text") == on_disk(path, SECRET[:100]) == []
    assert on_disk(path, b"open-name") == on_disk(path, b"open text") != []


def test_a_removed_payload_is_stored_whole_again(kept: Path) -> None:
    webkeep("remove", kept, "--url", f"{SITE}secret", "--yes")
    with WritableArchive(kept) as archive:
        observation = archive.append(exchange(f"{SITE}again", SECRET, MOMENT.plus(50)))
        assert observation.record_type == "response"
        assert archive.read(observation).read() == SECRET
    assert findings_of(kept) == []


def test_rebuilding_gives_the_same(kept: Path) -> None:
    webkeep("remove", kept, "--url", f"{SITE}secret", "--yes")
    before = state_of(kept)
    assert webkeep("rebuild", kept).code == 0
    assert state_of(kept) == before


def test_files_of_all_kinds_with_names_alike(tmp_path: Path) -> None:
    """Files dropped in, two of which would get one name when they are written anew."""
    path = tmp_path / "archive"
    with WritableArchive.create(path):
        pass
    names = ["site-report.a.warc.gz", "site-report.a.warc", "site-report.b.warc", "x.arc"]
    for number, name in enumerate(names):
        records = [response(number, f"{SITE}{number}/go", b"go %d" % number)]
        records.append(response(10 + number, f"{SITE}{number}/stay", b"stay %d" % number))
        if name.endswith(".arc"):
            blocks = {f"{SITE}{number}/{what}": http(f"{what} {number}".encode()) for what in ("go", "stay")}
            records = [
                f"{url} 127.0.0.1 20240301120000 text/html {len(block)}\n".encode() + block + b"\n"
                for url, block in blocks.items()
            ]
        data = gzipped(records) if name.endswith(".gz") else b"".join(records)
        (path / "warcs" / name).write_bytes(data)
    for _ in range(2):
        for number in range(len(names)):
            webkeep("remove", path, "--url", f"{SITE}{number}/go", "--yes")
    assert urls_of(path) == [f"{SITE}{number}/stay" for number in range(len(names))]
    assert findings_of(path) == []
    with Archive(path) as archive:
        assert sorted(payload for _, _, payload in contents_of(archive)) == [b"stay %d" % n for n in range(4)]
    kept = sorted(file.name for file in (path / "warcs").iterdir())
    assert kept == ["site-report.a-r1.warc.gz", "site-report.a-r2.warc.gz", "site-report.b-r1.warc.gz", "x-r1.warc.gz"]


def test_one_removal_over_files_with_names_alike(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path):
        pass
    for number, name in enumerate(("site.warc", "site.warc.gz")):
        records = [
            response(number, f"{SITE}go/{number}", b"go"),
            response(10 + number, f"{SITE}stay/{number}", b"stay"),
        ]
        (path / "warcs" / name).write_bytes(gzipped(records) if name.endswith(".gz") else b"".join(records))
    done = webkeep("remove", path, "--url", f"{SITE}go/", "--match", "prefix", "--yes")
    assert (done.summary["removed"], done.summary["files"]) == (2, 2)
    assert urls_of(path) == [f"{SITE}stay/0", f"{SITE}stay/1"]


def test_damaged_bytes_beside_a_removed_record_are_left_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path):
        pass
    damaged = bytearray(gzip.compress(response(1, f"{SITE}damaged", SECRET)))
    damaged[len(damaged) // 2] ^= 0xFF
    together = gzip.compress(response(5, f"{SITE}5", b"five") + response(6, f"{SITE}6", b"six"))
    parts = [
        gzipped([response(0, f"{SITE}go", b"go")]),
        bytes(damaged),
        together,
        gzipped([response(2, f"{SITE}x", b"x")]),
    ]
    (path / "warcs/site.warc.gz").write_bytes(b"".join(parts))
    before = {each.code for each in findings_of(path)}
    assert webkeep("remove", path, "--url", f"{SITE}go", "--yes").code == 0
    (rewritten,) = (path / "warcs").iterdir()
    assert rewritten.read_bytes().startswith(b"".join(parts[1:]))
    assert {each.code for each in findings_of(path)} == before
    assert urls_of(path) == [f"{SITE}x"]


def test_a_flawed_record_of_a_plain_file_is_kept_as_far_as_it_is_there_and_told(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path):
        pass
    broken = response(1, f"{SITE}broken", b"b", Content_Length="9999")
    records = [response(0, f"{SITE}go", b"go"), broken, response(2, f"{SITE}stay", b"stay")]
    (path / "warcs/site.warc").write_bytes(b"".join(records))
    done = webkeep("remove", path, "--url", f"{SITE}go", "--yes", as_json=False)
    assert done.code == 1
    assert "site.warc" in done.lines[0]
    assert urls_of(path) == [f"{SITE}broken", f"{SITE}stay"]
    assert findings_of(path) == []


class Stopped(BaseException):
    """The process ends here."""


def stop() -> None:
    raise Stopped


def interrupted(path: Path, monkeypatch: pytest.MonkeyPatch, patch: Callable[[pytest.MonkeyPatch], None]) -> None:
    """Begin a removal that stops at some step, as if the process had been killed there."""
    archive = WritableArchive(path)
    try:
        with monkeypatch.context() as context, pytest.raises(Stopped):
            patch(context)
            take_down(archive, Selection(url=f"{SITE}0", until=MOMENT.plus(5)), "", lambda finding: None)
    finally:
        archive.close()


def before_the_journal(context: pytest.MonkeyPatch) -> None:
    context.setattr("webkeep.store.maintenance.takedown.write_journal", lambda layout, pairs: stop())


def after_the_journal(context: pytest.MonkeyPatch) -> None:
    context.setattr("webkeep.store.maintenance.takedown.apply_journal", lambda layout: stop())


def between_files(number: int) -> Callable[[pytest.MonkeyPatch], None]:
    def patch(context: pytest.MonkeyPatch) -> None:
        real, done = journal.swap_file, []

        def swap_file(layout: ArchiveLayout, old: str, new: str) -> None:
            if len(done) == number:
                stop()
            done.append(old)
            real(layout, old, new)

        context.setattr(journal, "swap_file", swap_file)

    return patch


def half_way_through_a_file(context: pytest.MonkeyPatch) -> None:
    def swap_file(layout: ArchiveLayout, old: str, new: str) -> None:
        (layout.warcs / (new + journal.UNFINISHED_SUFFIX)).replace(layout.warcs / new)
        stop()

    context.setattr(journal, "swap_file", swap_file)


def before_the_caches(context: pytest.MonkeyPatch) -> None:
    context.setattr("webkeep.store.maintenance.takedown._update_caches", lambda archive, pairs: stop())


def between_the_caches(context: pytest.MonkeyPatch) -> None:
    context.setattr("webkeep.store.maintenance.takedown.index_new_files", lambda paths, index, catalog: stop())


def before_the_journal_is_closed(context: pytest.MonkeyPatch) -> None:
    context.setattr("webkeep.store.maintenance.takedown.close_journal", lambda layout: stop())


STEPS = [
    (before_the_journal, False),
    (after_the_journal, True),
    (between_files(0), True),
    (between_files(1), True),
    (between_files(2), True),
    (half_way_through_a_file, True),
    (before_the_caches, True),
    (between_the_caches, True),
    (before_the_journal_is_closed, True),
]


@pytest.mark.parametrize(("step", "happens"), STEPS)
@pytest.mark.parametrize("opened_by", ["reader", "writer", "rebuild"])
def test_a_crash_at_any_step(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: Callable[[pytest.MonkeyPatch], None],
    happens: bool,
    opened_by: str,
) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path, rotate_at=1200) as archive, archive.begin("capture") as capture:
        for number in range(6):
            capture.append(exchange(f"{SITE}{number}", SECRET, MOMENT.plus(number)))
    names = sorted(file.name for file in (path / "warcs").iterdir())
    assert len(names) > 2
    with Archive(path) as archive:
        before = {each[:2]: each[2] for each in contents_of(archive)}
    interrupted(path, monkeypatch, step)
    if opened_by == "writer":
        WritableArchive(path).close()
    elif opened_by == "rebuild":
        assert webkeep("rebuild", path).code == 0
    with Archive(path) as archive:
        after = {each[:2]: each[2] for each in contents_of(archive)}
        stones = [each.url for each in archive.tombstones()]
        assert archive.repair_findings == []
    assert findings_of(path) == []
    # A reader alone may leave a decided removal to the next writer; no more than that.
    done = happens and after != before
    assert done or not happens or opened_by == "reader"
    gone = {key: payload for key, payload in before.items() if key[0] != f"{SITE}0"}
    assert (after, stones) == ((gone, [f"{SITE}0"]) if done else (before, []))
    WritableArchive(path).close()
    assert not [*(path / "warcs").glob("*" + journal.UNFINISHED_SUFFIX), *(path / "jobs").iterdir()]
    assert urls_of(path) == sorted({url for url, _ in (gone if happens else before)})


def test_a_journal_whose_new_file_is_missing_deletes_nothing(kept: Path) -> None:
    (name,) = (file.name for file in (kept / "warcs").iterdir())
    journal.write_journal(ArchiveLayout(kept), [(name, "new.warc.gz")])
    done = webkeep("import", kept / "warcs" / name, "--into", kept, as_json=False)
    assert (done.code, len(done.lines)) == (3, 1)
    assert "new.warc.gz is missing" in done.err
    assert [file.name for file in (kept / "warcs").iterdir()] == [name]


def test_a_whole_capture_and_a_time(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path) as archive:
        ids = []
        for day in (1, 2, 3):
            with archive.begin("capture") as capture:
                ids.append(capture.id)
                for number in range(3):
                    moment = Moment.parse(f"2024-03-0{day}").plus(number)
                    capture.append(exchange(f"{SITE}{number}", SECRET + bytes([number]), moment))
        before = {each[:2]: each[2] for each in contents_of(archive)}
    assert webkeep("remove", path, "--capture", ids[1][:8], "--yes").summary["removed"] == 3
    assert webkeep("remove", path, "--until", "2024-03-01T23:59:59Z", "--yes").summary["removed"] == 3
    with Archive(path) as archive:
        left = {each[:2]: each[2] for each in contents_of(archive)}
        assert [each.id for each in archive.captures()] == ids
        assert select_for_takedown(archive, Selection(capture=ids[0])) == []
    assert left == {key: payload for key, payload in before.items() if key[1] >= Moment.parse("2024-03-03")}
    assert findings_of(path) == []
