"""`webkeep verify`: every digest, index entry and revisit's target of an archive; or a package, by whom, since when."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import PackageRequest, find_package, read_kept_checkpoint, run_verify, run_verify_package
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.evidence.verification import describe_verdict
from webkeep.presentation import format_count
from webkeep.store.log import LogVerification


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument(
        "archive",
        type=Path,
        metavar="ARCHIVE|FILE",
        help="the folder of an archive; or a WACZ or WARC file, or a folder with evidence.wacz",
    )
    log = parser.add_argument_group("archives and packages with a log")
    log.add_argument("--checkpoint", type=Path, metavar="FILE", help="a checkpoint of its log that was kept elsewhere")
    log.add_argument("--log-key", default="", metavar="KEY", help="the key that must have signed its checkpoints")
    package = parser.add_argument_group("packages")
    package.add_argument("--key", action="append", default=[], metavar="FILE|FINGERPRINT",
                         help="one of these keys must have signed it: a public key (PEM, base64) or its fingerprint "
                         "(sha256:…)")  # fmt: skip
    package.add_argument("--ca", type=Path, metavar="FILE",
                         help="trust these authorities (PEM) for certificates that sign, beside those that browsers "
                         "trust")  # fmt: skip
    package.add_argument("--tsa-ca", type=Path, metavar="FILE",
                         help="trust these authorities (PEM) for time stamps, beside those that browsers "
                         "trust")  # fmt: skip
    package.add_argument("--unsigned", action="store_true", help="a file that nobody signed will do")
    package.add_argument("--stamped", action="store_true", help="a time stamp has to be there")


def run(args: argparse.Namespace, out: Output) -> int:
    """Verify the archive or the package; findings make the exit code 1."""
    if find_package(args.archive) is not None:
        return _verify_package(args, out)
    if args.key or args.ca or args.tsa_ca or args.unsigned or args.stamped:
        raise UsageError(f"{args.archive} is no package; --key, --ca, --tsa-ca, --unsigned, --stamped are about one")
    done = run_verify(args.archive, WorkView(out), read_kept_checkpoint(args.checkpoint, args.log_key))
    verdict = format_count(done.findings, "finding") if done.findings else "all is well"
    gone_through = f"{format_count(done.records, 'record')} in {format_count(done.files, 'file')}"
    elsewhere = "".join(f"; {_elsewhere_words(*each)}" for each in sorted((done.elsewhere or {}).items()))
    carried = "".join(map(_carried_words, done.carried_logs or ()))
    out.summary(done.to_dict(), f"{gone_through}: {verdict}{elsewhere}{_log_words(done.log)}{carried}")
    return FINDINGS if done.findings else DONE


def _verify_package(args: argparse.Namespace, out: Output) -> int:
    kept = read_kept_checkpoint(args.checkpoint, args.log_key)
    request = PackageRequest(args.archive, tuple(args.key), args.ca, args.tsa_ca, args.unsigned, args.stamped, kept)
    verdict = run_verify_package(request, WorkView(out)).verdict
    for sentence in describe_verdict(verdict):
        out.prose(sentence)
    failed = format_count(len(verdict.findings), "check")
    out.summary(verdict.to_dict(), "no check failed" if verdict.is_sound else f"{failed} failed")
    return DONE if verdict.is_sound else FINDINGS


def _elsewhere_words(holder: str, count: int) -> str:
    """On which other archive this one depends; the name came out of its records."""
    return f"{format_count(count, 'revisit')} of payloads in the archive of {holder}, to be kept with this one"


def _carried_words(log: LogVerification) -> str:
    """What is said of a log that came along with imported records."""
    if not log.size:
        return f"; {format_count(log.proven, 'record')} proven to be in the log {log.origin}"
    return f"; of the log {log.origin} {log.records:,} of {format_count(log.size, 'record')} are here unchanged"


def _log_words(log: LogVerification | None) -> str:
    """What the log says, and how far that can be relied on."""
    if log is None:
        return ""
    taken = f", {format_count(log.taken_down, 'record')} taken down" if log.taken_down else ""
    told = f"; the log has {format_count(log.size, 'record')}{taken}"
    if log.kept_size is not None:
        return f"{told}, {format_count(log.since_kept, 'record')} of them since the checkpoint that was given"
    told += f", the first {log.signed_size:,} vouched for by a signature" if log.signed_size else ""
    return f"{told}; only a checkpoint that was kept elsewhere (--checkpoint) shows that it was not written anew"
