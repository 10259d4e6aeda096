"""Passphrases, recipients and identities, as people give them to `webkeep vault`; never as words of the call."""

from __future__ import annotations

import argparse
import base64
import getpass
import os
import sys
from contextlib import suppress
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.process import write_atomically
from webkeep.signing import read_passphrase_file
from webkeep.vault.container import SealingKey, UnsealingKeys, new_identity, parse_recipient, read_identities
from webkeep.vault.protection import mark_of_key

_PASSPHRASE_MARK = "passphrase:"
"""Before the header that a passphrase opens: it stands in pages too, and guessing by it is as slow as by them."""


def add_sealing_options(parser: argparse.ArgumentParser) -> None:
    """Declare how what is protected is encrypted."""
    keys = parser.add_argument_group("encryption; without any of these a passphrase is asked for")
    one = keys.add_mutually_exclusive_group()
    one.add_argument("--passphrase-file", type=Path, metavar="FILE", help="a passphrase, the first line of FILE")
    one.add_argument("--recipient", action="append", default=[], metavar="KEY",
                     help="a public key (age1…): only its other half opens the vault; once for each")  # fmt: skip
    one.add_argument("--new-identity", type=Path, metavar="FILE",
                     help="make a pair of keys, keep the secret half in FILE, which is not there yet")  # fmt: skip
    one.add_argument("--unencrypted", action="store_true", help="let everyone who finds the blocks read them")
    keys.add_argument("--publish-secrets", action="store_true",
                      help="with --unencrypted: even where keys or passwords were found")  # fmt: skip


def sealing_key_from_arguments(args: argparse.Namespace, last_mark: str) -> tuple[SealingKey | None, str]:
    """The key to seal by, and what tells whether it is the same the next time; given what told it the last time."""
    if args.unencrypted:
        return None, "none"
    recipients = list(args.recipient)
    if args.new_identity is not None:
        recipients = [_make_identity(args.new_identity)]
    if recipients:
        keys = [parse_recipient(each) for each in recipients]
        return SealingKey.for_recipients(keys), mark_of_key("recipients", b"".join(sorted(keys)))
    passphrase = _read_passphrase(args.passphrase_file, confirm=not last_mark)
    key = _reopen_last_key(passphrase, last_mark)
    if key is None:
        if last_mark and args.passphrase_file is None:
            _confirm_passphrase(passphrase, "not the passphrase of the last time; again, if it is meant: ")
        key = SealingKey.from_passphrase(passphrase)
    return key, _PASSPHRASE_MARK + base64.b64encode(key.header).decode()


def _reopen_last_key(passphrase: str, last_mark: str) -> SealingKey | None:
    """The key of the last time where the passphrase is the same, which its header tells."""
    if last_mark.startswith(_PASSPHRASE_MARK):
        with suppress(UsageError, FormatError, ValueError):
            return SealingKey.reopen(base64.b64decode(last_mark.removeprefix(_PASSPHRASE_MARK)), passphrase)
    return None


def add_unsealing_options(parser: argparse.ArgumentParser) -> None:
    """Declare what a vault is opened by."""
    keys = parser.add_argument_group("keys, where the vault is encrypted")
    keys.add_argument("--passphrase-file", type=Path, metavar="FILE", help="a passphrase, the first line of FILE")
    keys.add_argument("--identity", type=Path, action="append", default=[], metavar="FILE",
                      help="a file with a secret key (AGE-SECRET-KEY-1…)")  # fmt: skip


def unsealing_keys_from_arguments(args: argparse.Namespace, asks: bool) -> UnsealingKeys:
    """What a vault is opened by; a passphrase is asked for where it takes one and nothing was given."""
    identities = tuple(key for path in args.identity for key in read_identities(path))
    passphrase = None
    if args.passphrase_file is not None or (asks and not identities and sys.stdin.isatty()):
        passphrase = _read_passphrase(args.passphrase_file, confirm=False)
    return UnsealingKeys(passphrase, identities)


def _make_identity(path: Path) -> str:
    secret, public = new_identity()
    if os.path.lexists(path):
        raise UsageError(f"{path} is there already; use its public key by --recipient, or name another file")
    text = f"# public key: {public}\n{secret}\n"
    try:
        write_atomically(path, text.encode(), 0o600)
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); choose another place") from error
    return public


def _read_passphrase(path: Path | None, confirm: bool) -> str:
    return _ask_passphrase(confirm) if path is None else read_passphrase_file(path)


def _ask_passphrase(confirm: bool) -> str:
    if not sys.stdin.isatty():
        raise UsageError(
            "no key was given; choose --passphrase-file FILE, --recipient KEY or, for all to read, --unencrypted"
        )
    passphrase = getpass.getpass("passphrase of the vault: ")
    if confirm:
        _confirm_passphrase(passphrase, "again: ")
    if not passphrase:
        raise UsageError("an empty passphrase protects nothing; choose one, or --unencrypted")
    return passphrase


def _confirm_passphrase(passphrase: str, question: str) -> None:
    if getpass.getpass(question) != passphrase:
        raise UsageError("the two are not the same; nothing was done")
