"""`make cluster`: a job on a cluster that loses an executor in a batch and a worker in a stream."""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import cepheid
from tests.cluster import job
from tests.cluster.cluster import (
    REPOSITORY,
    Cluster,
    pack_environment,
    standalone_cluster,
    submit,
)

EVENTS, FILES, IDS = 200_000, 10, 500
AFTER_ALL = EVENTS + 1_000  # so late that the watermark passes all results
LONGEST = 3_600.0


def main() -> None:
    packed = REPOSITORY / "build" / "cluster"
    packed.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    archive = pack_environment(packed)
    print(f"environment: {archive.stat().st_size / 1e6:.0f} MB, {time.monotonic() - start:.0f} s")
    with tempfile.TemporaryDirectory(prefix="cepheid-cluster-") as name:
        folder = Path(name)
        events = write_events(folder / "events")
        (folder / "begun").mkdir()
        with standalone_cluster(folder) as cluster:
            print(f"{cluster.master} with two workers")
            log = folder / "driver.log"
            run(cluster, archive, folder, log)
        said = log.read_text(errors="replace")
        lost, failed = said.count("Lost executor"), said.count("the stream failed")
        print(f"executors that the driver has lost: {lost}; the stream failed {failed} times")
        wrong = compare(events, folder / "results")
    sys.exit(wrong or lost < 2)


def write_events(folder: Path) -> pa.Table:
    """Write events in files in the order of time; a last one lets the watermark pass all others."""
    numbers = random.Random(1)
    rows = [(ts, numbers.choice("ABCD"), numbers.randrange(IDS)) for ts in range(EVENTS)]
    columns = [list(each) for each in zip(*rows, strict=True)]
    events = pa.Table.from_arrays(
        [pa.array(each, kind.type) for each, kind in zip(columns, job.TYPES, strict=True)],
        schema=job.TYPES,
    )
    folder.mkdir()
    part = EVENTS // FILES
    for number in range(FILES):
        pq.write_table(events.slice(number * part, part), folder / f"{number:02}.parquet")
        time.sleep(0.01)  # the stream takes files in the order of their times
    last = pa.Table.from_pylist([{"ts": AFTER_ALL, "kind": "Z", "id": 0}], job.TYPES)
    pq.write_table(last, folder / "99.parquet")
    return events


def run(cluster: Cluster, archive: Path, folder: Path, log: Path) -> None:
    """Run the job; kill an executor in the batch, and a worker in the stream."""
    script = str(REPOSITORY / "tests" / "cluster" / "job.py")
    start = time.monotonic()
    process = submit(cluster, archive, [script, str(folder)], log)
    kills = {"batch": cluster.kill_executor, "stream": cluster.kill_worker}
    try:
        while process.poll() is None:
            for part in list(kills):
                if is_in_the_middle(part, folder, log):
                    kills.pop(part)()
                    print(f"{time.monotonic() - start:4.0f} s: killed in the {part}", flush=True)
            if time.monotonic() - start > LONGEST:
                raise RuntimeError("the job takes too long")
            time.sleep(0.2)
    finally:
        if process.poll() is None:
            process.kill()
    if process.returncode != 0:
        print(log.read_text(errors="replace")[-6000:])
        raise SystemExit(f"spark-submit ended with code {process.returncode}")
    print(f"{time.monotonic() - start:4.0f} s: done")


def is_in_the_middle(part: str, folder: Path, log: Path) -> bool:
    """Whether a part has done something that is lost, and has more to do."""
    if not (folder / "begun" / part).exists():
        return False
    if part == "batch":
        return "Finished task" in log.read_text(errors="replace")
    return (folder / "checkpoint" / "commits" / "1").exists()


def compare(events: pa.Table, results: Path) -> bool:
    """Print how the results compare with those of a run in this process."""
    expected = {"matches": cepheid.query(job.MATCHES).run(events, **job.ROLES)}
    expected |= cepheid.workload(job.WORKLOAD).run(events, **job.ROLES)
    expected["stream"] = expected["matches"]
    wrong = False
    for name, table in expected.items():
        columns = table.column_names
        found = _rows(_written(results / name, columns))
        wanted = _rows(table)
        missing, extra = wanted - found, found - wanted
        counted = f"{missing.total()} missing, {extra.total()} too many"
        print(f"{name}: {found.total():,} rows, {counted}")
        wrong = wrong or bool(missing or extra)
    return wrong


def _written(folder: Path, columns: list[str]) -> pa.Table:
    """Return what was written; of a stream only the files that its log has, as Spark reads it."""
    log = folder / "_spark_metadata"
    if not log.exists():
        return pq.read_table(folder).select(columns)
    paths = {
        json.loads(line)["path"].removeprefix("file://")
        for each in log.iterdir()
        if not each.name.startswith(".")
        for line in each.read_text().splitlines()[1:]
    }
    return pa.concat_tables([pq.read_table(each).select(columns) for each in sorted(paths)])


def _rows(table: pa.Table) -> Counter[tuple[object, ...]]:
    return Counter(zip(*(each.to_pylist() for each in table.columns), strict=True))


if __name__ == "__main__":
    main()
