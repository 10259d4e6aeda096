"""Backups of a service while it captures, their way back, upgrades of its job store under a capture, and its unit."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from postgres_cluster import cluster_folder, run_sql, running_cluster
from small_site import SmallSite
from test_service_command import SITE, read_jobs, run_service, service, submit, wait_for
from warc_material import webkeep

from webkeep.cli.service.run import add_run_options
from webkeep.clock import SystemClock
from webkeep.errors import StorageError, UsageError
from webkeep.service.jobs import JobState
from webkeep.service.run import ServiceFolder
from webkeep.service.store import open_service_database
from webkeep.service.store.migrations import MIGRATIONS, migrate
from webkeep.service.store.sqlite_database import SqliteServiceDatabase
from webkeep.service.upkeep import back_up_service, restore_service


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "plan.toml").write_text('browser = "off"\n')
    return tmp_path / "service"


def back_up(folder: Path, target: Path) -> Path:
    done = webkeep("service", "backup", folder, target)
    assert done.code == 0, done.err
    return Path(done.summary["path"])


def test_a_service_backed_up_in_the_middle_of_a_capture_goes_on_elsewhere(folder: Path) -> None:
    copy = folder.with_name("copy")
    with SmallSite(SITE) as site:
        site.hold_after(2)
        submit(folder, site.url())
        with service(folder):
            site.wait_for_requests(3)
            first = wait_for(folder, lambda job: job.state is JobState.RUNNING)
            backup = back_up(folder, folder.with_name("backups"))
        assert first.process is not None
        os.kill(first.process.number, signal.SIGKILL)
        assert json.loads((backup / "backup.json").read_text())["files"]
        assert webkeep("service", "restore", backup, copy).code == 0
        (restored,) = read_jobs(copy)
        assert (restored.state, restored.process) == (JobState.RUNNING, None)
        site.let_go()
        assert run_service(copy).returncode == 0
    (job,) = read_jobs(copy)
    assert (job.id, job.state, job.summary["stored"]) == (first.id, JobState.DONE, 5)
    assert site.paths.count("/") == 1, "what is in the backup is not asked for again"
    assert webkeep("verify", copy / "collections" / "main" / job.order.archive).code == 0


def test_a_second_backup_takes_the_room_of_what_is_new(folder: Path) -> None:
    with SmallSite(SITE) as site:
        submit(folder, site.url())
        run_service(folder)
    target = folder.with_name("backups")
    first = webkeep("service", "backup", folder, target).summary
    second = webkeep("service", "backup", folder, target).summary
    assert first["new_bytes"] == first["bytes"] == second["bytes"] > 0
    assert second["new_bytes"] == 0
    submit(folder, "http://127.0.0.1:9/")
    third = webkeep("service", "backup", folder, target).summary
    assert 0 < third["new_bytes"] < third["bytes"]
    (warc,) = Path(third["path"]).glob("files/collections/main/*/warcs/*")
    assert warc.stat().st_nlink == 3


def test_a_backup_that_is_broken_off_is_none_and_the_next_is_whole(folder: Path) -> None:
    submit(folder, "http://127.0.0.1:9/")
    target, places = folder.with_name("backups"), ServiceFolder(folder)

    class PulledPlugError(Exception):
        pass

    def break_off(_: int) -> None:
        raise PulledPlugError

    with pytest.raises(PulledPlugError):
        back_up_service(places, "", target, SystemClock().now(), break_off)
    assert [each.name.startswith(".unfinished-") for each in target.iterdir()] == [True]
    with pytest.raises(UsageError, match="has no whole backup"):
        restore_service(target, ServiceFolder(folder.with_name("copy")), "", lambda _: None)
    backup = back_up(folder, target)
    assert list(target.iterdir()) == [backup]
    with pytest.raises(PulledPlugError):
        restore_service(target, ServiceFolder(folder.with_name("copy")), "", break_off)
    assert not folder.with_name("copy").exists(), "half of it is nothing"
    assert restore_service(target, ServiceFolder(folder.with_name("copy")), "", lambda _: None) == backup
    assert read_jobs(folder.with_name("copy")) == read_jobs(folder)


def test_nothing_is_restored_over_something_or_out_of_what_is_damaged(folder: Path) -> None:
    submit(folder, "http://127.0.0.1:9/")
    backup = back_up(folder, folder.with_name("backups"))
    before = sorted(folder.rglob("*"))
    refused = webkeep("service", "restore", backup, folder)
    assert (refused.code, "is there and not empty" in refused.err, refused.err.count("\n")) == (2, True, 1)
    assert sorted(folder.rglob("*")) == before
    store = backup / "files" / "jobs.sqlite"
    store.write_bytes(store.read_bytes()[:-1] + b"x")
    with pytest.raises(StorageError, match="is not what was backed up"):
        restore_service(backup, ServiceFolder(folder.with_name("copy")), "", lambda _: None)
    listed = json.loads((backup / "backup.json").read_text())
    listed["files"][0]["path"] = "../outside"
    (backup / "backup.json").write_text(json.dumps(listed))
    with pytest.raises(StorageError, match="no place in a folder"):
        restore_service(backup, ServiceFolder(folder.with_name("copy")), "", lambda _: None)
    assert not folder.with_name("copy").exists()
    within = webkeep("service", "backup", folder, folder / "backups")
    assert (within.code, "choose a place outside" in within.err) == (2, True)


def test_a_job_store_in_postgresql_is_backed_up_and_brought_back(folder: Path) -> None:
    with cluster_folder() as place, running_cluster(place, "upkeep") as address:
        run_sql(address.replace(":///library?", ":///postgres?"), "CREATE DATABASE library")
        words = ["--database", address]
        assert webkeep("job", "submit", folder, "http://127.0.0.1:9/", *words).code == 0
        backup = webkeep("service", "backup", folder, folder.with_name("backups"), *words)
        assert backup.code == 0, backup.err
        without = webkeep("service", "restore", backup.summary["path"], folder.with_name("copy"))
        assert (without.code, "name an empty database with --database" in without.err) == (2, True)
        run_sql(address.replace(":///library?", ":///postgres?"), "CREATE DATABASE another")
        other = address.replace(":///library?", ":///another?")
        copy = folder.with_name("copy")
        restored = webkeep("service", "restore", backup.summary["path"], copy, "--database", other)
        assert restored.code == 0, restored.err
        listed = [
            webkeep("job", "list", where, "--database", at).out for where, at in ((folder, address), (copy, other))
        ]
        assert listed[0] == listed[1] != ""
        twice = webkeep("service", "restore", backup.summary["path"], folder.with_name("more"), "--database", other)
        assert (twice.code, "give an empty database" in twice.err) == (2, True)


@pytest.mark.parametrize("version", range(len(MIGRATIONS)))
def test_a_store_of_every_earlier_version_is_brought_up_and_keeps_its_jobs(tmp_path: Path, version: int) -> None:
    path = tmp_path / "jobs.sqlite"
    database = SqliteServiceDatabase(path)
    migrate(database, version)
    if version:
        database.change(
            "INSERT INTO job (id, collection, seed, archive, kind, plan, priority, schedule, state, attempts, losses, "
            "created, queued, summary, message) VALUES ('a1','main','','archive-1','capture','{\"seeds\": []}',0,'',"
            "'queued',0,0,1,1,'{}','')"
        )
    database.close()
    opened = open_service_database(path)
    assert int(opened.rows("SELECT max(version) FROM schema_version")[0][0] or 0) == len(MIGRATIONS)
    fresh = open_service_database(tmp_path / "fresh.sqlite")
    tables = "SELECT name, sql FROM sqlite_master ORDER BY name"
    assert opened.rows(tables) == fresh.rows(tables)
    opened.close()
    fresh.close()
    assert [job.id for job in read_jobs(tmp_path)] == (["a1"] if version else [])


def test_an_upgrade_in_the_middle_of_a_capture_leaves_the_job_alive(folder: Path) -> None:
    """The store is taken back to the first version while a job runs; the next service brings it up."""
    with SmallSite(SITE) as site:
        site.hold_after(1)
        submit(folder, site.url())
        with service(folder):
            site.wait_for_requests(2)
            first = wait_for(folder, lambda job: job.state is JobState.RUNNING)
        _take_back(folder)
        with service(folder):
            site.let_go()
            job = wait_for(folder, lambda job: job.state is JobState.DONE)
    assert (job.id, job.attempts, job.summary["stored"]) == (first.id, 1, 5)


def _take_back(folder: Path) -> None:
    """Make the store one of the first version, with all rows that this had."""
    path, old = folder / "jobs.sqlite", folder / "old.sqlite"
    first = SqliteServiceDatabase(old)
    migrate(first, 1)
    names = [str(row[0]) for row in first.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    first.change(f"ATTACH '{path}' AS now")
    for name in names:
        if name != "schema_version":
            columns = ", ".join(str(row[1]) for row in first.rows(f"PRAGMA main.table_info({name})"))
            first.change(f"INSERT INTO main.{name} ({columns}) SELECT {columns} FROM now.{name}")
    first.close()
    for end in ("-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    old.replace(path)


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    folder = tmp_path / 'my $HOME "100%" service'
    folder.mkdir()
    printed = webkeep("service", "install", folder, "--print", "--port", "8070", "--database", "postgresql:///a b")
    assert printed.code == 0, printed.err
    text = printed.summary["text"]
    for line in ("KillMode=process", "Restart=on-failure", "WantedBy=multi-user.target"):
        assert f"\n{line}\n" in text
    assert "NoNewPrivileges" not in text
    assert '"--port" "8070" "--database" "postgresql:///a b"' in text
    unit = tmp_path / "webkeep.service"
    unit.write_text(text)
    tool = shutil.which("systemd-analyze")
    assert tool is not None
    call = [tool, "--man=no", "--recursive-errors=no", "verify", str(unit)]
    checked = subprocess.run(call, capture_output=True, text=True, timeout=60)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_a_unit_has_every_option_that_a_service_has(tmp_path: Path) -> None:
    mail, visitors = tmp_path / "mail.toml", tmp_path / "visitors.toml"
    mail.write_text('server = "mail.example"\nfrom = "a@b.example"\naddress = "https://keep.example/"\n')
    visitors.write_text('[repositories]\n"The old one" = "wayback"\n')
    given = {
        "--port": "8070", "--host": "127.0.0.2", "--public-url": "https://keep.example/",
        "--replay-url": "https://kept.example.net/", "--replay-port": "8071", "--running": "7", "--keep-free": "5GB",
        "--database": "postgresql:///keep", "--workers": "1-8", "--ray": "10.0.0.1:6379", "--mail": str(mail),
        "--visitors": str(visitors),
    }  # fmt: skip
    parser = argparse.ArgumentParser(add_help=False)
    add_run_options(parser)
    assert given.keys() == {each.option_strings[0] for each in parser._actions}
    words = [word for pair in given.items() for word in pair]
    printed = webkeep("service", "install", tmp_path / "service", "--print", *words)
    assert printed.code == 0, printed.err
    for option, value in given.items():
        assert f'"{option}" "{value}"' in printed.summary["text"], option


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--host", "0.0.0.0", "has no name of its own"),
        ("--public-url", "keep.example", "not the URL of a service"),
        ("--mail", "/nowhere.toml", "cannot read /nowhere.toml"),
        ("--keep-free", "much", "much"),
    ],
)
def test_a_unit_that_could_never_start_is_not_installed(tmp_path: Path, option: str, value: str, said: str) -> None:
    done = webkeep("service", "install", tmp_path / "service", "--print", option, value)
    assert (done.code, said in done.err) == (2, True), done.err


def test_a_unit_of_ones_own_is_written_checked_and_told_of(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "webkeep", "service", "install", str(tmp_path / "service"), "--user"]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "config/systemd/user/webkeep.service").read_text()
    assert "User=" not in text
    assert f'"service" "run" "{tmp_path}/service"' in text
    assert "systemctl --user enable --now webkeep.service" in done.stderr.replace(
        "daemon-reload && systemctl --user ", ""
    )
    wrong = webkeep("service", "install", tmp_path / "service", "--name", "../x", "--print")
    assert (wrong.code, "not a name for a unit" in wrong.err) == (2, True)


def test_a_folder_called_like_a_verb_can_be_named(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "webkeep", "service", "--port", "0", "--until-idle", "./backup"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "backup" / "jobs.sqlite").exists()


def test_a_backup_that_is_killed_leaves_the_one_before_whole_and_the_next_clears_up(folder: Path) -> None:
    submit(folder, "http://127.0.0.1:9/")
    target = folder.with_name("backups")
    first = back_up(folder, target)
    large = folder / "large.bin"
    with large.open("wb") as stream:
        stream.truncate(64 << 30)  # longer than anybody copies before the kill, and no room on the disk itself
    with subprocess.Popen([sys.executable, "-m", "webkeep", "service", "backup", folder, target]) as process:
        while not list(target.glob(".unfinished-*/files/large.bin")):
            assert process.poll() is None
        process.kill()
    large.unlink()
    assert len(list(target.glob(".unfinished-*"))) == 1
    checked = webkeep("service", "restore", target, "--check")
    assert (checked.code, checked.summary["backup"], checked.summary["findings"]) == (0, str(first), 0)
    second = back_up(folder, target)
    assert sorted(target.iterdir()) == [first, second]
    assert webkeep("service", "restore", second, "--check").code == 0


def test_a_check_names_whatever_is_not_as_it_was_backed_up(folder: Path) -> None:
    submit(folder, "http://127.0.0.1:9/")
    for name in ("gone", "longer", "other"):
        (folder / name).write_bytes(b"content")
    files = back_up(folder, folder.with_name("backups")) / "files"
    (files / "gone").unlink()
    (files / "longer").write_bytes(b"contents")
    (files / "other").write_bytes(b"CONTENT")
    (files / "stranger").write_bytes(b"")
    done = webkeep("service", "restore", folder.with_name("backups"), "--check")
    assert (done.code, done.summary["findings"]) == (1, 4)
    told = done.out.decode().splitlines()
    for name in ("gone", "longer", "other", "stranger"):
        assert any(name in line for line in told), told
    assert webkeep("service", "restore", folder.with_name("backups")).code == 2


def test_a_unit_that_nobody_checked_is_said_to_be_so(folder: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "webkeep", "service", "install", str(folder), "--user"]
    env = {**os.environ, "PATH": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=60)
    assert done.returncode == 0 and "systemd-analyze is not here" in done.stderr
