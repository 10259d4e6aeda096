"""What commands print: harmless to terminals, exact for programs, whatever an archive holds."""

import io
import json
import os
import pty
from contextlib import suppress

import pytest

from webkeep.cli.output.console import Output
from webkeep.errors import UsageError
from webkeep.presentation import TerminalGuard, escape_controls, escape_json_controls

EVIL = "a\x1b]0;owned\x07b\x9b31mc\u202ed\u2028e\ud800f\x7f\U000e0041"


def streams(encoding: str = "utf-8") -> tuple[io.TextIOWrapper, io.TextIOWrapper]:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding), io.TextIOWrapper(io.BytesIO(), encoding=encoding)


def written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode(stream.encoding)


def test_what_could_command_a_terminal_is_shown_as_an_escape() -> None:
    shown = escape_controls(EVIL)
    assert shown == r"a\x1b]0;owned\x07b\x9b31mc\u202ed\u2028e\ud800f\x7f\U000e0041"
    assert escape_controls("line\nline\r\tend") == r"line\nline\r\tend"


@pytest.mark.parametrize("text", ["plain", "Grüße", "日本語", "e\u0301", "👩\u200d🚀", "a\u00a0b", "שלום"])
def test_ordinary_text_of_any_script_stays(text: str) -> None:
    assert escape_controls(text) == text


def test_json_means_the_very_characters_and_contains_none_of_them() -> None:
    line = escape_json_controls(json.dumps({"url": EVIL}, ensure_ascii=False))
    assert json.loads(line) == {"url": EVIL}
    assert not set(line) & set("\x1b\x07\x9b\u202e\u2028\ud800\x7f\U000e0041")


def test_lines_notes_and_summaries_are_harmless() -> None:
    out, err = streams()
    output = Output(False, out, err)
    output.line(EVIL)
    output.note(EVIL)
    output.event("unseen", url=EVIL)
    output.summary({"unseen": True}, EVIL)
    for text, lines in ((written(out), 1), (written(err), 2)):
        assert text.count("\n") == lines
        assert all(line == escape_controls(EVIL) for line in text.splitlines())


def test_programs_get_events_and_one_summary() -> None:
    out, err = streams()
    output = Output(True, out, err)
    output.line("unseen")
    output.event("seen", url=EVIL)
    output.summary({"count": 1}, "unseen")
    events = [json.loads(line) for line in written(out).splitlines()]
    assert events == [{"event": "seen", "url": EVIL}, {"count": 1}]
    assert written(err) == ""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_narrow_encoding_loses_nothing_and_raises_nothing(encoding: str) -> None:
    out, err = streams(encoding)
    Output(False, out, err).line("é → 日本")
    assert "\\u65e5\\u672c" in written(out)
    out, err = streams(encoding)
    Output(True, out, err).summary({"url": "é → 日本"})
    assert json.loads(written(out)) == {"url": "é → 日本"}


def test_content_goes_out_byte_for_byte_when_nobody_watches() -> None:
    out, err = streams()
    data = bytes(range(256))
    assert Output(False, out, err).content([data, data]) == 512
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    assert out.buffer.getvalue() == data * 2


@pytest.mark.parametrize(
    ("pieces", "passes"),
    [
        ([b"text\n\ttext\r\n"], True),
        (["日本".encode()[:2], "日本".encode()[2:]], True),
        ([b"latin \xe9\xff"], True),
        ([b"\x1b[31m"], False),
        ([b"\x00"], False),
        ([b"\xc2", b"\x9b31m"], False),
    ],
)
def test_the_guard_sees_commands_however_they_are_cut(pieces: list[bytes], passes: bool) -> None:
    guard = TerminalGuard()
    seen = [guard.is_safe(piece) for piece in pieces]
    assert all(seen) is passes


def test_a_terminal_gets_text_but_no_commands() -> None:
    leader, follower = pty.openpty()
    try:
        with os.fdopen(follower, "w", encoding="utf-8") as terminal:
            output = Output(False, terminal, terminal)
            assert output.is_terminal
            assert output.content([b"words\n"]) == 6
            with pytest.raises(UsageError, match="--output"):
                output.content([b"\x1b]0;owned\x07"])
            assert output.content([b"\x1b[0m"], anywhere=True) == 4
        seen = b""
        while not seen.endswith(b"\x1b[0m"):
            seen += os.read(leader, 4096)
    finally:
        os.close(leader)
    assert seen == b"words\r\n\x1b[0m"


def everything(leader: int) -> str:
    """All that was printed on a terminal that is closed by now; it comes in pieces."""
    seen = b""
    with suppress(OSError):
        while piece := os.read(leader, 4096):
            seen += piece
    return seen.decode()


def test_sentences_break_between_words_on_a_terminal_and_nowhere_else() -> None:
    text = " ".join(["sentence"] * 40)
    leader, follower = pty.openpty()
    try:
        with os.fdopen(follower, "w", encoding="utf-8") as terminal:
            Output(False, terminal, terminal).prose(text)
        lines = everything(leader).splitlines()
    finally:
        os.close(leader)
    assert len(lines) > 1
    assert max(map(len, lines)) < 80
    first, *others = lines
    assert all(line.startswith("  sentence") for line in others), "what goes on is set off from the next sentence"
    assert " ".join([first, *(line[2:] for line in others)]) == text
    out, err = streams()
    Output(False, out, err).prose(text)
    assert written(out) == text + "\n"
