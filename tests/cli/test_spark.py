"""Spark gives what the local engine gives, down to the text that is printed."""

import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cepheid.generate import generate
from tests.cli.command import EXAMPLES, cepheid, cepheid_process

pytestmark = [
    pytest.mark.spark,
    # pyspark's own: sockets to the JVM that it leaves for the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

CSV = "ts,kind,user,price\n"
TREND = (
    "PATTERN SEQ(E1 a, E2 b+, E3 c) WHERE [attr1] GROUP BY attr2 WITHIN 1000 SLIDE 500 "
    "RETURN attr2, COUNT(*), LOG2(COUNT(*))"
)


@pytest.fixture(scope="module", autouse=True)
def spark():
    from cepheid.connectors.spark_session import spark_session

    with spark_session() as run:
        yield run


def both(*arguments):
    return [cepheid(*arguments, "--engine", each) for each in ("local", "spark")]


def assert_same(*arguments, rows):
    local, spark = both(*arguments)
    assert local.code == 0
    warnings = [each for each in local.stderr.splitlines() if "is listed, and under" not in each]
    assert not warnings  # but that of an unbounded repetition, which both engines give
    assert (spark.code, spark.stdout, spark.stderr) == (0, local.stdout, local.stderr)
    assert len(local.lines) == rows + 1


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_generated_stream_gives_the_same_counts(tmp_path, suffix):
    path = tmp_path / f"typed.{suffix}"
    options = "--set", "types=4", "--set", "attr1_values=5", "--set", "attr2_values=2"
    cepheid("generate", "typed", "-n", 4000, *options, "-o", path)
    assert_same("run", TREND, path, "-f", "csv", rows=18)


@pytest.mark.parametrize(
    ("query", "events", "rows"),
    [
        ("cancelled_rides.cep", ["rides.csv", "--type", "kind"], 2),
        ("slow_pickups.cep", ["rides.csv", "--type", "kind"], 3),
        ("kindle_funnel.cep", ["clicks.jsonl", "-p", "minimum=100", "-p", "window=2 min"], 4),
        ("volume_runs.cep", ["stock.parquet"], 9),
    ],
)
def test_examples_give_the_same(query, events, rows):
    arguments = "run", EXAMPLES / query, EXAMPLES / events[0], *events[1:], "-f", "csv"
    assert_same(*arguments, rows=rows)


@pytest.mark.parametrize(
    "text",
    [
        CSV + "2026-01-01T10:00:00,A,1,2\n2026-01-01 10:00:01.25,B,1,2.5\n",
        CSV + "2026-01-01T10:00:00Z,A,1,2\n2026-01-01T12:00:01+02:00,B,1,\n",
        CSV + "2026-01-01,A,1,x\n2026-01-02,B,1,\n",
        CSV + "1,A,9999999999,\n2,B,9999999999,\n",
        CSV + "1,A,true,true\n2,B,true,false\n",
    ],
)
def test_types_are_inferred_alike(tmp_path, text):
    path = tmp_path / "events.csv"
    path.write_text(text)
    query = "PATTERN SEQ(A a, B b) WHERE [user]"
    assert_same("run", query, path, "-f", "csv", rows=1)
    outputs = [tmp_path / "local.parquet", tmp_path / "spark.parquet"]
    for engine, output in zip(("local", "spark"), outputs, strict=True):
        assert cepheid("run", query, path, "-e", engine, "-o", output).code == 0
    local, spark = map(pq.read_table, outputs)
    assert spark.to_pylist() == local.to_pylist()
    assert spark.schema.remove_metadata().equals(local.schema)


def test_json_times_and_the_order_of_keys(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text(
        '{"ts": "2026-01-01T10:00:00.5Z", "kind": "A", "b": 1}\n'
        '{"ts": "2026-01-01T10:00:01Z", "kind": "B", "a": null, "b": 2.5}\n'
    )
    assert_same("run", "PATTERN SEQ(A x, B y) WITHIN 1 s", path, "-f", "csv", rows=1)


def test_files_with_different_columns_are_one_stream(tmp_path):
    (tmp_path / "1.csv").write_text("ts,kind\n1,A\n")
    (tmp_path / "2.csv").write_text("kind,ts,x\nB,2,5\n")
    query = "PATTERN SEQ(A a, B b) RETURN a.ts, b.ts, b.x"
    assert_same("run", query, tmp_path, "-f", "csv", rows=1)


def test_one_file_per_type_and_one_of_them_empty(tmp_path):
    (tmp_path / "a.csv").write_text("ts,x\n1,7\n")
    (tmp_path / "b.csv").write_text("ts,x\n")
    files = f"A={tmp_path / 'a.csv'}", f"B={tmp_path / 'b.csv'}"
    assert_same("run", "PATTERN SEQ(A a, B b?) RETURN a.x", *files, "-f", "csv", rows=1)


@pytest.mark.parametrize(
    "query",
    [
        "PATTERN SEQ(A a, B+ b) WHERE [g] AND a.x > 3 RETURN a.x, b.g",
        "PATTERN A+ a WHERE a.x = 'y' GROUP BY g WITHIN 2 min SLIDE 1 min RETURN g, COUNT(*)",
    ],
)
def test_a_header_alone_gives_the_columns_of_the_result(tmp_path, query):
    path = tmp_path / "empty.csv"
    path.write_text("ts,kind,x,g\n")
    assert_same("run", query, path, "--type", "kind", "-f", "csv", rows=0)


@pytest.mark.parametrize(
    "text",
    [
        "when,kind\n1,A\n",
        "ts,kind\nnoon,A\n",
        "ts,kind\n12:30:00,A\n",
        "ts,kind\n1,7\n",
        "ts,kind\n1,A\n,B\n",
        "ts,kind\n1,A\n2,B,3\n",
        "",
    ],
)
def test_bad_data_is_one_message(tmp_path, text):
    path = tmp_path / "events.csv"
    path.write_text(text)
    local, spark = both("run", "PATTERN SEQ(A a, B b)", path)
    assert (spark.code, spark.stdout) == (local.code, "") == (1, "")
    assert spark.stderr.startswith("error: ")
    assert "Traceback" not in spark.stderr
    assert len(spark.stderr.splitlines()) <= 2


def test_a_worker_error_is_its_message(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text("ts,kind\n1,A\n,B\n")
    local, spark = both("run", "PATTERN SEQ(A a, B b)", path)
    assert spark.stderr == local.stderr
    assert "the time column 'ts' has a NULL" in spark.stderr


def test_jobs_of_a_run_are_described_by_the_name_of_the_query(spark):
    def described():
        scala = context._jsc.sc()
        scala.listenerBus().waitUntilEmpty()
        jobs = scala.statusStore().jobsList(None)
        found = [jobs.apply(index).description() for index in range(jobs.size())]
        return [each.get() for each in found if each.isDefined()]

    context = spark.session.sparkContext
    query, events = EXAMPLES / "cancelled_rides.cep", EXAMPLES / "rides.csv"
    before = described().count(f"cepheid: {query}")
    assert cepheid("run", query, events, "--type", "kind", "-e", "spark").code == 0
    assert described().count(f"cepheid: {query}") > before
    assert context.getLocalProperty("spark.job.description") is None  # what follows has none


def test_a_remote_file_that_is_not_there():
    outcome = cepheid("run", "PATTERN A a", "file:///nowhere/events.csv", "-e", "spark")
    assert outcome.code == 1
    assert "Path does not exist" in outcome.stderr


def test_demo_in_a_process_of_its_own(tmp_path):
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    outcome = cepheid_process("demo", "--events", 3000, cwd=tmp_path, env=environment)
    assert (outcome.code, outcome.stderr) == (0, "")
    assert "on local Spark" in outcome.stdout
    events = generate("ridesharing", events=3000, districts=5, events_per_minute=1000.0)
    assert f"{events.num_rows:,} events" in outcome.stdout
    assert list(tmp_path.iterdir()) == []


class TestNanoseconds:
    """What pandas writes by default, and Spark has no type for."""

    QUERY = (
        "PATTERN SEQ(A a, B b) WHERE a.ts < '2024-03-10 02:31:00' WITHIN 1 hour "
        "RETURN a.ts, b.ts, b.zoned"
    )

    def write(self, path, finest):
        base = 1710037800 * 10**9  # 02:30, which clocks skip in New York
        times = pa.array([base, base + 60 * 10**9, base + 90 * 10**9 + finest], pa.timestamp("ns"))
        zoned = times.cast(pa.timestamp("ns", "UTC"))
        table = pa.table({"ts": times, "zoned": zoned, "type": ["A", "A", "B"]})
        pq.write_table(table, path)

    def test_they_are_read_as_microseconds(self, tmp_path):
        path = tmp_path / "events.parquet"
        self.write(path, finest=1_000)
        local, spark = both("run", self.QUERY, path, "-f", "csv")
        assert (spark.code, spark.stderr) == (0, "")
        shown = ",".join(
            f"2024-03-10 {each}"
            for each in ("02:30:00.000000{0}", "02:31:30.000001{0}", "02:31:30.000001{0}Z")
        )
        assert local.lines[1:] == [shown.format("000")]
        assert spark.lines[1:] == [shown.format("")]

    def test_what_is_finer_is_refused(self, tmp_path):
        path = tmp_path / "events.parquet"
        self.write(path, finest=1)
        outcome = cepheid("run", self.QUERY, path, "--engine", "spark")
        assert outcome.code != 0
        assert "column 'ts' has times finer than microseconds" in outcome.stderr

    def test_the_setting_does_not_stay(self, tmp_path, spark):
        from cepheid.connectors.collect_spark import spark_errors
        from cepheid.errors import DataError

        path = tmp_path / "events.parquet"
        self.write(path, finest=0)
        cepheid("run", self.QUERY, path, "--engine", "spark")
        with pytest.raises(DataError, match=r"NANOS(.|\n)*coerce_timestamps='us'"), spark_errors():
            spark.session.read.parquet(str(path))
