"""An HTTP server that sleeps until somebody asks, and ends at once."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """Answers each connection in a thread of its own."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 512
    ending = False

    def serve(self) -> None:
        while not self.ending:
            self.handle_request()


@contextmanager
def listening(server: Server) -> Iterator[None]:
    """`server` answers until the block ends.

    It does not look every few milliseconds whether it should end, which keeps the other threads of the process from
    their work: who ends it connects once more, so that it wakes.
    """
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.ending = True
        socket.create_connection(("127.0.0.1", server.server_port)).close()
        thread.join()
        server.server_close()
