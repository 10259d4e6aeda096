"""`webkeep service account`: the people of a service, from its terminal."""

from __future__ import annotations

import argparse
import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.service.run import add_database_option
from webkeep.cli.subcommand import DONE
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts import (
    ALL_COLLECTIONS,
    Account,
    AccountRole,
    AuditEntry,
    check_account_name,
    check_new_password,
    parse_role,
)
from webkeep.service.run import ServiceFolder
from webkeep.service.store import AccountStore, AuditStore, CollectionStore, open_service_database

ACTIONS = ("add", "list", "lock", "unlock", "password", "role", "delete")
_NO_ROLE = "none"
_MAX_FILE_CHARS = 10_000
"""Of a file with a password: longer ones are another file."""


@dataclass(frozen=True, slots=True)
class _AccountStores:
    accounts: AccountStore
    audit: AuditStore
    collections: CollectionStore
    now: Moment


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help=f"one of {', '.join(ACTIONS)}")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the service, which may run")
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="of the account; for all but list")
    parser.add_argument("--role", metavar="ROLE", help=f"{', '.join(AccountRole)}, or {_NO_ROLE} to take it "
                        "(an added account is administrator of all collections)")  # fmt: skip
    parser.add_argument("--collection", default=ALL_COLLECTIONS, metavar="NAME",
                        help="the collection that the role is in (all)")  # fmt: skip
    parser.add_argument("--password-file", metavar="FILE", help="whose first line is the password, - for standard "
                        "input; without it the terminal asks")  # fmt: skip
    add_database_option(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what is asked with accounts."""
    with _open_stores(args) as stores:
        if args.action == "list":
            return _list_accounts(stores, out)
        name = check_account_name(args.name)
        said = _change_account(args, stores, name)
        action = f"account {args.action}"
        stores.audit.append(AuditEntry(stores.now, f"terminal ({_user()})", "", action, name, said))
        out.summary({"account": name, "action": args.action, "outcome": said}, f"{name}: {said}")
    return DONE


def _change_account(args: argparse.Namespace, stores: _AccountStores, name: str) -> str:
    match args.action:
        case "add":
            return _add_account(args, stores, name)
        case "lock" | "unlock":
            stores.accounts.set_locked(name, args.action == "lock")
            return "locked; its sessions are ended" if args.action == "lock" else "not locked any more"
        case "password":
            stores.accounts.get(name)
            stores.accounts.set_password(name, _hash_new_password(args, name))
            return "has another password; its sessions are ended"
        case "role":
            return _set_role(args, stores, name)
        case _:
            stores.accounts.delete(name)
            return "is no account any more"


def _add_account(args: argparse.Namespace, stores: _AccountStores, name: str) -> str:
    role = parse_role(args.role or AccountRole.ADMINISTRATOR)
    _check_collection(stores, args.collection)
    if stores.accounts.find(name) is not None:
        raise UsageError(f"there is an account {name} already; choose another name")
    password_hash = _hash_new_password(args, name)
    stores.accounts.create_with_role(name, password_hash, args.collection, role, stores.now)
    return f"is {role} of {_describe_collection(args.collection)}"


def _set_role(args: argparse.Namespace, stores: _AccountStores, name: str) -> str:
    if args.role is None:
        raise UsageError(f"say which role with --role: {', '.join(AccountRole)} or {_NO_ROLE}")
    _check_collection(stores, args.collection)
    role = None if args.role == _NO_ROLE else parse_role(args.role)
    stores.accounts.set_role(name, args.collection, role)
    return f"is {role or 'nothing'} of {_describe_collection(args.collection)}"


def _list_accounts(stores: _AccountStores, out: Output) -> int:
    accounts = stores.accounts.list_accounts()
    for account in accounts:
        out.line(f"{account.name}  {_describe_account(account)}")
    facts = [
        {"account": each.name, "locked": each.is_locked, "roles": {n: r.value for n, r in each.roles.items()}}
        for each in accounts
    ]
    out.summary({"accounts": facts}, "" if accounts else "no accounts: whoever opens the printed link is let in")
    return DONE


def _describe_account(account: Account) -> str:
    roles = ", ".join(f"{role} of {_describe_collection(name)}" for name, role in account.roles.items())
    return ("locked, " if account.is_locked else "") + (roles or "no role")


def _describe_collection(name: str) -> str:
    return "all collections" if name == ALL_COLLECTIONS else name


def _check_collection(stores: _AccountStores, name: str) -> None:
    if name != ALL_COLLECTIONS:
        stores.collections.get(name)


def _hash_new_password(args: argparse.Namespace, name: str) -> str:
    password = _read_password(args.password_file, name)
    check_new_password(password, name)
    from webkeep.service.accounts import AccountPasswords

    return AccountPasswords().hash(password)


def _read_password(path: str | None, name: str) -> str:
    if path is None:
        if not sys.stdin.isatty():
            raise UsageError("there is no terminal to ask for a password; give --password-file FILE")
        password = getpass.getpass(f"new password of {name}: ")
        if getpass.getpass("once more: ") != password:
            raise UsageError("those were two passwords; try again")
        return password
    try:
        if path == "-":
            text = sys.stdin.read(_MAX_FILE_CHARS)
        else:
            with Path(path).open(encoding="utf-8") as file:
                text = file.read(_MAX_FILE_CHARS)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise UsageError(f"cannot read the password in {path} ({reason})") from error
    return text.partition("\n")[0].rstrip("\r")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


@contextmanager
def _open_stores(args: argparse.Namespace) -> Iterator[_AccountStores]:
    folder = ServiceFolder(args.folder.absolute())
    if args.action == "add":
        folder.create()
    elif not folder.is_there():
        raise UsageError(f"{args.folder} is no folder of a service; webkeep service {args.folder} begins one")
    database = open_service_database(folder.database_path, args.store_address)
    try:
        stores = (AccountStore(database), AuditStore(database), CollectionStore(database))
        yield _AccountStores(*stores, SystemClock().now())
    finally:
        database.close()
