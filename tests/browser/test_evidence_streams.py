"""Films and sounds that come in pieces: a package has playlists of HLS and DASH with all segments of every quality, and
names those that it lacks.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from evidence_pages import Packed, make_evidence
from small_site import GONE, Page, SmallSite
from warc_material import webkeep

SEGMENTS = 6
HLS_TYPE, DASH_TYPE = "application/vnd.apple.mpegurl", "application/dash+xml"
MASTER = b"""#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="English",URI="sound.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=400000,AUDIO="sound"
low.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=1600000,AUDIO="sound"
high.m3u8
"""
PRESENTATION = f"""<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT{SEGMENTS * 2}S">
<Period><AdaptationSet mimeType="video/mp4">
<SegmentTemplate initialization="$RepresentationID$-init.mp4" media="$RepresentationID$-$Number%02d$.m4s"
 timescale="1000" duration="2000" startNumber="1"/>
<Representation id="small" bandwidth="300000"/><Representation id="large" bandwidth="900000"/>
</AdaptationSet></Period></MPD>""".encode()
PAGE = (
    b"<!doctype html><title>News in pictures</title><h1>News in pictures</h1>"
    b"<video controls><source src=hls/master.m3u8 type=application/vnd.apple.mpegurl>"
    b"<source src=dash/film.mpd type=application/dash+xml></video>"
)
STREAMS = ("low", "high", "sound")
REPRESENTATIONS = ("small", "large")


def _playlist(name: str) -> bytes:
    pieces = "".join(f"#EXTINF:2.0,\n{name}-{number}.ts\n" for number in range(SEGMENTS))
    key = '#EXT-X-KEY:METHOD=AES-128,URI="film.key"\n'
    return f"#EXTM3U\n#EXT-X-TARGETDURATION:2\n{key}{pieces}#EXT-X-ENDLIST\n".encode()


def _streams() -> dict[str, Page]:
    """Every file of both streams by its path; no two pieces are the same."""
    found = {"/hls/master.m3u8": Page(MASTER, HLS_TYPE), "/hls/film.key": Page(b"k" * 16, "application/octet-stream")}
    for name in STREAMS:
        found[f"/hls/{name}.m3u8"] = Page(_playlist(name), HLS_TYPE)
        found |= {f"/hls/{name}-{n}.ts": _piece(f"{name} {n}", "video/mp2t") for n in range(SEGMENTS)}
    found["/dash/film.mpd"] = Page(PRESENTATION, DASH_TYPE)
    for name in REPRESENTATIONS:
        found[f"/dash/{name}-init.mp4"] = _piece(f"{name} init", "video/mp4")
        found |= {
            f"/dash/{name}-{n:02}.m4s": _piece(f"{name} {n}", "video/iso.segment") for n in range(1, SEGMENTS + 1)
        }
    return found


def _piece(says: str, kind: str) -> Page:
    return Page(says.encode() * 997, kind)


FILES = _streams()


@pytest.fixture(scope="module", autouse=True)
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("settings")))
        yield


def _package(folder: Path, changed: Mapping[str, Page] = MappingProxyType({})) -> tuple[Packed, SmallSite]:
    files = {"/": Page(PAGE), **FILES, **changed}
    with SmallSite(lambda _host, path: files.get(path, GONE)) as served:
        return make_evidence(folder / "package", served.url("/"), "--rounds", "1"), served


def _sizes(packed: Packed, served: SmallSite) -> dict[str, int]:
    """How large what is kept of each file is; 0 where it is not kept."""
    archive = packed.folder.parent / "archive"
    assert webkeep("import", packed.folder / "evidence.wacz", "--into", archive).code == 0
    sizes = {}
    for path in FILES:
        shown = webkeep("show", archive, served.url(path), "--json")
        sizes[path] = json.loads(shown.out.splitlines()[-1]).get("size", 0) if shown.code == 0 else 0
    return sizes


def test_streams_are_kept_with_every_piece_of_every_quality(tmp_path: Path) -> None:
    packed, served = _package(tmp_path)
    assert packed.done.code == 0, packed.done.err
    assert packed.summary["parts"] == packed.summary["parts_proven"] == len(FILES) + 1
    assert _sizes(packed, served) == {path: len(page.body) for path, page in FILES.items()}
    verified = webkeep("verify", packed.folder)
    assert (verified.code, verified.summary["sound"]) == (0, True), verified.err


def _lost(packed: Packed) -> dict[str, str]:
    (vantage,) = packed.facts["vantages"]
    return {each["url"]: each["reason"] for each in vantage["rounds"][0]["lost"]}


def test_pieces_that_are_not_to_be_had_are_named(tmp_path: Path) -> None:
    gone = ("/hls/high-3.ts", "/hls/sound.m3u8", "/dash/large-04.m4s")
    packed, served = _package(tmp_path, dict.fromkeys(gone, GONE))
    assert packed.done.code == 1, "a film with a piece missing is not whole"
    assert set(_lost(packed)) == {served.url(path) for path in gone}
    assert "could not be had" in packed.cover()
    assert webkeep("verify", packed.folder).code == 0


def test_live_streams_are_told_as_such(tmp_path: Path) -> None:
    live = Page(_playlist("low").replace(b"#EXT-X-ENDLIST\n", b""), HLS_TYPE)
    going_on = Page(PRESENTATION.replace(b'type="static"', b'type="dynamic"'), DASH_TYPE)
    packed, served = _package(tmp_path, {"/hls/low.m3u8": live, "/dash/film.mpd": going_on})
    assert packed.done.code == 1
    assert {url: "live stream" in reason for url, reason in _lost(packed).items()} == {
        served.url("/hls/low.m3u8"): True,
        served.url("/dash/film.mpd"): True,
    }
