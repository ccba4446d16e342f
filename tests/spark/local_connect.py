"""Spark Connect in one process, `--remote local[2]`: its server always takes the same port."""

import contextlib
import fcntl
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.services.processes import LOOPBACK

PORT = 15002
LOCK = Path(tempfile.gettempdir()) / "cepheid-tests-spark-connect.lock"


@contextlib.contextmanager
def alone_on_connect() -> Iterator[None]:
    """Wait until no other test has such a server, and keep others waiting meanwhile."""
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # closing the file gives it up
        deadline = time.monotonic() + 60
        while not _is_free() and time.monotonic() < deadline:  # a server ends after its client
            time.sleep(0.5)
        yield


def _is_free() -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((LOOPBACK, PORT)) != 0
