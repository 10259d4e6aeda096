"""Our WACZ files before the eyes of other tools: `wacz validate`, and pywb's reader of the packed index."""

import subprocess
from io import BytesIO
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from webkeep.formats import Flaws
from webkeep.formats.wacz import WaczDescription, WaczPage, WaczWriter, read_wacz
from webkeep.model import Moment

PEERS = Path(__file__).parents[2] / ".peers"
CREATED = Moment.parse("2024-03-01T12:00:00Z")
URL = "http://example.com/"


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    path = tmp_path / "Small Site.warc.gz"
    with path.open("wb") as stream:
        writer = WARCWriter(stream, gzip=True)
        for number in range(3):
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            body = f"<title>Page {number}</title>".encode()
            record = writer.create_warc_record(
                f"{URL}{number or ''}", "response", payload=BytesIO(body), length=len(body), http_headers=headers
            )
            writer.write_record(record)
    return path


def packed(warc: Path, target: Path, with_parts: bool = True) -> Path:
    indexer = PEERS / "tools/bin/cdxj-indexer"
    lines = subprocess.run([indexer, "--sort", warc], capture_output=True, check=True, text=True).stdout.splitlines()
    assert len(lines) == 3
    description = WaczDescription("Small site", "Three pages", "webkeep", URL, CREATED)
    with target.open("wb") as stream, WaczWriter(stream, CREATED, description) as writer:
        writer.add_warc(warc.name, [warc.read_bytes()])
        if with_parts:
            writer.add_index(lines)
            writer.add_pages([WaczPage(URL, CREATED, "Page 0")])
            writer.add_pages([WaczPage(f"{URL}1", CREATED, "Page 1")], extra=True)
    return target


@pytest.mark.parametrize("with_parts", [True, False])
def test_wacz_validate_accepts_it(warc: Path, tmp_path: Path, with_parts: bool) -> None:
    target = packed(warc, tmp_path / "site.wacz", with_parts)
    done = subprocess.run(
        [PEERS / "tools/bin/wacz", "validate", "-f", target], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the passed WACZ is valid" in done.stdout


def test_pywb_takes_it_in(warc: Path, tmp_path: Path) -> None:
    target = packed(warc, tmp_path / "site.wacz")
    manager = PEERS / "pywb/bin/wb-manager"
    for arguments in (["init", "coll"], ["add", "--unpack-wacz", "coll", str(target)]):
        subprocess.run([manager, *arguments], cwd=tmp_path, check=True, capture_output=True)
    index = (tmp_path / "collections/coll/indexes/index.cdxj").read_text().splitlines()
    assert [line.split(" ")[0] for line in index] == ["com,example)/", "com,example)/1", "com,example)/2"]


def test_we_read_what_wacz_create_writes(warc: Path, tmp_path: Path) -> None:
    target = tmp_path / "theirs.wacz"
    command = [PEERS / "tools/bin/wacz", "create", "--url", URL, "--title", "Theirs", "-o", target, warc]
    subprocess.run(command, check=True, capture_output=True)
    flaws = Flaws()
    with target.open("rb") as stream:
        wacz = read_wacz(stream, "theirs.wacz", flaws)
        wacz.verify()
        assert (wacz.version, wacz.title) == ("1.1.1", "Theirs")
        assert wacz.main_page is not None
        assert wacz.main_page.url == URL
        assert [(page.url, dict(page.extra)) for page in wacz.pages()] == [(URL, {"seed": True})]
        assert wacz.open(wacz.warcs[0]).read() == warc.read_bytes()
    assert flaws.findings == []
