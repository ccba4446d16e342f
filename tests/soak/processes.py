"""A job as a process group of its own, and what can be killed of it."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from tests.soak.job import READY


class Job:
    """A running job: the driver's Python, its JVM and its Python workers."""

    def __init__(self, arguments: Sequence[str], log: Path) -> None:
        command = [sys.executable, "-m", "tests.soak.job", *arguments]
        self.log = log.open("ab")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, start_new_session=True, text=True
        )
        self.is_ready = threading.Event()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.strip() == READY:
                self.is_ready.set()
        self.is_ready.set()

    def ends_within(self, seconds: float) -> bool:
        """Wait; whether the job ended by itself."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        return self.process.poll() is not None

    def kill_driver(self) -> None:
        """End everything at once, as a machine that loses power does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def kill_worker(self, rng: random.Random) -> bool:
        """End one of the Python workers; whether there was one."""
        workers = self._workers()
        if not workers:
            return False
        try:
            os.kill(rng.choice(workers), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def _workers(self) -> list[int]:
        """Return the Python workers: they have a group of their own, but the job's session.

        A daemon forks them; the daemon itself does no work, and has the JVM as its parent.
        """
        parents = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                pid = int(entry.name)
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if os.getsid(pid) == self.process.pid and b"pyspark.daemon" in words:
                    # After the name, which stands in brackets: the state and the parent.
                    behind_name = (entry / "stat").read_text().rpartition(")")[2]
                    parents[pid] = int(behind_name.split()[1])
        return [pid for pid, parent in parents.items() if parent in parents]
