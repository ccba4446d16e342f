"""The ```py blocks of the documentation run, with stand-ins for what belongs to the reader."""

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

import cepheid
from tests.shown_code import NOT_RUN, REPOSITORY, Shown, shown_blocks
from tests.spark.stream.streams import ATTEMPTS, few_partitions

pytestmark = pytest.mark.spark

BLOCKS = shown_blocks()
PATH = re.compile(r'(\.start|\.parquet|query_folder|end=)(\(?)"([\w/-]+)"')  # of the reader
START = datetime(2026, 1, 5, 12, tzinfo=UTC)
# Fail, Fail and Login of ann and bob, ten seconds apart, and an event that closes the windows.
EVENTS = pa.Table.from_pylist(
    [
        {"ts": START + timedelta(seconds=10 * place), "kind": kind, "user": user}
        for place, (kind, user) in enumerate(
            [
                ("Fail", "ann"), ("Fail", "bob"), ("Fail", "ann"),
                ("Login", "bob"), ("Login", "ann"),
            ]
        )
    ]
    + [{"ts": START + timedelta(hours=2), "kind": "Logout", "user": "ann"}],
    pa.schema({"ts": pa.timestamp("us", "UTC"), "kind": pa.string(), "user": pa.string()}),
)  # fmt: skip
LOGINS = "PATTERN SEQ(Fail f, Login s) WHERE [user] WITHIN 60 seconds RETURN s.user AS user"
COUNTS = (
    "PATTERN SEQ(Fail f, Login s) WHERE [user] WITHIN 1 minute SLIDE 1 minute "
    "GROUP BY user RETURN user, COUNT(*) AS n"
)
MATCHES = [{"user": "ann"}, {"user": "ann"}, {"user": "bob"}]


@dataclass
class Reader:
    """What the reader of a page has: a session, a folder, tables and streams."""

    spark: SparkSession
    folder: Path
    names: dict[str, Any] = field(default_factory=dict)
    printed: str = ""

    def table(self) -> DataFrame:
        return self.spark.createDataFrame(EVENTS.to_pandas())

    def stream(self) -> DataFrame:
        place = self.folder / "events"
        if not place.exists():
            place.mkdir()
            pq.write_table(EVENTS, place / "events.parquet")
        return self.spark.readStream.schema(self.spark.read.parquet(str(place)).schema).parquet(
            str(place)
        )

    def run(
        self, shown: Shown, running: Callable[[], StreamingQuery] | None = None, **names: Any
    ) -> None:
        """Run a block; relative paths lie in the folder, and streams take all that is there.

        `running` starts the stream that the block has. Spark waits for a worker only so long, so on
        a busy machine a block is run again, with the same checkpoints.
        """
        self.repeat(
            lambda: self._run_once(shown, names | ({"running": running()} if running else {}))
        )

    def repeat(self, run: Callable[[], object]) -> None:
        """Do it again while the machine is too busy."""
        for attempt in range(ATTEMPTS):
            try:
                run()
                break
            except StreamingQueryException as error:
                if "failed to connect back" not in str(error) or attempt == ATTEMPTS - 1:
                    raise
            finally:
                for each in self.spark.streams.active:
                    each.stop()

    def _run_once(self, shown: Shown, names: dict[str, Any]) -> None:
        code = PATH.sub(lambda each: f'{each[1]}{each[2]}"{self.folder / each[3]}"', BLOCKS[shown])
        self.names |= {"spark": self.spark, "cepheid": cepheid, **names}
        self.names["checkpoint"] = str(self.folder / f"checkpoint-{shown.number}")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, f"{shown.page}-{shown.number}", "exec"), self.names)
        self.printed = out.getvalue()
        for each in self.spark.streams.active:
            each.processAllAvailable()

    def rows(self, name: str, form: str = "parquet") -> list[dict[str, Any]]:
        found = self.spark.read.format(form).load(str(self.folder / name)).collect()
        return sorted((each.asDict() for each in found), key=str)


@pytest.fixture
def reader(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Reader]:
    monkeypatch.chdir(tmp_path)  # for paths that Python opens; Spark keeps the folder it began in
    with few_partitions(spark):
        yield Reader(spark, tmp_path)


def kept(rows: list[dict[str, Any]]) -> Callable[[DataFrame, int], None]:
    """A function for foreachBatch that keeps the rows."""
    return lambda frame, _: rows.extend(each.asDict() for each in frame.collect())


def run_streaming_1(reader: Reader, shown: Shown) -> None:
    query = cepheid.query(LOGINS)
    reader.run(shown, stream=reader.stream(), query=query, folder=str(reader.folder / "out"))
    assert reader.rows("out") == MATCHES


def run_streaming_2(reader: Reader, shown: Shown) -> None:
    results: list[dict[str, Any]] = []
    reader.run(
        shown,
        stream=reader.stream(),
        query=cepheid.query(LOGINS),
        write_results=kept(results),
        write_late=kept([]),
    )
    assert sorted(results, key=str) == MATCHES


def run_streaming_3(reader: Reader, shown: Shown) -> None:
    reader.run(shown, stream=reader.stream(), query=cepheid.query(LOGINS))
    assert reader.names["found"].isStreaming


def run_streaming_4(reader: Reader, shown: Shown) -> None:
    (reader.folder / "checkpoints" / "logins-end").mkdir(parents=True)
    names = {"query": cepheid.query(LOGINS), "folder": str(reader.folder / "out"), "Path": Path}
    reader.run(shown, stream=reader.stream(), **names)
    assert reader.rows("out") == MATCHES


def run_workloads_1(reader: Reader, shown: Shown) -> None:
    queries = cepheid.workload({"q1": LOGINS, "q2": COUNTS})
    reader.run(shown, queries=queries, frame=reader.table())
    assert reader.rows("q1") == MATCHES
    assert [(each["user"], each["n"]) for each in reader.rows("q2")] == [("ann", 2), ("bob", 1)]


def run_workloads_2(reader: Reader, shown: Shown) -> None:
    queries = cepheid.workload({"q1": LOGINS, "q2": COUNTS})
    reader.run(shown, queries=queries, events=reader.stream())
    found = [each["query"] for each in reader.rows("results", "json")]
    assert found == ["q1", "q1", "q1", "q2", "q2"]


def run_workloads_3(reader: Reader, shown: Shown) -> None:
    queries = cepheid.workload({"q1": LOGINS, "q2": COUNTS})
    found = queries.stream(reader.stream(), time="ts", type="kind", watermark="10 minutes")
    first: list[dict[str, Any]] = []
    second: list[dict[str, Any]] = []
    reader.run(shown, found=found, write_first=kept(first), write_second=kept(second))
    assert sorted(first, key=str) == MATCHES
    assert len(second) == 2


def run_workloads_4(reader: Reader, shown: Shown) -> None:
    (reader.folder / "queries").mkdir()
    (reader.folder / "queries" / "logins.cep").write_text(LOGINS)
    reader.run(shown, events=reader.stream())
    found = [(each["query"], each["change"]) for each in reader.rows("results", "json")]
    assert sorted(found, key=str) == [("logins", "added"), *[("logins", None)] * 3]


def started(reader: Reader, text: str) -> StreamingQuery:
    """A stream with one checkpoint, whatever the query."""
    stream = reader.stream()
    found = cepheid.query(text).run(stream, time="ts", type="kind", watermark="1 minute")
    writer = found.writeStream.format("noop").trigger(availableNow=True)
    return writer.option("checkpointLocation", str(reader.folder / "checkpoint")).start()


def run_operate_1(reader: Reader, shown: Shown) -> None:
    """Three files, as the page says; metrics that come after the end of the block are not seen."""
    parts = (((10, "Fail"), (14, "Fail"), (31, "Login")), ((90, "Fail"), (95, "Login")),
             ((40, "Fail"), (130, "Login")))  # fmt: skip
    folder = reader.folder / "parts"
    folder.mkdir()
    for number, part in enumerate(parts, start=1):
        file = folder / f"{number}.parquet"
        rows = [{"ts": ts, "kind": kind, "user": "ann"} for ts, kind in part]
        pq.write_table(pa.Table.from_pylist(rows), file)
        os.utime(file, (number, number))  # in which order they are read

    def running() -> StreamingQuery:
        files = reader.spark.readStream.schema("ts long, kind string, user string")
        stream = files.option("maxFilesPerTrigger", 1).parquet(str(folder))
        found = cepheid.query(LOGINS).run(stream, time="ts", type="kind", watermark=30)
        checkpoint = tempfile.mkdtemp(dir=reader.folder)
        writer = found.writeStream.format("noop").trigger(availableNow=True)
        return writer.option("checkpointLocation", checkpoint).start()

    reader.run(shown, running=running)
    page = (REPOSITORY / "docs" / "how-to" / "operate-streams.md").read_text(encoding="utf-8")
    printed = reader.printed.splitlines()
    assert printed
    assert printed == re.findall(r"^batch \d .*$", page, re.MULTILINE)[: len(printed)]


def run_operate_2(reader: Reader, shown: Shown) -> None:
    reader.repeat(lambda: started(reader, LOGINS).awaitTermination())
    again = EVENTS.set_column(0, EVENTS.field(0), [[START + timedelta(days=1)] * EVENTS.num_rows])
    pq.write_table(again, reader.folder / "events" / "more.parquet")
    reader.run(shown, running=lambda: started(reader, LOGINS.replace("60", "61")))
    assert reader.printed.startswith("StateError: the checkpoint belongs to another query (query: ")


def run_tune(reader: Reader, shown: Shown) -> None:
    reader.run(shown, SparkSession=SparkSession)


def run_sql(reader: Reader, shown: Shown) -> None:
    for name in ("events", "archive"):
        reader.table().createOrReplaceTempView(name)
    reader.run(shown)
    sql = "SELECT * FROM suspicious(TABLE(archive) PARTITION BY user)"
    assert [each["user"] for each in reader.spark.sql(sql).collect()] == ["ann"]


RUN: dict[Shown, Callable[[Reader, Shown], None]] = {
    Shown("streaming", 1): run_streaming_1,
    Shown("streaming", 2): run_streaming_2,
    Shown("streaming", 3): run_streaming_3,
    Shown("streaming", 4): run_streaming_4,
    Shown("workloads", 1): run_workloads_1,
    Shown("workloads", 2): run_workloads_2,
    Shown("workloads", 3): run_workloads_3,
    Shown("workloads", 4): run_workloads_4,
    Shown("operate-streams", 1): run_operate_1,
    Shown("operate-streams", 2): run_operate_2,
    Shown("tune-spark", 1): run_tune,
    Shown("spark-sql", 1): run_sql,
}


@pytest.mark.parametrize("shown", RUN, ids=lambda each: f"{each.page}-{each.number}")
def test_it_runs(reader: Reader, shown: Shown) -> None:
    RUN[shown](reader, shown)


def test_every_block_runs_or_says_why_not() -> None:
    known: Sequence[Shown] = [*RUN, *NOT_RUN]
    assert sorted(known) == sorted(BLOCKS)
