"""An HTTP server that sleeps until a request arrives, and stops at once."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """A server that handles each connection in a thread of its own."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 512
    ending = False

    def serve(self) -> None:
        while not self.ending:
            self.handle_request()


@contextmanager
def listening(server: Server) -> Iterator[None]:
    """Run `server` until the block ends.

    `serve_forever` would check every few milliseconds whether it should stop, which slows down the other threads of
    the process. This server waits for connections only; one more connection wakes it up to stop.
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
