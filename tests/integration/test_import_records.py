"""Importing what other tools wrote: every format, every order, byte for byte, and only once."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest
from warc_material import (
    MOMENT,
    SITE,
    contents_of,
    exchange,
    facts_of,
    findings_of,
    gzipped,
    http,
    record,
    record_id,
    request,
    response,
    revisit,
    sha1,
    warcinfo,
    webkeep,
    zstandarded,
)

from webkeep.formats.warc import IDENTICAL_PAYLOAD_PROFILE
from webkeep.model import Fate, UrlOutcome
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.transfer import RecordImport

PAGES = {f"{SITE}{name}": f"<title>{name}</title>".encode() * 20 for name in ("a", "b", "c")}
NOT_MODIFIED_1_0 = "http://netpreserve.org/warc/1.0/revisit/server-not-modified"
ARC_HEAD = b"1 0 Example\nURL IP-address Archive-date Content-type Archive-length\n"
ARC = b"filedesc://site.arc 0.0.0.0 20240301120000 text/plain %d\n%s\n" % (len(ARC_HEAD), ARC_HEAD)


def site(version: str = "WARC/1.0") -> list[bytes]:
    return [warcinfo(), *(response(n, url, body, version) for n, (url, body) in enumerate(PAGES.items()))]


def arc_site() -> list[bytes]:
    records = [ARC]
    for url, body in PAGES.items():
        message = http(body)
        records.append(f"{url} 127.0.0.1 20240301120000 text/html {len(message)}\n".encode() + message + b"\n")
    return records


def wacz(name: str, warc: bytes, compression: int) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as zipped:
        zipped.writestr(f"archive/{name}", warc)
    return target.getvalue()


def imported(tmp_path: Path, name: str, data: bytes) -> Path:
    (tmp_path / name).write_bytes(data)
    done = webkeep("import", tmp_path / name, "--into", tmp_path / "archive")
    assert (done.code, done.err) == (0, "")
    return tmp_path / "archive"


@pytest.mark.parametrize("version", ["WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"])
@pytest.mark.parametrize("form", ["gzip", "plain", "zstd", "gzip-whole", "zstd-whole"])
def test_every_version_and_form_of_warc(tmp_path: Path, version: str, form: str) -> None:
    records = site(version)
    name, data = {
        "gzip": ("site.warc.gz", gzipped(records)),
        "plain": ("site.warc", b"".join(records)),
        "zstd": ("site.warc.zst", zstandarded(records)),
        "gzip-whole": ("site.warc.gz", gzip.compress(b"".join(records))),
        "zstd-whole": ("site.warc.zst", zstandarded([b"".join(records)])),
    }[form]
    path = imported(tmp_path, name, data)
    with Archive(path) as archive:
        assert {url: payload for url, _, payload in contents_of(archive)} == PAGES
        assert {each.moment for each in archive.observations()} == {MOMENT}
        kept = [each.raw_head + each.read() + b"\r\n\r\n" for each in archive.records() if each.moment == MOMENT]
    # Records are copied byte for byte, heads and blocks, however they were compressed.
    assert kept == records
    assert findings_of(path) == []


@pytest.mark.parametrize("name", ["site.arc", "site.arc.gz"])
def test_arc(tmp_path: Path, name: str) -> None:
    records = arc_site()
    path = imported(tmp_path, name, gzipped(records) if name.endswith(".gz") else b"".join(records))
    with Archive(path) as archive:
        assert {url: payload for url, _, payload in contents_of(archive)} == PAGES
        assert {(each.status, each.media_type) for each in archive.observations()} == {(200, "text/html")}
    assert findings_of(path) == []


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("name", ["data.warc.gz", "data.warc", "data.arc.gz"])
def test_wacz_of_a_stranger(tmp_path: Path, name: str, compression: int) -> None:
    records = arc_site() if "arc.gz" in name and "warc" not in name else site()
    data = gzipped(records) if name.endswith(".gz") else b"".join(records)
    (tmp_path / "site.wacz").write_bytes(wacz(name, data, compression))
    done = webkeep("import", tmp_path / "site.wacz", "--into", tmp_path / "archive")
    # It has no manifest, which is told, and its records are taken all the same.
    assert (done.code, done.summary["stored"]) == (1, len(records))
    with Archive(tmp_path / "archive") as archive:
        assert {url: payload for url, _, payload in contents_of(archive)} == PAGES


def test_many_large_records_out_of_a_wacz(tmp_path: Path) -> None:
    """Records beyond what is copied in one piece are read by another thread while the file is still being scanned."""
    bodies = {f"{SITE}{n}": (b"%d" % n) * 600_000 + bytes(range(256)) * 2000 for n in range(10)}
    records = []
    for number, (url, body) in enumerate(bodies.items()):
        records += [response(1000 + 50 * number + n, f"{url}/{n}", b"x" * n) for n in range(50)]
        records.append(response(number, url, body))
    data = wacz("data.warc", b"".join(records), zipfile.ZIP_STORED)
    (tmp_path / "site.wacz").write_bytes(data)
    webkeep("import", tmp_path / "site.wacz", "--into", tmp_path / "archive")
    assert findings_of(tmp_path / "archive") == []
    with Archive(tmp_path / "archive") as archive:
        held = {url: payload for url, _, payload in contents_of(archive)}
    assert {url: held[url] for url in bodies} == bodies


def test_a_directory_of_them(tmp_path: Path) -> None:
    urls = list(PAGES)
    below = tmp_path / "in" / "deeper"
    below.mkdir(parents=True)
    (tmp_path / "in" / "one.warc.gz").write_bytes(gzipped([response(1, urls[0], b"1")]))
    (below / "two.warc").write_bytes(response(2, urls[1], b"2"))
    (below / "three.wacz").write_bytes(wacz("three.warc", response(3, urls[2], b"3"), zipfile.ZIP_STORED))
    (below / "notes.txt").write_text("not a record")
    done = webkeep("import", tmp_path / "in", "--into", tmp_path / "archive")
    assert (done.summary["files"], done.summary["stored"]) == (3, 3)
    with Archive(tmp_path / "archive") as archive:
        assert sorted(payload for _, _, payload in contents_of(archive)) == [b"1", b"2", b"3"]


@pytest.mark.parametrize("request_first", [False, True])
def test_requests_before_and_after_responses_are_paired(tmp_path: Path, request_first: bool) -> None:
    post = b"POST /form HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nname=value"
    records = []
    for number, (url, block) in enumerate({f"{SITE}form": post, f"{SITE}page": b""}.items()):
        answer = response(number, url, b"thanks", WARC_Concurrent_To=record_id(10 + number))
        asked = request(10 + number, number, url, block)
        records += [asked, answer] if request_first else [answer, asked]
    path = imported(tmp_path, "site.warc.gz", gzipped([warcinfo(), *records]))
    with Archive(path) as archive:
        form, page = archive.observations()
        assert (form.method, page.method) == ("POST", "GET")
        assert [entry.post for entry in archive.entries(f"{SITE}form")] == ["__wb_method=POST&name=value"]
        assert form.request is not None
        with archive.files.open(form.request.file) as stream:
            assert archive.files.read_record(form.request, stream).read() == post
        assert page.request is not None
    before = described(path)
    assert webkeep("rebuild", path).code == 0
    assert described(path) == before


def described(path: Path) -> list[object]:
    with Archive(path) as archive:
        return [
            list(archive.captures()),
            list(archive.observations()),
            list(archive.entries()),
            list(archive.catalog.log.fates()),
            list(archive.tombstones()),
        ]


@pytest.mark.parametrize("profile", [IDENTICAL_PAYLOAD_PROFILE, IDENTICAL_PAYLOAD_PROFILE.replace("1.1", "1.0")])
@pytest.mark.parametrize("named_by", ["digest", "name", "both"])
@pytest.mark.parametrize("with_head", [True, False])
def test_revisits_of_an_identical_payload(tmp_path: Path, profile: str, named_by: str, with_head: bool) -> None:
    body = b"<p>the same</p>" * 10
    fields: dict[str, str | None] = {"WARC_Date": "2024-03-02T00:00:00Z"}
    if named_by != "digest":
        fields |= {"WARC_Refers_To_Target_URI": SITE, "WARC_Refers_To_Date": MOMENT.iso()}
    if named_by != "name":
        fields["WARC_Payload_Digest"] = sha1(body)
    again = revisit(2, f"{SITE}again", http(b"", "X-Second: yes") if with_head else b"", profile, **fields)
    # The revisit comes first: what it refers to is looked up on reading.
    path = imported(tmp_path, "site.warc.gz", gzipped([again, response(1, SITE, body)]))
    with Archive(path) as archive:
        found = archive.lookup(f"{SITE}again")
        assert found is not None
        holding = archive.read(found)
        assert (found.record_type, holding.read()) == ("revisit", body)
        assert holding.head is not None
        assert (holding.head.status, "x-second" in holding.head.headers) == (200, with_head)
    assert findings_of(path) == []


@pytest.mark.parametrize("profile", [NOT_MODIFIED_1_0, NOT_MODIFIED_1_0.replace("1.0", "1.1")])
def test_revisits_of_what_was_not_modified(tmp_path: Path, profile: str) -> None:
    body = gzip.compress(b"<p>content</p>" * 10)
    first = response(1, SITE, body, block=http(body, "Content-Encoding: gzip"))
    fields = {"WARC_Refers_To_Target_URI": SITE, "WARC_Refers_To_Date": MOMENT.iso()}
    later = revisit(2, SITE, http(b"", status="304 Not Modified"), profile, WARC_Date="2024-03-02T00:00:00Z", **fields)
    path = imported(tmp_path, "site.warc.gz", gzipped([first, later]))
    with Archive(path) as archive:
        found = archive.lookup(SITE, "2024-03-02")
        assert found is not None
        holding = archive.read(found)
        # Its own head does not say how the body is coded; that of the body does.
        assert (found.status, holding.read()) == (200, b"<p>content</p>" * 10)
    assert findings_of(path) == []


def test_a_revisit_of_another_version_is_dangling_and_not_wrong(tmp_path: Path) -> None:
    fields = {"WARC_Refers_To_Target_URI": SITE, "WARC_Refers_To_Date": "2020-01-01T00:00:00Z"}
    lost = revisit(2, f"{SITE}x", http(b""), WARC_Payload_Digest=sha1(b"old"), **fields)
    unreadable = revisit(3, f"{SITE}y", http(b""), WARC_Refers_To_Target_URI=SITE, WARC_Refers_To_Date="whenever")
    path = imported(tmp_path, "site.warc.gz", gzipped([response(1, SITE, b"new"), lost, unreadable]))
    assert [each.code for each in findings_of(path)] == ["revisit-dangling"] * 2
    target = tmp_path / "out.wacz"
    assert webkeep("export", path, "--wacz", target).code == 0


def test_importing_twice_adds_nothing(tmp_path: Path) -> None:
    url = next(iter(PAGES))
    metadata: dict[str, str | None] = {
        "WARC-Record-ID": record_id(50),
        "WARC-Concurrent-To": record_id(0),
        "WARC-Target-URI": url,
        "Content-Type": "application/warc-fields",
    }
    records = [*site()[:2], request(10, 0, url), record("metadata", b"hops: L\r\n", metadata), *site()[2:]]
    path = imported(tmp_path, "site.warc.gz", gzipped(records))
    before = {file.name: file.read_bytes() for file in (path / "warcs").iterdir()}
    for name in ("site.warc.gz", "copy.warc.gz", "site.warc"):
        data = b"".join(records) if name == "site.warc" else gzipped(records)
        (tmp_path / name).write_bytes(data)
        done = webkeep("import", tmp_path / name, "--into", path)
        assert (done.code, done.summary["stored"], done.summary["held"]) == (0, 0, len(records))
        assert done.summary["capture"] is None
    assert {file.name: file.read_bytes() for file in (path / "warcs").iterdir()} == before


def test_one_call_with_old_and_new_files_takes_only_the_new(tmp_path: Path) -> None:
    path = imported(tmp_path, "old.warc.gz", gzipped(site()))
    (tmp_path / "new.warc.gz").write_bytes(gzipped([warcinfo(901), response(20, f"{SITE}new", b"new")]))
    done = webkeep(
        "import", tmp_path / "new.warc.gz", tmp_path / "old.warc.gz", tmp_path / "new.warc.gz", "--into", path
    )
    assert (done.summary["stored"], done.summary["held"]) == (2, 6)


def test_records_alike_in_one_file_are_all_kept(tmp_path: Path) -> None:
    records = [response(number, SITE, b"the same second, the same answer") for number in range(300)]
    path = imported(tmp_path, "site.warc.gz", gzipped(records))
    with Archive(path) as archive:
        assert len(list(archive.observations())) == 300
    assert webkeep("import", tmp_path / "site.warc.gz", "--into", path).summary["held"] == 300


def test_a_file_of_records_without_index_entries_is_taken_once(tmp_path: Path) -> None:
    converted: dict[str, str | None] = {
        "WARC-Record-ID": record_id(1),
        "WARC-Target-URI": SITE,
        "Content-Type": "text/plain",
    }
    records = [warcinfo(), record("conversion", b"the text of a page", converted)]
    path = imported(tmp_path, "texts.warc.gz", gzipped(records))
    with Archive(path) as archive:
        kept = [each.read() for each in archive.records() if each.type == "conversion"]
    assert kept == [b"the text of a page"]
    again = webkeep("import", tmp_path / "texts.warc.gz", "--into", path)
    assert (again.summary["stored"], again.summary["held"]) == (0, 2)
    assert webkeep("rebuild", path).code == 0
    assert webkeep("import", tmp_path / "texts.warc.gz", "--into", path).summary["stored"] == 0


def test_a_file_packed_together_from_its_second_record_on(tmp_path: Path) -> None:
    first, *rest = site()
    data = gzipped([first]) + gzip.compress(b"".join(rest)) + gzipped([response(9, f"{SITE}last", b"last")])
    path = imported(tmp_path, "site.warc.gz", data)
    with Archive(path) as archive:
        assert {url for url, _, _ in contents_of(archive)} == {*PAGES, f"{SITE}last"}


def own_archive(path: Path) -> None:
    """An archive of two captures with all that an archive can hold."""
    with WritableArchive.create(path, rotate_at=4000) as archive:
        with archive.begin("capture", [SITE], {"plan": "all of it"}) as first:
            for number in range(8):
                body = b"%d " % (number % 3) * 200
                asked = b"GET /%d HTTP/1.1\r\nHost: example.org\r\n\r\n" % number
                first.append(exchange(f"{SITE}{number}", body, MOMENT.plus(number), asked, via=SITE))
            first.submit_fates(
                [Fate(f"{SITE}gone", UrlOutcome.FAILED, "timeout", SITE), Fate(f"{SITE}0", UrlOutcome.STORED)]
            )
        with archive.begin("capture", [f"{SITE}2"]) as second:
            head = b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'
            second.append(exchange(f"{SITE}2", b"", MOMENT.plus(100), head=head))
            second.append(exchange(f"{SITE}form", b"0 " * 200, MOMENT.plus(101), b"POST /form HTTP/1.1\r\n\r\n"))
            second.submit_resource(f"{SITE}file", MOMENT.plus(102), "text/plain", exchange("", b"1 " * 200).body, "x")


@pytest.mark.parametrize("option", ["--warc", "--wacz"])
def test_our_own_export_comes_back_equal(tmp_path: Path, option: str) -> None:
    own_archive(tmp_path / "first")
    target = tmp_path / ("out.warc.gz" if option == "--warc" else "out.wacz")
    assert webkeep("export", tmp_path / "first", option, target).code == 0
    assert webkeep("import", target, "--into", tmp_path / "second").code == 0
    with Archive(tmp_path / "first") as first, Archive(tmp_path / "second") as second:
        assert list(map(facts_of, second.observations())) == list(map(facts_of, first.observations()))
        assert [each.capture for each in second] == [each.capture for each in first]
        assert contents_of(second) == contents_of(first)
        assert [each for each in second.captures() if each.kind != "import"] == list(first.captures())
        assert list(second.catalog.log.fates()) == list(first.catalog.log.fates())
    assert findings_of(tmp_path / "second") == []
    before = described(tmp_path / "second")
    assert webkeep("rebuild", tmp_path / "second").code == 0
    assert described(tmp_path / "second") == before
    assert webkeep("import", target, "--into", tmp_path / "first").summary["stored"] == 0


def test_an_import_into_many_small_files_is_rebuilt_equal(tmp_path: Path) -> None:
    own_archive(tmp_path / "own")
    webkeep("export", tmp_path / "own", "--warc", tmp_path / "own.warc.gz")
    (tmp_path / "foreign.warc.gz").write_bytes(gzipped(site()))
    with WritableArchive.create(tmp_path / "archive", rotate_at=3000) as archive:
        work = RecordImport(archive, ["both"], lambda finding: pytest.fail(str(finding)))
        for name in ("own.warc.gz", "foreign.warc.gz"):
            work.add_file(tmp_path / name)
        work.finish()
        assert work.capture is not None
        assert [each.capture for each in archive.observations()][-3:] == [work.capture.id] * 3
    assert len(list((tmp_path / "archive/warcs").iterdir())) > 2
    before = described(tmp_path / "archive")
    assert webkeep("rebuild", tmp_path / "archive").code == 0
    assert described(tmp_path / "archive") == before
