"""Text for other programs of this machine: a file that is replaced, or an answer over HTTP."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cepheid.errors import ConfigError
from cepheid.metrics.prometheus import CONTENT_TYPE

LOOPBACK = "127.0.0.1"
PATH = "/metrics"


def replace_file(path: str, text: str) -> None:
    """Replace a file at once: a reader sees the old text or the new one, never a part.

    Raises:
        ConfigError: it cannot be written.
    """
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(temporary, 0o644)  # readable for the collector, which is another user
            os.replace(temporary, target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"cannot write the metrics to '{path}': {error.strerror}") from None


class MetricsServer:
    """Answers GET /metrics on 127.0.0.1 with the text that a function gives at that time."""

    def __init__(self, port: int, text: Callable[[], str]) -> None:
        try:
            self._server = ThreadingHTTPServer((LOOPBACK, port), _handler(text))
        except OSError as error:
            raise ConfigError(
                f"cannot offer metrics at port {port}: {error.strerror}",
                hint="choose another port, or 0 for a free one",
            ) from None
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="cepheid-metrics", daemon=True
        )
        self._thread.start()

    @property
    def address(self) -> str:
        """Where the metrics are."""
        return f"http://{LOOPBACK}:{self._server.server_address[1]}{PATH}"

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(text: Callable[[], str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.partition("?")[0] != PATH:
                self.send_error(404)
                return
            body = text().encode()
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: requests come every few seconds."""

    return Handler
