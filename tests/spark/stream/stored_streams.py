"""The streams whose checkpoints are kept: between them they keep every kind of state."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from tests.spark.stream.streams import (
    Collected,
    Row,
    few_partitions,
    read_stream,
    run_to_end,
    run_until_idle,
    united,
    write_files,
)

SCHEMA = pa.schema(
    [("type", pa.string()), ("time", pa.int64()), ("k", pa.int64()), ("x", pa.float64())]
)
ROLES = {"time": "time", "type": "type"}
LATE = 12  # how far events are out of order, and the delay of watermarks
END: Row = {"type": "D", "time": 9000, "k": 0, "x": 0}


@dataclass(frozen=True)
class StoredStream:
    """Queries, and the events of all files; `begun` of these were there when the stream stopped."""

    texts: dict[str, str]
    files: list[list[Row]]
    begun: int
    order: tuple[str, ...] = ()

    def begin(self, spark: SparkSession, folder: Path) -> None:
        """Run until the stop."""
        write_files(folder / "events", self.files[: self.begun], SCHEMA)
        self.run(spark, folder)

    def go_on(self, spark: SparkSession, folder: Path) -> Collected:
        """Give all files to a stream that knows some, and return what it wrote before and after."""
        write_files(folder / "events", self.files, SCHEMA)
        return self.run(spark, folder)

    def run(self, spark: SparkSession, folder: Path) -> Collected:
        with few_partitions(spark):
            stream = read_stream(spark, folder / "events")
            return run_to_end(self.results(stream, folder), folder)

    def results(self, stream: DataFrame, folder: Path) -> DataFrame:
        """Return the results of all queries, as rows of name and text."""
        raise NotImplementedError

    def in_batch(self) -> dict[str, list[Row]]:
        """Return what every query gives of all events."""
        found = self.workload.run(table_of(rows_of(self.files)), **ROLES, order=self.order)
        return {name: table.to_pylist() for name, table in found.items()}

    @property
    def workload(self) -> cepheid.Workload:
        return cepheid.workload([cepheid.query(text, name=n) for n, text in self.texts.items()])


class SingleQueries(StoredStream):
    """Queries one by one."""

    def results(self, stream: DataFrame, folder: Path) -> DataFrame:
        options: dict[str, Any] = {"watermark": LATE, "buckets": 2}
        return united(
            {name: q.run(stream, **ROLES, **options) for name, q in self.workload.queries.items()}
        )


@dataclass(frozen=True)
class WholeWorkload(StoredStream):
    """All queries as one stream: a bundle, and operators of those that are not in it."""

    options: dict[str, Any] = field(default_factory=dict)

    def results(self, stream: DataFrame, folder: Path) -> DataFrame:
        options = {"order": self.order, "buckets": 1, **self.options}
        return self.workload.stream(stream, **ROLES, **options).rows.toDF("name", "text")


class QueryFolder(StoredStream):
    """Queries of a folder, the last of which comes with the second file."""

    def begin(self, spark: SparkSession, folder: Path) -> None:
        *first, last = self.texts
        for file, names in enumerate((first, [last])):
            self._put(folder, names)
            write_files(folder / "events", self.files[file : file + 1], SCHEMA)
            self.run(spark, folder)

    def go_on(self, spark: SparkSession, folder: Path) -> Collected:
        self._put(folder, list(self.texts))
        return super().go_on(spark, folder)

    def run(self, spark: SparkSession, folder: Path) -> Collected:
        with few_partitions(spark):
            stream = read_stream(spark, folder / "events")
            return run_until_idle(self.results(stream, folder), folder)

    def results(self, stream: DataFrame, folder: Path) -> DataFrame:
        queries = cepheid.query_folder(folder / "queries")
        rows = queries.stream(stream, **ROLES, watermark=LATE, keys="k", buckets=1)
        name = F.concat_ws(":", "change", "query").alias("name")
        return rows.select(name, F.col("result").alias("text"))

    def in_batch(self) -> dict[str, list[Row]]:
        """Leave out what the last query has not seen."""
        *_, last = self.texts
        seen = [row for row in rows_of(self.files) if row["time"] >= self.since]
        found = cepheid.query(self.texts[last]).run(table_of(seen), **ROLES)
        return super().in_batch() | {last: found.to_pylist()}

    @property
    def since(self) -> int:
        """The first tick that the last query takes."""
        return 1 + max(row["time"] for row in self.files[0])

    def _put(self, folder: Path, names: list[str]) -> None:
        (folder / "queries").mkdir(exist_ok=True)
        for name in names:
            (folder / "queries" / f"{name}.cep").write_text(self.texts[name])


def rows_of(files: list[list[Row]]) -> list[Row]:
    return [row for rows in files for row in rows]


def table_of(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist(rows, SCHEMA)


def in_files(rows: list[Row], count: int) -> list[list[Row]]:
    """Cut events into files, and add one that is far ahead."""
    size = len(rows) // count
    return [*(rows[begin : begin + size] for begin in range(0, len(rows), size)), [END]]


def some_events(count: int, *, late: int = LATE) -> list[Row]:
    """Return events of several keys, some of which are out of order."""
    return [
        {
            "type": "ABC"[at * at % 7 % 4],
            "time": 1000 + at - late // 4 * (at % 4),
            "k": at % 5,
            "x": at / 4,
        }
        for at in range(count)
    ]


def many_events() -> list[Row]:
    """Return so many events that matrices are kept instead of them; they are alike, and small."""
    return [
        {"type": "XY"[at % 2], "time": 900 + at // 64, "k": 0, "x": at // 1024}
        for at in range(4608)
    ]


def with_many(rows: list[Row]) -> list[list[Row]]:
    """Return three files; the first has many events more, the others a few of their types."""
    mixed = [
        {**row, "type": "XY"[at // 8 % 2]} if at % 8 == 0 else row for at, row in enumerate(rows)
    ]
    first, *others = in_files(mixed, 3)
    return [many_events() + first, *others]


PANES = (
    "PATTERN SEQ(X x, Y y) WITHIN 400 SLIDE 200 "
    "RETURN COUNT(*) AS n, SUM(y.x) AS total, MIN(x.x) AS least, MAX(y.x) AS most"
)
BY_KEY = "PATTERN SEQ(A a, B+ b) WHERE [k] WITHIN 40 SLIDE 20 RETURN k, COUNT(*) AS n GROUP BY k"
LONGER = (
    "PATTERN SEQ(C c, B+ b) WHERE [k] WITHIN 60 SLIDE 20 RETURN k, SUM(b.x) AS total GROUP BY k"
)
MATCHES = "PATTERN SEQ(A a, C c) WHERE [k] WITHIN 30 RETURN a.time, c.time"

STREAMS: dict[str, StoredStream] = {
    "": SingleQueries(
        {
            "matches": "PATTERN SEQ(A a, B b, C c) WHERE [k] WITHIN 40 "
            "RETURN a.time, b.time, c.time",
            "missing": "PATTERN SEQ(A a, NOT B b) WHERE [k] WITHIN 20 RETURN a.time",
            "apart": "PATTERN SEQ(A a, C c) WHERE [k] WITHIN 30 RETURN a.time, c.time "
            "OUTPUT NON OVERLAPPING",
            "counts": "PATTERN SEQ(A a, B+ b) WITHIN 40 SLIDE 10 "
            "RETURN COUNT(*) AS n, SUM(b.x) AS total",
            "events": "PATTERN SEQ(A a, C c) WHERE [k] WITHIN 6 EVENTS RETURN a.time, c.time",
        },
        in_files(some_events(240), 6),
        begun=3,
    ),
    "-workload": WholeWorkload(
        {
            "by key": BY_KEY,
            "of all": "PATTERN SEQ(C, B+) WHERE [k] WITHIN 40 SLIDE 20 RETURN COUNT(*) AS n",
            "matches": MATCHES,
            "panes": PANES,
            "taken": "PATTERN SEQ(A a, NOT B b) WHERE [k] WITHIN 20 RETURN a.time "
            "OUTPUT NON OVERLAPPING",
            "marks": "PATTERN SEQ(A a, C c) WHERE [k] SEMANTICS strict_contiguity "
            "WITHIN 4 EVENTS RETURN a.time, c.time",
        },
        with_many(some_events(120)),
        begun=2,
        options={"watermark": LATE},
    ),
    "-composed": WholeWorkload(
        {
            "giver": "PATTERN SEQ(A a, NOT C c) WHERE [k] WITHIN 9 RETURN a.k AS k INTO Alone",
            "reader": "PATTERN SEQ(Alone p, B b) WHERE [k] WITHIN 30 RETURN p.k, b.time",
        },
        in_files(some_events(120), 3),
        begun=2,
        options={"watermark": LATE},
    ),
    "-ordered": WholeWorkload(
        {"by key": BY_KEY, "longer": LONGER, "matches": MATCHES, "panes": PANES},
        with_many(some_events(120, late=0)),
        begun=2,
        order=("x",),
        options={"ordered": True},
    ),
    "-folder": QueryFolder(
        {"steady": BY_KEY, "total": LONGER, "later": MATCHES},
        in_files(some_events(120), 3),
        begun=2,
    ),
}
