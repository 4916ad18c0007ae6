"""A mail server on this machine that accepts mails, refuses them, or is slow."""

import socketserver
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread


class MailServer(socketserver.ThreadingTCPServer):
    """A mail server with the accepted mails in `taken`, which waits `pause` seconds before each answer.

    `answers` has other answers than the usual ones, by command (RCPT, DATA, and "." for the end of a mail);
    "" hangs up.
    """

    daemon_threads = allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.taken: list[str] = []
        self.pause = 0.0
        self.answers: dict[str, str] = {}


class _Talk(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self.say("220 here")
        while line := self.rfile.readline().decode():
            command = line[:4].strip().upper()
            if command == "DATA" and command not in self.server.answers:
                self.say("354 go on")
                text = "".join(iter(lambda: self.rfile.readline().decode(), ".\r\n"))
                if not self.server.answers.get("."):
                    self.server.taken.append(text)
                if not self.answer(".", "250 taken"):
                    return
            elif command == "QUIT" or not self.answer(command, "250 fine"):
                return

    def answer(self, command: str, usual: str) -> bool:
        """Send the answer to a command and return whether the connection stays open."""
        said = self.server.answers.get(command, usual)
        if said:
            self.say(said)
        return bool(said)

    def say(self, text: str) -> None:
        time.sleep(self.server.pause)
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def mail_server() -> Iterator[MailServer]:
    with MailServer() as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()
