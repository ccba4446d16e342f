"""Ctrl-C ends a run although a kernel is at work, which would take hours."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cepheid.engine.process.threads import interruptible, stop_if_unwanted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")

# Every event is compared with all before it, in one call of a kernel.
SCAN = "PATTERN A+ a[] WHERE a[i].x * a[i-1].y > a[i].y * a[i-1].x + 1 RETURN COUNT(*) AS n"

IN_PROCESS = """
import sys, cepheid, pyarrow.parquet as pq
events, text = pq.read_table(sys.argv[1]), sys.argv[2]
query = cepheid.query(text)
query.run(events.slice(0, 9), time="ts", type="kind")
try:
    print("ready", flush=True)
    query.run(events, time="ts", type="kind")
except KeyboardInterrupt:
    print("interrupted", query.run(events.slice(0, 9), time="ts", type="kind").num_rows, flush=True)
    sys.exit(3)
"""
COMMAND_LINE = """
import sys
from cepheid.cli import main
print("ready", flush=True)
sys.argv[1:] = ["run", sys.argv[2], sys.argv[1], "--time", "ts", "--type", "kind"]
main()
"""


@pytest.fixture(scope="module")
def many_events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("events") / "many.parquet"
    count, random = 3_000_000, np.random.default_rng(1)
    columns = {name: random.integers(0, 100, count) for name in "xy"}
    table = pa.table({"ts": np.arange(count), "kind": pa.array(["A"] * count), **columns})
    pq.write_table(table, path)
    return path


# An idle machine needs less than two seconds, and the kernel, hours. The rest is for a machine with
# more to do than it has processors, on which a process waits for its turn.
MOST_SECONDS = 10


def interrupted(program: str, path: Path, text: str) -> tuple[int, str]:
    """Run a program and send SIGINT a moment after it says that it is ready; it has to end soon."""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path), text], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            time.sleep(2)
            process.send_signal(signal.SIGINT)
            sent = time.monotonic()
            code = process.wait(60)
            assert time.monotonic() - sent < MOST_SECONDS
            return code, process.stdout.read()
        finally:
            process.kill()


@pytest.mark.slow
def test_in_process(many_events: Path) -> None:
    code, said = interrupted(IN_PROCESS, many_events, SCAN)
    assert (code, said) == (3, "interrupted 1\n")


@pytest.mark.slow
def test_in_the_command_line(many_events: Path) -> None:
    assert interrupted(COMMAND_LINE, many_events, SCAN) == (130, "")


@pytest.fixture
def heard() -> Iterator[None]:
    """SIGINT is heard, also where a shell has started the tests behind itself."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_work_that_is_no_longer_wanted_ends() -> None:
    started, ended = threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        try:
            while True:
                stop_if_unwanted()
        finally:
            ended.set()

    def interrupt() -> None:
        started.wait()
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(work)
    assert ended.wait(60)


def test_other_threads_do_their_work_themselves() -> None:
    found: list[int] = []

    def run() -> None:
        found.append(interruptible(threading.get_ident))
        found.append(threading.get_ident())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found[0] == found[1]


def test_errors_come_through() -> None:
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)
