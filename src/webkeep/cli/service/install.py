"""`webkeep service install`: the unit by which systemd runs a service."""

from __future__ import annotations

import argparse
import getpass
import os
import pwd
import re
import sys
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.service.run import add_run_options, build_settings
from webkeep.cli.subcommand import DONE
from webkeep.errors import StorageError, UsageError
from webkeep.process import write_atomically
from webkeep.service.run import DEFAULT_PORT, DEFAULT_RUNNING, LOCAL_HOST, ServiceFolder
from webkeep.service.upkeep import SystemdUnit, check_unit

_SYSTEM_UNITS = Path("/etc/systemd/system")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the service; made if new")
    parser.add_argument("--user", action="store_true", help="a unit of your own, in place of the machine's")
    parser.add_argument("--print", dest="only_print", action="store_true", help="print the unit, and install nothing")
    parser.add_argument("--name", default="webkeep", metavar="NAME", help="what it is called (webkeep)")
    add_run_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the unit, or print it."""
    if not _NAME.fullmatch(args.name):
        raise UsageError(f"not a name for a unit: {args.name[:80]!r}; write letters, digits and dashes")
    build_settings(args)  # what it refuses would be refused at every start
    folder = args.folder.absolute()
    unit = SystemdUnit(folder, _command(args, folder), "" if args.user else _account_for(folder))
    name, text = f"{args.name}.service", unit.render()
    if args.only_print:
        for line in text.rstrip("\n").split("\n"):
            out.line(line)
        out.summary({"unit": name, "text": text})
        return DONE
    ServiceFolder(folder).create()
    if unit.account:
        _give_to(folder, unit.account)
    is_checked = check_unit(name, text, args.user)
    if not is_checked:
        out.note("systemd-analyze is not here, and nobody has checked the unit; install systemd to have that done")
    path = _units_folder(args.user) / name
    _write_unit(path, text)
    control = "systemctl --user" if args.user else "systemctl"
    facts = {"unit": name, "path": str(path), "user": unit.account, "checked": is_checked}
    out.summary(facts, f"{path} is written; start it with: {control} daemon-reload && {control} enable --now {name}")
    return DONE


def _command(args: argparse.Namespace, folder: Path) -> list[str]:
    """The call that is the service, with what differs from its defaults."""
    words = [sys.executable, "-P", "-m", "webkeep", "service", "run", str(folder)]
    given = {
        "--port": (args.port, DEFAULT_PORT),
        "--host": (args.host, LOCAL_HOST),
        "--public-url": (args.public_url, ""),
        "--replay-url": (args.replay_url, ""),
        "--replay-port": (args.replay_port, 0),
        "--running": (args.running, DEFAULT_RUNNING),
        "--keep-free": (args.keep_free, None),
        "--database": (args.store_address, ""),
        "--workers": (args.workers, ""),
        "--ray": (args.ray, ""),
        "--mail": (args.mail and args.mail.absolute(), None),
        "--visitors": (args.visitors and args.visitors.absolute(), None),
    }
    return [*words, *(word for name, (value, usual) in given.items() if value != usual for word in (name, str(value)))]


def _account_for(folder: Path) -> str:
    """Who runs it: whom the folder belongs to, or who asked root to install it."""
    try:
        if folder.exists():
            return pwd.getpwuid(folder.stat().st_uid).pw_name
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except KeyError as error:
        raise UsageError(f"nobody has the number of who owns {folder}; give it to somebody first") from error


def _give_to(folder: Path, account: str) -> None:
    owner = pwd.getpwnam(account)
    if os.geteuid() == 0:
        for each in (folder, folder / "collections"):
            os.chown(each, owner.pw_uid, owner.pw_gid)


def _units_folder(for_user: bool) -> Path:
    if not for_user:
        return _SYSTEM_UNITS
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base else Path.home() / ".config") / "systemd" / "user"


def _write_unit(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode(), 0o644, sync=True)
    except OSError as error:
        raise StorageError(
            f"cannot write {path} ({error.strerror}); call it as root, with --user, or with --print"
        ) from error
