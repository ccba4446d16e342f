"""`make soak`: the long run, with figures."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.services.jars import why_missing
from tests.services.kafka_broker import kafka_broker
from tests.soak.job import TOPIC
from tests.soak.soak import Report, soak


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="cepheid-soak-") as folder,
        _kafka(Path(folder) / "kafka") as servers,
    ):
        report = soak(Path(folder), arguments.kills, arguments.seed, servers)
    _print(report)
    sys.exit(bool(report.differences))


@contextmanager
def _kafka(folder: Path) -> Iterator[str | None]:
    """Start a broker if its jars are there, and give its address."""
    if reason := why_missing("kafka-broker") or why_missing("kafka-connector"):
        print(f"without Kafka: {reason}")
        yield None
        return
    folder.mkdir()
    with kafka_broker(folder) as broker:
        broker.create_topic(TOPIC, partitions=2)
        yield broker.servers


def _print(report: Report) -> None:
    print(f"{report.events:,} events in {report.lives} lives of the job")
    print(f"{report.batches:,} micro-batches; {report.failures} lives ended with an error")
    print(f"killed: {report.driver_kills} drivers, {report.worker_kills} Python workers")
    print(f"the local cache was deleted {report.lost_caches} times")
    for name, count in report.results.items():
        work = report.work.get(name, {})
        done = ", ".join(f"{each} {number:,}" for each, number in work.items())
        print(f"{name}: {count:,} results ({done})")
    if report.kafka_records is not None:
        print(f"records in Kafka: {report.kafka_records:,}")
    for each in report.differences[:20]:
        print(each)
    print(f"{len(report.differences)} differences")


if __name__ == "__main__":
    main()
