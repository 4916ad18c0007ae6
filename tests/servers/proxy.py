"""A small reverse proxy that uses several servers in turn and appends the client's address to X-Forwarded-For."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from threading import Lock, Thread
from typing import Any


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


@contextmanager
def proxy(ports: list[int]) -> Iterator[int]:
    """Run a proxy in front of the servers on `ports` until the block ends, and yield its port."""
    turn, lock = cycle(ports), Lock()

    class Handler(BaseHTTPRequestHandler):
        def pass_on(self) -> None:
            with lock:
                port = next(turn)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = dict(self.headers.items())
            before = headers.pop("X-Forwarded-For", "")
            headers["X-Forwarded-For"] = f"{before}, {self.client_address[0]}" if before else self.client_address[0]
            with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as behind:
                behind.request(self.command, self.path, body=body or None, headers=headers)
                answer = behind.getresponse()
                data = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = pass_on

        def log_message(self, *args: Any) -> None:
            """Log nothing."""

    with Server(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()
