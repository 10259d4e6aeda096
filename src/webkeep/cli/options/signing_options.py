"""Who signs, as people write it behind a command; passphrases never as words of the call."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.signing import PASSPHRASE_VARIABLE, SigningRequest


def add_signing_options(parser: argparse.ArgumentParser, is_always_signed: bool = True) -> None:
    """Declare who signs, and whether anybody does where that is not always so."""
    signs = parser.add_argument_group("signature; without any of these a key of your own, made on first use")
    if not is_always_signed:
        signs.add_argument("--sign", action="store_true", help="with --wacz: sign it, as packages of evidence are")
    signs.add_argument("--sign-key", type=Path, metavar="FILE",
                       help="a key of your own in this file, made if it is not there; or that of "
                       "--certificate")  # fmt: skip
    signs.add_argument("--certificate", type=Path, metavar="FILE",
                       help="sign as the domain or person that this certificate names: PEM, or PKCS#12 "
                       "(.p12, .pfx)")  # fmt: skip
    signs.add_argument("--token", type=Path, metavar="LIBRARY", help="sign with a token, by its PKCS#11 library")
    signs.add_argument("--token-label", default="", metavar="LABEL", help="with the key of this label")
    signs.add_argument("--passphrase-file", type=Path, metavar="FILE",
                       help="the key's passphrase or the token's PIN is the first line of FILE; or in "
                       f"{PASSPHRASE_VARIABLE}")  # fmt: skip


def signing_request_from_arguments(args: argparse.Namespace) -> SigningRequest:
    """The request that the options make."""
    return SigningRequest(args.sign_key, args.certificate, args.token, args.token_label, args.passphrase_file)
