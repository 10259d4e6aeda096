"""The `webkeep` command: finds the subcommand, runs it, and turns errors into one line and an exit code; what is said
of misspelt options, of Ctrl-C, of disk errors and of missing packages.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from webkeep.cli.command_table import SUBCOMMANDS, load_subcommand
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE, UNFINISHED, WRONG_CALL
from webkeep.cli.verbs import spell_out_verb
from webkeep.errors import UsageError, WebkeepError
from webkeep.process import SignalExit, exit_on_signals, open_missing_streams, redirect_to_null
from webkeep.version import __version__

_WRITING_COMMANDS = frozenset(
    {"capture", "cluster", "copy", "import", "rebuild", "record", "recover", "remove", "update"}
)
"""The subcommands that change an archive; the others only read one."""

_RESUMABLE_COMMANDS = frozenset({"capture", "cluster", "copy", "recover", "update"})
"""The subcommands that go on where they were stopped."""

_EXTRA_PACKAGES = {
    "argon2": "service",
    "cronsim": "service",
    "jinja2": "service",
    "psycopg": "service",
    "ray": "cluster",
    "python_multipart": "service",
    "starlette": "lab",
    "uvicorn": "lab",
}
"""What only some commands need, each with the extra that brings it."""

_STANDALONE_OPTIONS = ("-h", "--help", "--version")
"""The options that stand in place of a command."""


class _CommandParser(argparse.ArgumentParser):
    def __init__(self, **settings: Any) -> None:
        # The start of an option's name would come to mean another one as soon as there is a second that begins so.
        super().__init__(**settings, allow_abbrev=False)
        self.register("type", Path, _parse_path)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuse what is not known here, where the options are known that may have been meant."""
        words = sys.argv[1:] if args is None else args
        known, rest = super().parse_known_args(spell_out_verb(self, words), namespace)
        if rest:
            self.error(self._unknown_argument_words(rest[0]))
        return known, rest

    def error(self, message: str) -> NoReturn:
        dash = ", written with = where it begins with a dash" if message.endswith("expected one argument") else ""
        raise UsageError(f"{message}{dash}; see {self.prog} --help")

    def _unknown_argument_words(self, word: str) -> str:
        if not word.startswith("-"):
            return f"{word!r} is one word too many, or stands apart from the others"
        name = word.partition("=")[0]
        return f"there is no option {name}{_suggestion(name, list(self._option_string_actions))}"


def _suggestion(word: str, names: Sequence[str], likeness: float = 0.6) -> str:
    near = get_close_matches(word, names, n=1, cutoff=likeness)
    return f" (did you mean {near[0]}?)" if near else ""


def _parse_path(text: str) -> Path:
    """A path; an empty one comes from a variable that was never set, and would mean the working directory."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty; name a place")
    return Path(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code says how it ended."""
    open_missing_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    with exit_on_signals():
        return _run_command(words, Output(as_json="--json" in words))


def _run_command(words: list[str], out: Output) -> int:
    try:
        args = _parser_for(words).parse_args(words)
        code: int = args.run(args, out)
        sys.stdout.flush()
    except UsageError as error:
        return _report_failure(out, WRONG_CALL, error)
    except WebkeepError as error:
        return _report_failure(out, UNFINISHED, error)
    except KeyboardInterrupt as error:
        by = str(error) if isinstance(error, SignalExit) else "Ctrl-C"
        kept = "; nothing that was acknowledged is lost" if _WRITING_COMMANDS & set(words[:1]) else ""
        onward = "; the same command goes on" if _RESUMABLE_COMMANDS & set(words[:1]) else ""
        return _report_failure(out, UNFINISHED, f"stopped by {by}{kept}{onward}")
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA_PACKAGES:
            raise
        extra = "service" if words[0] == "service" else _EXTRA_PACKAGES[error.name]
        return _report_failure(
            out, WRONG_CALL, f"{' '.join(words[:2])} needs {error.name}; run: pip install 'webkeep[{extra}]'"
        )
    except BrokenPipeError:
        redirect_to_null(sys.stdout)
        return DONE
    except OSError as error:
        return _report_failure(out, UNFINISHED, _disk_error_words(error, bool(_WRITING_COMMANDS & set(words[:1]))))
    return code


def _disk_error_words(error: OSError, writes: bool) -> str:
    what = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
    if isinstance(error, PermissionError):
        advice = "get the permission for it" if writes else "get the permission to read it"
    else:
        advice = "mend that"
    return f"{what}; {advice} and run it again" + ("; nothing acknowledged is lost" if writes else "")


def _report_failure(out: Output, code: int, error: object) -> int:
    message = " ".join(str(error).split())
    try:
        out.note(f"webkeep: {message}")
        if out.as_json:
            out.summary({"error": message, "exit": code})
        sys.stdout.flush()
    except OSError:  # what it is written to may lie on the disk that is full
        redirect_to_null(sys.stdout)
    return code


def build_whole_parser() -> argparse.ArgumentParser:
    """A parser that knows the arguments of all subcommands, for what is made out of it: completion, manual pages."""
    return _build_parser(SUBCOMMANDS)


def subcommand_parsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the subcommands, by their names."""
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return dict(commands.choices)


def _parser_for(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of a call, which knows only the arguments of the subcommand that is called."""
    called = words[0] if words else ""
    parser = _build_parser([called])
    if called and called not in SUBCOMMANDS and called not in (*_STANDALONE_OPTIONS, "--json"):
        if called.startswith("-"):
            parser.error(
                f"there is no option {called}{_suggestion(called, _STANDALONE_OPTIONS, 0.8)}; a command's options "
                f"follow it"
            )
        parser.error(f"there is no command {called!r}{_suggestion(called, list(SUBCOMMANDS))}")
    return parser


def _build_parser(known: Collection[str]) -> argparse.ArgumentParser:
    parser = _CommandParser(prog="webkeep", description="Keeps websites: capture, check, hand on, show again.")
    parser.add_argument("--version", action="version", version=f"webkeep {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_CommandParser)
    for name, text in SUBCOMMANDS.items():
        child = commands.add_parser(name, help=text, description=text)
        if name in known:
            _add_command_arguments(child, name)
    return parser


def _add_command_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Give a parser all that its subcommand understands."""
    subcommand = load_subcommand(name)
    parser.add_argument("--json", action="store_true", help="events and a summary as JSON lines on standard output")
    subcommand.arguments(parser)
    parser.set_defaults(run=subcommand.run)


if __name__ == "__main__":
    sys.exit(main())
