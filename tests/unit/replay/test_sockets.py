import base64
import json
import zlib

from webkeep.replay.choice.recorded_sockets import MAX_RECORDING_BYTES, read_messages
from webkeep.replay.delivery.socket_player import accept_key

LAST, PACKED = 8, 4


def line(sender: str, opcode: int, flags: int = LAST, **payload: str) -> str:
    return json.dumps({"at": "2024", "from": sender, "opcode": opcode, "flags": flags, **payload})


def packed(compressor: "zlib._Compress", text: str) -> str:
    data = compressor.compress(text.encode()) + compressor.flush(zlib.Z_SYNC_FLUSH)
    return base64.b64encode(data.removesuffix(b"\x00\x00\xff\xff")).decode()


def test_messages_come_in_their_order_whole_and_unpacked() -> None:
    compressor = zlib.compressobj(wbits=-15)
    told = read_messages(
        [
            line("client", 1, text="hello"),
            line("server", 1, 0, text="HEL"),
            line("server", 9, text="ping"),
            line("server", 0, LAST, text="LO"),
            line("server", 1, LAST | PACKED, base64=packed(compressor, "again and again")),
            line("server", 1, LAST | PACKED, base64=packed(compressor, "again and again")),
            line("server", 2, base64=base64.b64encode(b"\x01\x02").decode()),
        ]
    )
    assert told["frames"] == [
        {"from": "client", "text": "hello"},
        {"from": "server", "text": "HELLO"},
        {"from": "server", "text": "again and again"},
        {"from": "server", "text": "again and again"},
        {"from": "server", "base64": "AQI="},
    ]
    assert "close" not in told


def test_only_what_the_server_closed_is_closed_for_the_page() -> None:
    close = base64.b64encode((4001).to_bytes(2, "big") + b"bye").decode()
    assert read_messages([line("server", 8, base64=close)])["close"] == [4001, "bye"]
    assert "close" not in read_messages([line("client", 8, base64=close), line("server", 8, base64=close)])


def test_broken_lines_are_passed_over_and_broken_packing_ends_it() -> None:
    told = read_messages(
        ["nonsense", "[]", "null", line("server", 1), line("server", 1, text="kept"),
         line("server", 1, LAST | PACKED, base64="////"), line("server", 1, text="lost")]
    )  # fmt: skip
    assert told["frames"] == [{"from": "server", "text": "kept"}]


def test_all_messages_together_are_unpacked_to_so_much_and_no_more() -> None:
    compressor = zlib.compressobj(9, wbits=-15)
    bombs = [line("server", 2, LAST | PACKED, base64=packed(compressor, "\0" * (6 << 20))) for _ in range(20)]
    frames = read_messages(bombs)["frames"]
    assert isinstance(frames, list)
    assert len(frames) == MAX_RECORDING_BYTES // (6 << 20)


def test_a_handshake_is_answered_as_the_standard_has_it() -> None:
    assert accept_key("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
