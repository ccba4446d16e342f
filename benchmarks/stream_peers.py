"""The same stream through Cepheid on Spark and through Flink CEP: how fast, and how soon a match.

Both read lines from a socket of this machine. A window full of events comes first, and is not
timed. Then events come as fast as they are taken: what is timed ends with the last match. Then they
come at a fixed rate: the time from an event to its match is that from when the event was due to
when the match was delivered. Flink keeps its state on the heap and writes no checkpoints; Spark
writes every micro-batch to disk.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import WrongAnswerError
from benchmarks.on_spark import require_spark
from benchmarks.peers import flink

Int64s = NDArray[np.int64]
KEYS, APART = 1_000, 10  # milliseconds between two events, in event time
PARALLELISM = 2
CHUNK, PAUSE, BEAT = 2_000, 0.005, 0.05
MOST_SECONDS = 600
QUERY = (
    "PATTERN SEQ(A a, B b) SEMANTICS skip-till-next-match WHERE [k] WITHIN {window} milliseconds "
    "RETURN b.at"
)
SOURCE = Path(flink.__file__).parent / "FlinkCepStream.java"


@dataclass(frozen=True)
class Events:
    """Seeded events of three types, and how many matches end with each."""

    types: NDArray[np.str_]
    keys: Int64s
    ends: Int64s

    def lines(self, first: int, last: int) -> bytes:
        """Return events as lines "time,type,key"."""
        rows = zip(
            range(first * APART, last * APART, APART),
            self.types[first:last],
            self.keys[first:last],
            strict=True,
        )
        return "".join(f"{at},{kind},{key}\n" for at, kind, key in rows).encode()


def make_events(count: int, window: int) -> Events:
    """Return events; a match is an A and the next B of its key, within so many events."""
    dice = np.random.default_rng(1)
    types, keys = dice.choice(np.array(["A", "B", "C"]), count), dice.integers(0, KEYS, count)
    ends, waiting = np.zeros(count, np.int64), dict[int, list[int]]()
    for place, (kind, key) in enumerate(zip(types.tolist(), keys.tolist(), strict=True)):
        if kind == "A":
            waiting.setdefault(key, []).append(place)
        elif kind == "B":
            ends[place] = sum(place - each < window for each in waiting.pop(key, ()))
    return Events(types, keys, ends)


@dataclass
class Found:
    """The matches that were delivered: the number of the last event, and when."""

    last: list[int] = field(default_factory=list)
    at: list[float] = field(default_factory=list)

    def add(self, last: int, at: float) -> None:
        """Note a match."""
        self.last.append(last)
        self.at.append(at)

    def within(self, first: int, stop: int) -> tuple[Int64s, NDArray[np.float64]]:
        """Return the matches that end with some events."""
        size = len(self.at)
        last, at = np.array(self.last[:size], np.int64), np.array(self.at[:size])
        chosen = (last >= first) & (last < stop)
        return last[chosen], at[chosen]


Run = Callable[[int, int, Found], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Streamed:
    """What was measured: events a second, and seconds from an event to its match."""

    per_second: float
    median: float
    slowest: float  # of a hundred matches
    matches: int


@dataclass
class Feed:
    """Sends events through a socket; between them beats, which only say that time goes on."""

    events: Events
    connection: socket.socket
    found: Found
    sent: int = 0

    def send(self, count: int, rate: float | None = None) -> float:
        """Send events, at so many a second or as fast as they are taken; return when it began."""
        began, stop, first = time.time(), self.sent + count, self.sent
        while self.sent < stop:
            due = stop if rate is None else first + int((time.time() - began) * rate)
            upto = min(stop, due, self.sent + CHUNK)
            if upto > self.sent:
                self.connection.sendall(self.events.lines(self.sent, upto))
                self.sent = upto
            else:
                time.sleep(PAUSE)
        return began

    def wait(self, first: int) -> tuple[Int64s, NDArray[np.float64]]:
        """Wait for all matches of the events that were sent since one of them."""
        wanted, began = int(self.events.ends[first : self.sent].sum()), time.time()
        while time.time() < began + MOST_SECONDS:
            found = self.found.within(first, self.sent)
            if found[0].size >= wanted:
                if found[0].size > wanted:
                    raise WrongAnswerError(f"{found[0].size} matches, and there are {wanted}")
                return found
            self.connection.sendall(f"{self.sent * APART - APART // 2},Z,0\n".encode())
            time.sleep(BEAT)
        raise WrongAnswerError(f"{found[0].size} matches after {MOST_SECONDS} s, of {wanted}")


def measure_streamed(run: Run, events: Events, window: int, timed: int, rate: float) -> Streamed:
    """Fill the window, send as many events as are timed, and then at a rate for as long."""
    found = Found()
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        run(server.getsockname()[1], window * APART, found),
    ):
        server.settimeout(MOST_SECONDS)
        connection, _ = server.accept()
        with connection:
            feed = Feed(events, connection, found)
            feed.send(window)
            feed.wait(0)
            began = feed.send(timed)
            _, at = feed.wait(window)
            per_second = timed / (float(at.max()) - began)
            first = feed.sent
            began = feed.send(events.ends.size - first, rate)
            last, at = feed.wait(first)
    waited = at - (began + (last - first) / rate)
    low, high = np.quantile(waited, [0.5, 0.99])
    return Streamed(per_second, float(low), float(high), len(found.at))


@contextlib.contextmanager
def on_flink(port: int, window: int, found: Found) -> Iterator[None]:
    """Run Flink CEP in a process of its own."""
    process = subprocess.Popen(
        flink.java_command(SOURCE, [str(port), str(window), str(PARALLELISM)]),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            at, when = line.split()
            found.add(int(at) // APART, int(when) / 1000)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield
    finally:
        process.kill()
        process.wait()
        reader.join()


@contextlib.contextmanager
def on_spark(port: int, window: int, found: Found) -> Iterator[None]:
    """Run Cepheid in the session."""
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import functions as F

    import cepheid

    spark = SparkSession.getActiveSession()
    assert spark is not None
    lines = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", port)
    parts = F.split("value", ",")
    at = parts[0].cast("long")
    events = lines.load().select(
        F.timestamp_millis(at).alias("ts"),
        parts[1].alias("kind"),
        parts[2].cast("long").alias("k"),
        at.alias("at"),
    )
    results = cepheid.query(QUERY.format(window=window)).run(
        events.withWatermark("ts", "0 seconds"),
        time="ts",
        type="kind",
        ordered=True,
        buckets=PARALLELISM,
    )

    def deliver(batch: DataFrame, number: int) -> None:
        for each in batch.toArrow()[0].to_pylist():
            found.add(each // APART, time.time())

    with tempfile.TemporaryDirectory() as folder:
        writer = results.writeStream.foreachBatch(deliver)
        query = writer.option("checkpointLocation", folder).start()
        try:
            yield
        finally:
            query.stop()


CONTENDERS: dict[str, tuple[Run, Callable[[], None]]] = {
    "Cepheid on Spark": (on_spark, require_spark),
    "Flink CEP": (on_flink, flink.ready),
}
