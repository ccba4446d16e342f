"""Text for other programs of this machine: a file that is replaced, or an answer over HTTP."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cepheid.errors import ConfigError
from cepheid.metrics.prometheus import CONTENT_TYPE

LOOPBACK = "127.0.0.1"
OWN_NAMES = (LOOPBACK, "localhost")
PATH = "/metrics"
HEADERS = {
    # Scripts and data come from here alone. Pictures have styles in their elements.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Allow": "GET",
}


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


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered at a path: a text that a function gives at that time."""

    content_type: str
    text: Callable[[], str]


class LocalServer:
    """Answers GET on an address of this machine, 127.0.0.1 unless another one is given.

    It changes nothing, whatever is asked. A page of another site cannot read from it: the name in
    the request has to be this machine's, and no page may come from elsewhere or go there.
    """

    def __init__(self, port: int, answers: Mapping[str, Answer], *, host: str = LOOPBACK) -> None:
        try:
            self._server = ThreadingHTTPServer((host, port), _handler(answers, host))
        except (OSError, OverflowError) as error:
            raise ConfigError(
                f"cannot answer at {host}, port {port}: {getattr(error, 'strerror', error)}",
                hint="choose another port, or 0 for a free one",
            ) from None
        self.host = host
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="cepheid-answers", daemon=True
        )
        self._thread.start()

    @property
    def address(self) -> str:
        """Where it answers, without a path."""
        return f"http://{self.host}:{self._server.server_address[1]}"

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def metrics_answer(text: Callable[[], str]) -> dict[str, Answer]:
    """Return the answer that Prometheus asks for."""
    return {PATH: Answer(CONTENT_TYPE, text)}


def _handler(answers: Mapping[str, Answer], host: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10  # seconds of silence until a client is given up

        def do_GET(self) -> None:
            named = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
            if named.lower() not in (host, *OWN_NAMES):
                self.send_error(403, "this name is not of this machine")
                return
            answer = answers.get(self.path.partition("?")[0])
            if answer is None:
                self.send_error(404)
                return
            body = answer.text().encode()
            self.send_response(200)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def refuse(self) -> None:
            """Nothing can be changed here."""
            self.send_error(405, "only GET is answered")

        do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = refuse

        def end_headers(self) -> None:
            for name, value in HEADERS.items():
                self.send_header(name, value)
            super().end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: requests come every few seconds."""

    return Handler
