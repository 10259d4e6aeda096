"""What the command loads before it does anything: the cause of how long a person waits."""

import json
import subprocess
import sys
from pathlib import Path

from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import WritableArchive

RUN = """
import json, sys
from webkeep.cli.main import main
try:
    main(sys.argv[1:])
finally:
    sys.stdout.flush()
    print("\\n" + json.dumps(sorted(sys.modules)))
"""
READERS = {"turbohtml", "webkeep.extract.link_extraction", "webkeep.document", "webkeep.quality", "webkeep.browser"}
"""What reads, judges or runs documents."""

PLAIN_ROOMS = {"cli", "coherence", "errors", "formats", "model", "url", "version"}
"""What neither goes to the web nor reads pages nor opens files."""


def loaded(*words: str) -> set[str]:
    """The modules that are loaded once the command has ended."""
    done = subprocess.run([sys.executable, "-c", RUN, *words], capture_output=True, text=True, check=False)
    return set(json.loads(done.stdout.splitlines()[-1]))


def own(modules: set[str]) -> set[str]:
    return {name.removeprefix("webkeep.") for name in modules if name.startswith("webkeep.")}


def rooms(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in own(modules)}


def test_the_help_and_the_version_load_no_subcommand() -> None:
    said = {"cli.output", "cli.output.console", "cli.output.table"}
    said |= {"presentation", "presentation.visible_text"}
    command = {"cli", "cli.command_table", "cli.main", "cli.subcommand", "cli.verbs", *said}
    signals = {"process", "process.signal_exit", "process.standard_streams"}
    for word in ("--help", "--version", "-h"):
        assert own(loaded(word)) == {*command, *signals, "errors", "lazy_exports", "version"}


def test_a_list_loads_nothing_that_goes_to_the_web_or_reads_pages(tmp_path: Path) -> None:
    WritableArchive.create(tmp_path / "kept").close()
    modules = loaded("list", str(tmp_path / "kept"))
    assert not modules & {*READERS, "pycurl", "asyncio"}
    assert rooms(modules) <= {
        "api",
        "change",
        "cli",
        "clock",
        "coherence",
        "errors",
        "formats",
        "lazy_exports",
        "model",
        "presentation",
        "process",
        "store",
        "url",
        "version",
    }


def test_a_capture_loads_what_reads_pages_with_its_first_answer(tmp_path: Path) -> None:
    modules = loaded("capture", "http://there-is-no-such-host.invalid/", "--into", str(tmp_path / "kept"))
    assert "webkeep.crawl.run.engine" in modules
    assert not modules & READERS


def test_a_capture_loads_nothing_that_reads_mail_dates_before_its_first_answer(tmp_path: Path) -> None:
    assert "email.utils" not in loaded("capture", "http://no-such-host.invalid/", "--into", str(tmp_path / "kept"))


def test_a_prepare_worker_loads_neither_scopes_nor_policies() -> None:
    code = "import sys, webkeep.store.writing.prepare_worker, webkeep.crawl.links.link_extraction; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "webkeep.extract.link_extraction" in modules
    assert not modules & {"webkeep.url.scope", "webkeep.frontier.policy.crawl_policy", "email.utils"}


def test_a_capture_that_nobody_signs_on_one_machine_loads_no_keys_and_no_cluster(tmp_path: Path) -> None:
    modules = loaded("capture", "http://there-is-no-such-host.invalid/", "--into", str(tmp_path / "kept"))
    assert not modules & {"cryptography", "webkeep.api.cluster_captures", "webkeep.signing.own_key"}


def test_a_version_in_which_nothing_changed_loads_nothing_that_reads_pages(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "kept") as archive, archive.begin("a test") as capture:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        capture.append(Exchange("http://site.example/", Moment.parse("2024-03-01"), head, BytesBody(b"<p>here")))
    words = ("mirror", str(tmp_path / "kept"), str(tmp_path / "copy"), "--versions", "--json")
    assert loaded(*words) & READERS
    assert not loaded(*words) & READERS


def test_a_service_loads_what_shows_judges_and_asks_once_that_is_wanted(tmp_path: Path) -> None:
    modules = loaded("service", str(tmp_path / "service"), "--port", "0", "--until-idle", "--keep-free", "1MB")
    assert "webkeep.dashboard.endpoint_table" in modules
    assert not modules & {
        "webkeep.quality",
        "webkeep.browser",
        "webkeep.replay",
        "smtplib",
        "webkeep.fetch.client.fetcher",
    }
