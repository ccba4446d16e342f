"""Child processes that serve: ports for them, waiting for them, ending them."""

import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

LOOPBACK = "127.0.0.1"


def free_ports(count: int) -> list[int]:
    """Ports that were free a moment ago; all are held together, so they differ."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def wait_until(answers: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    """Return when a server answers; fail with the end of its log if it ends or takes a minute."""
    deadline = time.monotonic() + 60
    while not answers():
        code = process.poll()
        if code is not None or time.monotonic() > deadline:
            happened = "does not answer" if code is None else f"ended with code {code}"
            said = log.read_text(encoding="utf-8", errors="replace")[-2000:]
            raise RuntimeError(f"{process.args!r} {happened}; the end of its log:\n{said}")
        time.sleep(0.1)


def end(process: subprocess.Popen[bytes], *signals: signal.Signals) -> None:
    """End a process of ours: signal by signal with ten seconds for each, at last by force."""
    for each in signals:
        if process.poll() is not None:
            return
        process.send_signal(each)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            continue
    if process.poll() is None:
        process.kill()
        process.wait(10)
