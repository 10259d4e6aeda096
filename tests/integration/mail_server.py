"""A mail server on loopback that speaks as much of SMTP as a client needs, and keeps what it is given."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message


class MailServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Conversation)
        self.mails: list[Message] = []
        self.recipients: list[str] = []
        self.refused: set[str] = set()

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self) -> None:
        self.say("220 loopback")
        recipient = ""
        for raw in self.rfile:
            line = raw.decode().strip()
            word = line.upper()
            if word.startswith("RCPT"):
                recipient = line.partition("<")[2].partition(">")[0]
                self.say("550 nobody here" if recipient in self.server.refused else "250 ok")
            elif word == "DATA":
                self.say("354 go on")
                lines: list[bytes] = []
                while (got := self.rfile.readline()) != b".\r\n":
                    lines.append(got.removeprefix(b".") if got.startswith(b"..") else got)
                self.server.mails.append(message_from_bytes(b"".join(lines)))
                self.server.recipients.append(recipient)
                self.say("250 taken")
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok")


@contextmanager
def running_mail_server(port: int = 0) -> Iterator[MailServer]:
    with MailServer(port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
