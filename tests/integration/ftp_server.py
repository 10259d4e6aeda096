"""A small FTP server on loopback with files in memory."""

import socket
from contextlib import ExitStack

from listening import Listening


class FtpServer(Listening):
    """Serves files by their paths, and lists for directories; anyone may log in, or only who knows the password."""

    def __init__(self, files: dict[str, bytes], password: str = "", breaks_off: bool = False) -> None:
        super().__init__()
        self._files = files
        self._password = password
        self._breaks_off = breaks_off
        self.commands: list[str] = []

    @property
    def url(self) -> str:
        return f"ftp://127.0.0.1:{self.port}"

    def talk(self, connection: socket.socket) -> None:
        with connection.makefile("rwb", 0) as file, ExitStack() as opened:
            self._talk(file, opened)

    def _talk(self, file: socket.SocketIO, opened: ExitStack) -> None:
        folder, waiting = "/", None
        file.write(b"220 ready\r\n")
        while line := file.readline():
            word, _, rest = line.decode().strip().partition(" ")
            self.commands.append(f"{word} {rest}".strip())
            path = rest if rest.startswith("/") else folder + rest
            if word == "USER":
                file.write(b"331 password\r\n")
            elif word == "PASS":
                file.write(b"230 in\r\n" if rest == self._password or not self._password else b"530 no\r\n")
            elif word == "PWD":
                file.write(f'257 "{folder}"\r\n'.encode())
            elif word == "CWD":
                folder = path.rstrip("/") + "/"
                file.write(b"250 there\r\n" if any(name.startswith(folder) for name in self._files) else b"550 no\r\n")
            elif word == "EPSV":
                waiting = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
                file.write(f"229 at (|||{waiting.getsockname()[1]}|)\r\n".encode())
            elif word == "MDTM":
                file.write(b"213 20240301120000\r\n" if path in self._files else b"550 no\r\n")
            elif word == "SIZE":
                file.write(f"213 {len(self._files[path])}\r\n".encode() if path in self._files else b"550 no\r\n")
            elif word in ("RETR", "LIST") and waiting is not None:
                self._send(file, waiting, folder if word == "LIST" else path)
                waiting = None
            elif word == "TYPE":
                file.write(b"200 fine\r\n")
            else:
                file.write(b"500 what?\r\n")

    def _send(self, file: socket.SocketIO, waiting: socket.socket, path: str) -> None:
        with waiting:
            if path not in self._files:
                file.write(b"550 no such file\r\n")
                return
            file.write(f"150 coming ({len(self._files[path])} bytes)\r\n".encode())
            data, _ = waiting.accept()
            with data:
                data.sendall(self._files[path][: len(self._files[path]) // (2 if self._breaks_off else 1)])
            file.write(b"226 done\r\n" if not self._breaks_off else b"426 broke off\r\n")
