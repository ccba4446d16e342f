"""The events of the soak: seeded, slightly out of order, cut into files.

Most windows are so long that a bucket keeps far more events than a step runs again without asking
which ones (touched_events.py). So the first file has the events of hours, all others few.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = "ts timestamp, kind string, id bigint, user bigint, region string, seq bigint"
WATERMARK = "5 seconds"
START = datetime(2026, 1, 1, tzinfo=UTC)
EVENTS_BEFORE, EVENTS_PER_FILE = 150_000, 400
COLUMNS = pa.schema(
    [
        pa.field("ts", pa.timestamp("us", "UTC")),
        pa.field("kind", pa.string()),
        pa.field("id", pa.int64()),
        pa.field("user", pa.int64()),
        pa.field("region", pa.string()),
        pa.field("seq", pa.int64()),
    ]
)
QUERIES = {
    # Few of many partitions have new events: those are looked up.
    "matches": """
        PATTERN SEQ(A a, B b, C c) WHERE [user] WITHIN 4 hours RETURN a.seq, b.seq, c.seq""",
    "missing": """
        PATTERN SEQ(A a, NOT B b) WHERE [id] WITHIN 15 seconds RETURN a.seq""",
    # Most partitions have new events: marks, an end negation that blocks early, matrices.
    "next": """
        PATTERN SEQ(A a, B b, C c) SEMANTICS skip-till-next-match WHERE [id] WITHIN 4 hours
        RETURN a.seq, b.seq, c.seq""",
    "unanswered": """
        PATTERN SEQ(A a, B b, NOT C c) SEMANTICS skip-till-next-match WHERE [id] WITHIN 4 hours
        RETURN a.seq, b.seq""",
    "running": """
        PATTERN SEQ(A a, B b) WHERE [region] GROUP BY region WITHIN 4 hours
        RETURN region, COUNT(*) AS trends, MAX(b.seq) AS latest""",
    "counts": """
        PATTERN SEQ(A a, B b+) WHERE [id] GROUP BY region WITHIN 60 seconds SLIDE 20 seconds
        RETURN region, COUNT(*) AS trends, MAX(b.seq) AS latest""",
}
IN_KAFKA = "matches"  # this one also goes to Kafka


@dataclass
class EventFiles:
    """Writes one file of events after the other; the source sees a file only when it is whole."""

    folder: Path
    seed: int
    files: int = 0
    written: int = 0

    def add(self, count: int, events: int = EVENTS_PER_FILE) -> None:
        """Write so many more files of so many events."""
        for _ in range(count):
            rng = random.Random(f"{self.seed}/{self.files}")
            rows = [self._event(rng, self.written + n) for n in range(events)]
            self.written += len(rows)
            self._write(rows)

    def close(self) -> None:
        """Write two late enough events, so that the watermark passes everything before them."""
        end = START + timedelta(seconds=self.written / 10 + 10 * 3600)
        for later in (0, 60):
            ts = end + timedelta(seconds=later)
            event = {"ts": ts, "kind": "Z", "id": 0, "user": 0, "region": "none", "seq": -1}
            self._write([event])

    def read(self) -> pa.Table:
        """Return all events that were written."""
        return pq.ParquetDataset(self.folder).read()

    def _event(self, rng: random.Random, number: int) -> dict[str, object]:
        """Ten events a second, each up to four seconds out of order."""
        identity = rng.randrange(40)
        ts = START + timedelta(seconds=number / 10 - rng.random() * 4, microseconds=number % 1000)
        return {
            "ts": ts,
            "kind": rng.choice("AABCDEFG"),
            "id": identity,
            "user": rng.randrange(20_000),
            "region": f"region {identity % 5}",
            "seq": number,
        }

    def _write(self, rows: list[dict[str, object]]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        hidden = self.folder / f".{self.files:06}.tmp"
        pq.write_table(pa.Table.from_pylist(rows, COLUMNS), hidden)
        hidden.rename(self.folder / f"{self.files:06}.parquet")
        self.files += 1
