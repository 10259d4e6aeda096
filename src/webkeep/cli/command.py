"""The `webkeep` command: finds the subcommand, runs it, and turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, UNFINISHED, WRONG_CALL
from webkeep.cli.subcommands import SUBCOMMANDS, load_subcommand
from webkeep.errors import UsageError, WebkeepError
from webkeep.process.ending import EndedBySignal, ending_by_signals
from webkeep.process.streams import lead_nowhere, open_closed_streams
from webkeep.version import __version__

_WRITERS = frozenset({"capture", "copy", "import", "rebuild", "record", "recover", "remove", "update"})
"""The subcommands that change an archive; the others only read one."""

_RESUMED = frozenset({"capture", "copy", "recover", "update"})
"""The subcommands that go on where they were stopped."""

_ALONE = ("-h", "--help", "--version")
"""The options that stand in place of a command."""


class _Parser(argparse.ArgumentParser):
    def __init__(self, **settings: Any) -> None:
        # The start of an option's name would come to mean another one as soon as there is a second that begins so.
        super().__init__(**settings, allow_abbrev=False)
        self.register("type", Path, _path)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuse what is not known here, where the options are known that may have been meant."""
        known, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(self._too_much(rest[0]))
        return known, rest

    def error(self, message: str) -> NoReturn:
        dash = ", written with = where it begins with a dash" if message.endswith("expected one argument") else ""
        raise UsageError(f"{message}{dash}; see {self.prog} --help")

    def _too_much(self, word: str) -> str:
        if not word.startswith("-"):
            return f"{word!r} is one word too many, or stands apart from the others"
        name = word.partition("=")[0]
        return f"there is no option {name}{_meant(name, list(self._option_string_actions))}"


def _meant(word: str, names: Sequence[str], likeness: float = 0.6) -> str:
    near = get_close_matches(word, names, n=1, cutoff=likeness)
    return f" (did you mean {near[0]}?)" if near else ""


def _path(text: str) -> Path:
    """A path; an empty one comes from a variable that was never set, and would mean the working directory."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty; name a place")
    return Path(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code says how it ended."""
    open_closed_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    with ending_by_signals():
        return _run(words, Output(as_json="--json" in words))


def _run(words: list[str], out: Output) -> int:
    try:
        args = _parser(words).parse_args(words)
        code: int = args.run(args, out)
        sys.stdout.flush()
    except UsageError as error:
        return _failed(out, WRONG_CALL, error)
    except WebkeepError as error:
        return _failed(out, UNFINISHED, error)
    except KeyboardInterrupt as error:
        by = str(error) if isinstance(error, EndedBySignal) else "Ctrl-C"
        kept = "; nothing that was acknowledged is lost" if _WRITERS & set(words[:1]) else ""
        onward = "; the same command goes on" if _RESUMED & set(words[:1]) else ""
        return _failed(out, UNFINISHED, f"stopped by {by}{kept}{onward}")
    except BrokenPipeError:
        lead_nowhere(sys.stdout)
        return DONE
    except OSError as error:
        return _failed(out, UNFINISHED, _disk_trouble(error, bool(_WRITERS & set(words[:1]))))
    return code


def _disk_trouble(error: OSError, writes: bool) -> str:
    what = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
    if isinstance(error, PermissionError):
        advice = "get the permission for it" if writes else "get the permission to read it"
    else:
        advice = "mend that"
    return f"{what}; {advice} and run it again" + ("; nothing acknowledged is lost" if writes else "")


def _failed(out: Output, code: int, error: object) -> int:
    message = " ".join(str(error).split())
    out.note(f"webkeep: {message}")
    if out.as_json:
        out.summary({"error": message, "exit": code})
    return code


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="webkeep", description="Keeps websites: capture, check, hand on, show again.")
    parser.add_argument("--version", action="version", version=f"webkeep {__version__}")
    called = words[0] if words else ""
    if called and called not in SUBCOMMANDS and called not in (*_ALONE, "--json"):
        if called.startswith("-"):
            parser.error(f"there is no option {called}{_meant(called, _ALONE, 0.8)}; a command's options follow it")
        parser.error(f"there is no command {called!r}{_meant(called, list(SUBCOMMANDS))}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for name, listed in SUBCOMMANDS.items():
        child = commands.add_parser(name, help=listed.help, description=listed.help)
        if name == called:
            _complete(child, name)
    return parser


def _complete(parser: argparse.ArgumentParser, name: str) -> None:
    """Give a parser all that its subcommand understands."""
    subcommand = load_subcommand(name)
    parser.add_argument("--json", action="store_true", help="events and a summary as JSON lines on standard output")
    subcommand.arguments(parser)
    parser.set_defaults(run=subcommand.run)


if __name__ == "__main__":
    sys.exit(main())
