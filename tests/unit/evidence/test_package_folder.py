"""What lies in a package beside its records can be read by whoever is wary of bombs."""

import zipfile
from pathlib import Path

import webkeep
from webkeep.evidence.package.package_folder import write_package_wacz
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import Archive, WritableArchive

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def test_a_page_of_hardly_anything_but_spaces_is_stored_as_it_is(tmp_path: Path) -> None:
    moment = Moment.parse("2026-03-02T14:05:11Z")
    with WritableArchive.create(tmp_path / "archive") as archive, archive.begin("capture") as capture:
        capture.append(Exchange("http://example.org/", moment, HEAD, BytesBody(b"<h1>It stood here</h1>")))
    files = tmp_path / "evidence"
    files.mkdir()
    (files / "page-001.html").write_bytes(b"<h1>It stood here</h1>" + b" " * (20 << 20))
    (files / "page-001.txt").write_bytes(b"It stood here\n" * 100)
    (files / "page-002-file.csv").write_bytes(b"boat;berth\n" * 100)
    with Archive(tmp_path / "archive") as held:
        write_package_wacz(held, files, tmp_path / "evidence.wacz", "Evidence", moment)
    with zipfile.ZipFile(tmp_path / "evidence.wacz") as packed:
        ways = {
            each.filename: each.compress_type for each in packed.infolist() if each.filename.startswith("evidence/")
        }
    assert ways == {
        "evidence/page-001.html": zipfile.ZIP_STORED,
        "evidence/page-001.txt": zipfile.ZIP_DEFLATED,
        "evidence/page-002-file.csv": zipfile.ZIP_STORED,
    }
    assert webkeep.verify_package(tmp_path / "evidence.wacz", unsigned=True).verdict.is_sound
