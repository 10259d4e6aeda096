"""Real shells in a real terminal complete calls of webkeep."""

import sys
from pathlib import Path

import pytest
from terminal import Terminal, terminal

BIN = Path(sys.executable).parent
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile"], ["Tab"], 'eval "$(webkeep completion bash)"'),
    # It shows what an option is for first, and takes it then.
    "zsh": (["zsh", "-f"], ["Tab", "Tab"], 'autoload -U compinit; compinit -u -D; eval "$(webkeep completion zsh)"'),
}


def complete(opened: Terminal, keys: list[str], typed: str, expected: str) -> None:
    """Type the beginning of a call and have it completed; then the line is cleared."""
    opened.type(typed)
    opened.press(*keys)
    opened.wait_for(expected)
    opened.press("C-u", "C-l")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_commands_options_and_files(tmp_path: Path, shell: str) -> None:
    words, keys, setup = SHELLS[shell]
    (tmp_path / "harbour-archive").mkdir()
    with terminal(tmp_path, *words) as opened:
        opened.type(f"PATH={BIN}:$PATH; {setup}; echo rea''dy")
        opened.press("Enter")
        opened.wait_for("\nready")
        complete(opened, keys, "webkeep certi", "webkeep certify")
        complete(opened, keys, "webkeep capture --user-a", "webkeep capture --user-agent")
        complete(opened, keys, "webkeep mirror --profile iso", "webkeep mirror --profile iso9660")
        complete(opened, keys, "webkeep verify harb", "webkeep verify harbour-archive")
