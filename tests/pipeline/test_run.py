"""Pipelines from files to their sinks, on Spark."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
import yaml

import cepheid as package
from tests.cli.command import cepheid, cepheid_process
from tests.pipeline.files import pipeline_text, write_pipeline

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    # pyspark's own: sockets to the JVM that it leaves for the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

QUERY = "PATTERN SEQ(A a, B b) WITHIN 10 RETURN a.ts, b.ts"
SCHEMA = "ts INT, kind STRING, v DOUBLE"
SOURCE = f'{{files: {{format: json, path: events, schema: "{SCHEMA}", max_files_per_trigger: 1}}}}'
QUERIES = f'{{q: "{QUERY}", n: "PATTERN A+ a WITHIN 10 SLIDE 10 RETURN COUNT(*)"}}'
FIRST = [(1, "A"), (4, "B"), (3, "A"), (8, "B"), (12, "A"), (40, "C")]
SECOND = [(45, "A"), (47, "B"), (2, "A"), (90, "C")]  # 2 is late: the watermark is at 30
MATCHES = [{"a_ts": 1, "b_ts": 4}, {"a_ts": 1, "b_ts": 8}, {"a_ts": 3, "b_ts": 4},
           {"a_ts": 3, "b_ts": 8}]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def spark():
    from tests.spark.session import spark_session

    return spark_session()


def add_events(folder: Path, name: str, events: list[tuple[int, str]]) -> None:
    (folder / "events").mkdir(exist_ok=True)
    lines = [json.dumps({"ts": ts, "kind": kind, "v": 0.5}) for ts, kind in events]
    (folder / "events" / name).write_text("\n".join(lines))


def run(folder: Path, **keys: str | None) -> tuple[str, str]:
    """Run it; on a machine that is too busy for Spark's time limits again, as its hint says."""
    keys = {"source": SOURCE, "trigger": "available now", **keys}
    path = write_pipeline(folder, pipeline_text(**keys))
    printed = ""
    for _ in range(4):
        outcome = cepheid("pipeline", path)
        printed += outcome.stdout
        if "the machine is too busy" not in outcome.stderr:
            break
    assert outcome.code == 0, outcome.stderr
    return printed, outcome.stderr


def rows(folder: Path) -> list[dict[str, object]]:
    lines = [
        line for file in sorted(folder.rglob("*.json")) for line in file.read_text().split("\n")
    ]
    return sorted((json.loads(each) for each in lines if each), key=lambda row: list(row.values()))


def batch_result(query: str, *events: tuple[int, str]) -> list[dict[str, object]]:
    table = pa.table({"ts": [each[0] for each in events], "kind": [each[1] for each in events]})
    found = package.query(query).run(table, time="ts", type="kind").to_pylist()
    return sorted(found, key=lambda row: list(row.values()))


def test_files_to_files_with_a_restart(tmp_path):
    add_events(tmp_path, "1.json", FIRST)
    keys = {
        "queries": f'{{q: "{QUERY}"}}',
        "sinks": "{q: {files: {format: json, path: out}}}",
        "metrics": "{file: metrics.prom}",
    }
    printed, said = run(tmp_path, **keys)
    assert printed == ""
    assert rows(tmp_path / "out") == MATCHES == batch_result(QUERY, *FIRST)
    assert "q  batch 0  6 events" in said
    assert "all events are processed" in said
    metrics = (tmp_path / "metrics.prom").read_text().splitlines()
    assert 'cepheid_results_total{stream="q",query="q"} 4' in metrics
    assert 'cepheid_stream_running{stream="q"} 0' in metrics
    assert [each.name for each in (tmp_path / "state").iterdir()] == ["q"]

    add_events(tmp_path, "2.json", SECOND)
    _, said = run(tmp_path, **keys)
    on_time = [each for each in (*FIRST, *SECOND) if each[0] != 2]
    assert rows(tmp_path / "out") == batch_result(QUERY, *on_time)
    found = [line for line in said.splitlines() if line.startswith("q  batch") and "4 ev" in line]
    parts = [part for line in found for part in line.split("  ")]
    assert [each for each in parts if each.startswith("late")] == ["late 1"]


def test_two_queries_to_files_and_console(tmp_path):
    add_events(tmp_path, "1.json", FIRST)
    printed, said = run(
        tmp_path,
        queries=QUERIES,
        sinks="{q: {files: {format: json, path: out}}, n: {console: {format: json}}}",
    )
    assert rows(tmp_path / "out") == MATCHES
    windows = {tuple(json.loads(line).values()) for line in printed.splitlines()}
    assert {each[0]: each[-1] for each in windows} == {0: 3, 10: 1}
    assert "running q, n" in said
    assert sorted(each.name for each in (tmp_path / "state").iterdir()) == ["n", "q"]


def test_two_queries_as_one_stream(tmp_path):
    add_events(tmp_path, "1.json", FIRST)
    keys = {
        "queries": QUERIES,
        "sinks": "{q: {files: {format: json, path: out}}, n: {console: {format: json}}}",
        "together": "true",
    }
    printed, said = run(tmp_path, **keys)
    assert rows(tmp_path / "out") == MATCHES
    windows = {tuple(json.loads(line).values()) for line in printed.splitlines()}
    assert {each[0]: each[-1] for each in windows} == {0: 3, 10: 1}
    assert "running workload" in said
    lines = [line for line in said.splitlines() if line.startswith("workload  batch")]
    results = sum(int(line.partition("  results ")[2].split()[0]) for line in lines)
    assert results == len(MATCHES) + len(windows), "also those of operators outside of bundles"
    assert [each.name for each in (tmp_path / "state").iterdir()] == ["workload"]
    add_events(tmp_path, "2.json", SECOND)
    run(tmp_path, **keys)
    on_time = [each for each in (*FIRST, *SECOND) if each[0] != 2]
    assert rows(tmp_path / "out") == batch_result(QUERY, *on_time)


def test_table_to_table_with_a_restart(tmp_path, spark):
    source, target = (f"cepheid_{name}_{uuid.uuid4().hex}" for name in ("events", "pairs"))
    keys = {
        "source": f'{{table: {{name: {source}, schema: "{SCHEMA}"}}}}',
        "queries": f'{{q: "{QUERY}"}}',
        "sinks": f"{{q: {{table: {{name: {target}}}}}}}",
    }
    spark.sql(f"CREATE TABLE {source} ({SCHEMA}) USING parquet")
    try:
        insert(spark, source, FIRST)
        run(tmp_path, **keys)
        assert table_rows(spark, target) == MATCHES
        insert(spark, source, SECOND)
        run(tmp_path, **keys)
        on_time = [each for each in (*FIRST, *SECOND) if each[0] != 2]
        assert table_rows(spark, target) == batch_result(QUERY, *on_time)
    finally:
        for name in (source, target):
            spark.sql(f"DROP TABLE IF EXISTS {name}")


def insert(spark, table: str, events: list[tuple[int, str]]) -> None:
    rows = [(ts, kind, 0.5) for ts, kind in events]
    spark.createDataFrame(rows, SCHEMA).coalesce(1).write.insertInto(table)


def table_rows(spark, table: str) -> list[dict[str, object]]:
    found = [row.asDict() for row in spark.table(table).collect()]
    return sorted(found, key=lambda row: list(row.values()))


def test_the_example_gives_what_a_batch_gives(tmp_path):
    """By the commands in its first lines, in a copy of the folder, with fewer events."""
    examples = Path(__file__).parents[2] / "examples"
    folder = tmp_path / "pipeline"
    (folder / "rides").mkdir(parents=True)
    for name in ("cancelled_rides.cep", "pipeline/rides.yaml"):
        shutil.copy(examples / name, tmp_path / name)
    events = folder / "rides" / "1.csv"
    options = ("-n", "6000", "--set", "events_per_minute=800", "-o", events)
    assert cepheid("generate", "ridesharing", *options).code == 0
    head, *lines = events.read_text().splitlines()
    after_all = lines[-1].replace("2024-01-01", "2024-01-02")  # has the watermark pass all others
    (folder / "rides" / "2.csv").write_text(f"{head}\n{after_all}\n")
    outcome = cepheid("pipeline", folder / "rides.yaml")
    assert outcome.code == 0, outcome.stderr
    table = pa.csv.read_csv(events)
    cancelled = package.query((examples / "cancelled_rides.cep").read_text())
    wanted = cancelled.run(table, time="time", type="kind").select(["driver", "speeds"])
    found = rows(folder / "results" / "cancelled")
    values = sorted([each["driver"], each["speeds"]] for each in found)
    assert values == sorted(list(each.values()) for each in wanted.to_pylist())
    assert values
    text = yaml.safe_load((folder / "rides.yaml").read_text())["queries"]["crawling"]["text"]
    crawling = package.query(text, parameters={"limit": 30}).run(table, time="time", type="kind")
    title, _, _, *shown = outcome.stdout.splitlines()
    assert title == "crawling"
    trends = [int(line.split()[-1]) for line in shown if line.startswith("2024")]
    assert len(trends) == 5
    assert set(trends) <= set(crawling["trends"].to_pylist())


def test_late_events_go_to_their_own_sink(tmp_path):
    add_events(tmp_path, "1.json", FIRST)
    add_events(tmp_path, "2.json", SECOND)
    run(
        tmp_path,
        queries=f'{{q: "{QUERY}"}}',
        sinks="{q: {files: {format: json, path: out}}}",
        late="{files: {format: json, path: late}}",
    )
    assert [each["ts"] for each in rows(tmp_path / "late" / "query=q")] == [2]
    on_time = [each for each in (*FIRST, *SECOND) if each[0] != 2]
    assert rows(tmp_path / "out") == batch_result(QUERY, *on_time)


@pytest.mark.parametrize("kind", ["files", "late", "together", "table"])
def test_a_new_checkpoint_needs_a_new_folder(tmp_path, spark, kind):
    """It counts micro-batches from 0 again: results would be left out, or replace earlier ones."""
    table = f"cepheid_pairs_{uuid.uuid4().hex}"
    sink = (
        f"{{table: {{name: {table}}}}}" if kind == "table" else "{files: {format: json, path: out}}"
    )
    keys = {
        "queries": f'{{q: "{QUERY}"}}',
        "sinks": f"{{q: {sink}}}",
        "late": "{files: {format: json, path: late}}" if kind == "late" else None,
        "together": "true" if kind == "together" else None,
    }
    add_events(tmp_path, "1.json", FIRST)
    try:
        run(tmp_path, **keys)
        found = rows(tmp_path / "out")
        (tmp_path / "events" / "1.json").unlink()
        add_events(tmp_path, "2.json", SECOND)
        keys |= {"source": SOURCE, "trigger": "available now", "checkpoint": "other"}
        outcome = cepheid("pipeline", write_pipeline(tmp_path, pipeline_text(**keys)))
        assert outcome.code != 0
        said = " ".join(outcome.stderr.split())
        assert "has results of a stream with another checkpoint" in said
        assert "hint: name a new folder" in said
        assert rows(tmp_path / "out") == found
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {table}")


def test_types_by_condition_and_results_that_others_read(tmp_path):
    add_events(tmp_path, "1.json", FIRST)
    printed, _ = run(
        tmp_path,
        events="{time: ts, types: {Early: ts <= 4, Middle: ts < 40}}",
        queries='{pair: "PATTERN SEQ(Early a, Middle b) WITHIN 6 RETURN a.ts, b.ts INTO Pair", '
        'out: "PATTERN Pair p RETURN p.a_ts AS a, p.b_ts AS b"}',
        sinks="{out: {console: {format: json}}}",
        watermark="0",
    )
    found = sorted(tuple(json.loads(line).values()) for line in printed.splitlines())
    assert found == [(3, 8), (4, 8)]


def test_a_stream_that_fails_is_an_error_without_a_traceback(tmp_path, monkeypatch):
    monkeypatch.setenv("TOKEN", "hunter2")
    add_events(tmp_path, "1.json", FIRST)
    (tmp_path / "events" / "2.json").write_text('{"ts": "hunter2", "kind": "A"}\n')
    keys = {"source": SOURCE, "trigger": "available now", "spark": "{spark.my.token: '${TOKEN}'}"}
    outcome = cepheid("pipeline", write_pipeline(tmp_path, pipeline_text(**keys)))
    assert outcome.code == 1
    assert "error: 'q': " in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert "hunter2" not in outcome.stderr


@pytest.mark.parametrize("name", ["SPARK_REMOTE", "spark.remote", "spark.api.mode"])
def test_spark_connect_is_refused_before_it_starts(tmp_path, name):
    setting = "connect" if name == "spark.api.mode" else "sc://nowhere.invalid:1"
    keys = {} if name.isupper() else {"spark": f"{{{name}: '{setting}'}}"}
    environment = {**os.environ, **({name: setting} if name.isupper() else {})}
    path = write_pipeline(tmp_path, pipeline_text(**keys))
    outcome = cepheid_process("pipeline", path, env=environment, timeout=100)
    assert outcome.code == 2, outcome.stderr
    assert "cannot run on Spark Connect" in outcome.stderr
    assert "spark-submit" in outcome.stderr


def test_postgresql(tmp_path, postgresql, monkeypatch):
    monkeypatch.setenv("PGPASS", postgresql.password)
    add_events(tmp_path, "1.json", FIRST)
    user = postgresql.connection["user"]
    where = f'url: "{postgresql.url}", table: pairs, user: {user}, password: "${{PGPASS}}"'
    keys = {"queries": f'{{q: "{QUERY}"}}', "sinks": f"{{q: {{postgresql: {{{where}}}}}}}"}
    _, said = run(tmp_path, **keys)
    assert postgresql.password not in said
    assert sorted(postgresql.rows("SELECT a_ts, b_ts FROM pairs")) == [
        tuple(each.values()) for each in MATCHES
    ]


def test_kafka(tmp_path, kafka, kafka_connector):
    events = [(each[0], json.dumps({"ts": each[0], "kind": each[1], "v": 1.0})) for each in FIRST]
    kafka.create_topic("readings")
    kafka.create_topic("pairs")
    kafka.produce("readings", [(str(key), value) for key, value in events])
    run(
        tmp_path,
        source=f'{{kafka: {{servers: "{kafka.servers}", topics: readings, schema: "{SCHEMA}"}}}}',
        queries=f'{{q: "{QUERY}"}}',
        sinks=f'{{q: {{kafka: {{servers: "{kafka.servers}", topic: pairs}}}}}}',
    )
    records = kafka.consume("pairs", len(MATCHES))
    assert sorted(list(json.loads(value).values()) for _, value in records) == [
        list(each.values()) for each in MATCHES
    ]
    assert len({key for key, _ in records}) == len(MATCHES)


def started(path: str, *options: str) -> tuple[subprocess.Popen[str], list[str]]:
    """Start it as a user would, and return when its first micro-batch is done."""
    program = "from cepheid.cli import main; main()"
    said: list[str] = []
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", program, "pipeline", path, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if line.startswith("q  batch 0"):
                return process, said
        process.communicate()
        assert any("the machine is too busy" in line for line in said), said
    raise AssertionError(said)


def test_a_browser_sees_it_run(tmp_path, chromium):
    add_events(tmp_path, "1.json", FIRST)
    keys = {
        "source": SOURCE,
        "queries": QUERIES,
        "sinks": "{q: {files: {format: json, path: out}}, n: {console: }}",
    }
    path = write_pipeline(tmp_path, pipeline_text(**keys, trigger="every 1 second"))
    process, said = started(path, "--serve", "--port", "0")
    try:
        address = next(line.rpartition(" ")[2].strip() for line in said if "live view at" in line)
        deadline = time.monotonic() + 120
        while (dom := chromium.dom(address)).count('class="match"') < 6:
            assert time.monotonic() < deadline, dom
            time.sleep(1)
        assert re.search(r'id="state"[^>]*>2 streams running for', dom)
        for words in ("a_ts: 1\nb_ts: 8", "window_start: 0", "some of the last results of each"):
            assert words in dom
        with urllib.request.urlopen(f"{address}metrics") as answer:
            assert b'cepheid_results_total{stream="q",query="q"} 4' in answer.read()
    finally:
        process.terminate()
        _, rest = process.communicate(timeout=120)
    assert process.returncode == 0, rest
    assert rows(tmp_path / "out") == MATCHES

    text = pipeline_text(**keys, trigger="available now")  # the checkpoint fits without the page
    add_events(tmp_path, "2.json", SECOND)
    assert cepheid("pipeline", write_pipeline(tmp_path, text)).code == 0
    on_time = [each for each in (*FIRST, *SECOND) if each[0] != 2]
    assert rows(tmp_path / "out") == batch_result(QUERY, *on_time)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_stops_it_cleanly(tmp_path, number, code):
    add_events(tmp_path, "1.json", FIRST)
    text = pipeline_text(source=SOURCE, metrics="{port: 0}", trigger="every 1 second")
    path = write_pipeline(tmp_path, text)
    process, said = started(path)
    address = next(line.rpartition(" ")[2].strip() for line in said if "metrics at" in line)
    with urllib.request.urlopen(address) as answer:
        assert b'cepheid_input_rows_total{stream="q"} 6' in answer.read()
    process.send_signal(number)
    begin = time.monotonic()
    _, rest = process.communicate(timeout=120)
    assert process.returncode == code, rest
    assert "Traceback" not in rest
    assert f"stopped by {number.name}" in rest
    assert time.monotonic() - begin < 60
