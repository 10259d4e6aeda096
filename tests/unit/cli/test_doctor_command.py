"""The doctor: what is there works, what is missing is said, with what it would add."""

import argparse
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from webkeep.cli.commands import doctor
from webkeep.cli.output.console import Output
from webkeep.cli.system_check import InstalledComponent, check_components, measure_disk, open_files_limit


def run(folder: Path, as_json: bool = True) -> tuple[int, str, str]:
    parser = argparse.ArgumentParser()
    doctor.arguments(parser)
    args = parser.parse_args([])
    args.folder = folder
    out, err = io.StringIO(), io.StringIO()
    code = doctor.run(args, Output(as_json, out, err))
    return code, out.getvalue(), err.getvalue()


def test_the_base_works_here(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path)
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert events[-1]["works"] is True
    assert events[-1]["off"] == []
    told = {event["name"]: event for event in events if event.get("event") == "component"}
    known = {"Python", "SQLite", "ada-url", "google-re2", "isal", "turbohtml", "brotli", "zstandard", "chromium"}
    assert known <= set(told)
    assert all(piece["state"] == "works" for piece in told.values() if piece["needed"])
    assert "list of 20" in told["publicsuffixlist"]["version"]
    machine = next(event for event in events if event.get("event") == "machine")
    assert machine["free"] > 0
    assert machine["write_speed"] > 0
    assert machine["sync_time"] > 0
    assert not list(tmp_path.iterdir())


def test_people_get_a_table_and_a_verdict(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, as_json=False)
    assert code == 0
    assert out.startswith("component")
    assert "open files" in out
    assert err.startswith("webkeep ")


def test_every_extra_says_what_it_adds() -> None:
    optional = [piece for piece in check_components() if not piece.is_needed]
    served = ["starlette", "uvicorn", "argon2-cffi", "cronsim", "jinja2", "python-multipart", "tzdata"]
    assert [piece.name for piece in optional] == ["psycopg", "ray", *served, "pyeclib", "raptorq", "chromium"]
    assert all(piece.adds for piece in optional)
    assert all(piece.fault for piece in optional if not piece.version)


@pytest.mark.parametrize("words", [("demo",), ("lab", "recovery", "--quick")], ids=["demo", "lab"])
def test_the_laboratory_says_what_it_is_missing(words: tuple[str, ...]) -> None:
    without = "import sys; sys.modules['uvicorn'] = None; from webkeep.cli.main import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", without, *words], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        2,
        f"webkeep: {' '.join(words[:2])} needs uvicorn; run: pip install 'webkeep[lab]'",
    )


def test_a_library_that_does_not_load_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "brotli", None)
    code, out, _ = run(tmp_path)
    assert code == 1
    assert json.loads(out.splitlines()[-1])["off"] == ["brotli"]
    broken = next(piece for piece in check_components() if piece.name == "brotli")
    assert broken.fault.endswith("pip install --force-reinstall brotli")


def test_a_place_where_nothing_can_be_written_is_a_warning(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path / "nowhere")
    summary = json.loads(out.splitlines()[-1])
    assert code == 0
    assert "nothing can be written here" in summary["warnings"][0]


def test_the_machine_is_measured(tmp_path: Path) -> None:
    disk = measure_disk(tmp_path)
    assert disk.free > 0
    assert 0 < disk.sync_time < 60
    soft, hard = open_files_limit()
    assert hard < 0 or soft <= hard


def test_a_needed_piece_adds_nothing() -> None:
    assert InstalledComponent("Python", "3.11").is_needed
    assert not InstalledComponent("chromium", adds="more").is_needed


def test_the_doctor_can_be_asked_where_no_library_loads(tmp_path: Path) -> None:
    gone = ["ada_url", "brotli", "isal", "publicsuffixlist", "turbohtml", "zstandard"]
    script = (
        f"import sys; sys.modules.update(dict.fromkeys({gone})); "
        "from webkeep.cli.main import main; sys.exit(main(['doctor', '--json']))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 1
    off = json.loads(ended.stdout.splitlines()[-1])["off"]
    assert set(off) == {"ada-url", "brotli", "isal", "publicsuffixlist", "turbohtml", "zstandard"}
