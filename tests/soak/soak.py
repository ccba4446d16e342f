"""Kill a streaming job at random points, start it again, and compare what it wrote."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import feather

import cepheid
from tests.soak.events import EVENTS_BEFORE, IN_KAFKA, QUERIES, EventFiles
from tests.soak.job import CACHE, WORK
from tests.soak.processes import Job

MOST_SECONDS = 600  # that a job may take to start, to go on, or to finish what is left
MOST_STARTS = 20  # of the last life
TOO_BUSY = "Python worker failed to connect back"
WORK_DONE = ("settled", "replayed", "touched", "cache_hits", "cache_misses")
MOST_BATCHES = 4  # that are done between two kills; then it happens within a second


@dataclass
class Report:
    """What happened, and how many results there are of each query.

    `failures` are the lives that ended by themselves with an error; `batches` are micro-batches.
    `lost_caches` is how often the local cache was deleted between two lives. `work` has, by query,
    sums over the micro-batches whose numbers are known: what was settled, run again, looked up.
    """

    driver_kills: int = 0
    worker_kills: int = 0
    lives: int = 0
    failures: int = 0
    batches: int = 0
    events: int = 0
    results: dict[str, int] = field(default_factory=dict)
    kafka_records: int | None = None
    lost_caches: int = 0
    work: dict[str, Counter[str]] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)


def soak(
    folder: Path,
    kills: int,
    seed: int = 1,
    kafka: str | None = None,
    say: Callable[[str], None] = print,
) -> Report:
    """Run the job until it was killed so often, then to the end, and compare with batch.

    `kafka` is where a broker with the topic listens, if results go there too.
    """
    rng, report = random.Random(seed), Report()
    files = EventFiles(folder / "events", seed)
    files.add(1, EVENTS_BEFORE)
    files.add(4)
    tail = [kafka] if kafka else []
    log = folder / "job.log"
    while report.driver_kills + report.worker_kills < kills:
        job = Job(["run", str(folder), *tail], log)
        report.lives += 1
        if not job.is_ready.wait(MOST_SECONDS):
            job.kill_driver()
            raise RuntimeError(f"the job did not start:\n{_tail(log)}")
        _disturb(job, rng, report, folder / "checkpoints")
        say(
            f"life {report.lives}: {report.driver_kills} drivers and {report.worker_kills} workers "
            f"killed, {files.written:,} events, {_batches(folder / 'checkpoints')} micro-batches"
        )
        if rng.random() < 0.3:
            shutil.rmtree(folder / CACHE, ignore_errors=True)
            report.lost_caches += 1
        files.add(rng.randrange(1, 4))
    files.close()
    _finish(["run", str(folder), *tail], log, report)
    _finish(["collect", str(folder), *tail], log, report)
    report.events = files.written
    report.batches = _batches(folder / "checkpoints")
    report.work = _work(folder / WORK)
    _compare(folder, files.read(), report, with_kafka=kafka is not None)
    return report


def _work(file: Path) -> dict[str, Counter[str]]:
    """Return what the micro-batches of each stream did, as far as it was written down."""
    found: dict[str, Counter[str]] = {}
    for line in file.read_text().splitlines():
        with contextlib.suppress(json.JSONDecodeError):  # a driver was killed while it wrote
            numbers = json.loads(line)
            total = found.setdefault(numbers["stream"], Counter())
            total.update({each: numbers[each] or 0 for each in WORK_DONE})
    return found


def _disturb(job: Job, rng: random.Random, report: Report, checkpoints: Path) -> None:
    """Kill workers once in a while, and the driver in the end unless the job ended before."""
    while _goes_on(job, rng, checkpoints):
        if rng.random() < 0.5:
            if _kill_worker(job, rng):
                report.worker_kills += 1
            continue
        job.kill_driver()
        report.driver_kills += 1
        return
    report.failures += job.process.returncode != 0
    job.kill_driver()


def _goes_on(job: Job, rng: random.Random, checkpoints: Path) -> bool:
    """Wait for some micro-batches and a little longer; whether the job is not at its end."""
    wanted = _batches(checkpoints) + rng.randrange(MOST_BATCHES)
    deadline = time.monotonic() + MOST_SECONDS
    while _batches(checkpoints) < wanted:
        if job.ends_within(0.1):
            return False
        if time.monotonic() > deadline:
            raise RuntimeError(f"the job does nothing:\n{_tail(Path(job.log.name))}")
    return not job.ends_within(rng.uniform(0, 1))


def _kill_worker(job: Job, rng: random.Random) -> bool:
    """Wait until there is a worker and kill it; False if the job ended before."""
    while not job.kill_worker(rng):
        if job.ends_within(0.1):
            return False
    return True


def _batches(checkpoints: Path) -> int:
    """Return how many micro-batches are done, of all queries; Spark removes old numbers."""
    numbers = [
        [int(each.name) for each in commits.iterdir() if each.name.isdigit()]
        for commits in checkpoints.glob("*/commits")
    ]
    return sum(max(each) + 1 for each in numbers if each)


def _finish(arguments: list[str], log: Path, report: Report) -> None:
    """Let the job come to its end; again if the machine was too busy to start a Python worker."""
    checkpoints = Path(arguments[1]) / "checkpoints"
    for _ in range(MOST_STARTS):
        job = Job(arguments, log)
        report.lives += 1
        ended, done = False, -1
        while not ended and _batches(checkpoints) > done:
            done = _batches(checkpoints)
            ended = job.ends_within(MOST_SECONDS)
        job.kill_driver()
        if ended and job.process.returncode == 0:
            return
        report.failures += 1
        if not ended or TOO_BUSY not in _tail(log):
            break
    raise RuntimeError(f"the job did not come to its end:\n{_tail(log)}")


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-200:])


def _compare(folder: Path, events: pa.Table, report: Report, *, with_kafka: bool) -> None:
    for name, text in QUERIES.items():
        wanted = _rows(cepheid.query(text, name=name).run(events, time="ts", type="kind"))
        found = feather.read_table(folder / "found" / f"{name}.arrow")
        report.results[name] = wanted.total()
        report.differences += _differences(name, wanted, _rows(found))
        if with_kafka and name == IN_KAFKA:
            in_kafka = feather.read_table(folder / "found" / "kafka.arrow")
            report.kafka_records = int(in_kafka.schema.metadata[b"records"])
            report.differences += _differences(f"{name} in Kafka", wanted, _rows(in_kafka))


def _rows(table: pa.Table) -> Counter[tuple[Any, ...]]:
    return Counter(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))


def _differences(
    name: str, wanted: Counter[tuple[Any, ...]], found: Counter[tuple[Any, ...]]
) -> list[str]:
    lost, repeated = wanted - found, found - wanted
    return [
        f"{name}: {problem} {count} x {row}"
        for problem, rows in (("lost", lost), ("too many", repeated))
        for row, count in rows.items()
    ]
