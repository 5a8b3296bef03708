"""A mail server of this machine that keeps what it is given, and fails where a test says so."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default


class FakeSmtp(socketserver.ThreadingTCPServer):
    """Speaks as much SMTP as smtplib does.

    replies: by command, such as RCPT, what is answered in the place of success.
    breaks_after: the command, or "the end" of an e-mail, after which it hangs up without an answer.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.received: list[EmailMessage] = []
        self.replies: dict[str, str] = {}
        self.breaks_after = ""
        self.logins: list[str] = []

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class _Conversation(socketserver.StreamRequestHandler):
    server: FakeSmtp

    def handle(self) -> None:
        self._say("220 fake")
        while line := self.rfile.readline():
            command = line.split()[0].decode().upper()
            if command == self.server.breaks_after:
                return
            reply = self.server.replies.get(command)
            if command == "EHLO":
                self._say("250-fake")
                self._say("250 AUTH PLAIN")
            elif command == "AUTH":
                self.server.logins.append(line.split()[2].decode())
                self._say(reply or "235 welcome")
            elif command == "QUIT":
                self._say("221 bye")
                return
            elif command == "DATA" and reply is None:
                self._say("354 go on")
                if not self._take():
                    return
            else:
                self._say(reply or "250 fine")

    def _take(self) -> bool:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        content = b"".join(lines)
        self.server.received.append(message_from_bytes(content, policy=default))
        if self.server.breaks_after == "the end":
            return False
        self._say(self.server.replies.get("the end", "250 taken"))
        return True

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def fake_smtp() -> Iterator[FakeSmtp]:
    with FakeSmtp() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
