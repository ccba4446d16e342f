"""Pipelines over bounded input: what waits is named, and `finish` makes it final."""

import csv
import shutil
from pathlib import Path

import pytest

from tests.cli.command import cepheid
from tests.pipeline.files import pipeline_text, write_pipeline
from tests.pipeline.test_run import FIRST, QUERIES, QUERY, SOURCE, add_events, batch_result, run

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    # pyspark's own: sockets to the JVM that it leaves for the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SECOND = [(45, "A"), (47, "B"), (90, "A"), (93, "B"), (95, "A")]
COUNTS = "PATTERN A+ a WITHIN 10 SLIDE 10 RETURN COUNT(*)"
KEYS = {"queries": f'{{q: "{QUERY}"}}', "sinks": "{q: {files: {format: csv, path: out}}}"}
BOTH = {
    "queries": QUERIES,
    "sinks": "{q: {files: {format: csv, path: out}}, n: {files: {format: csv, path: counts, "
    "header: false}}}",
}


@pytest.fixture(scope="module", autouse=True)
def spark():
    from tests.spark.session import spark_session

    return spark_session()


def written(folder: Path) -> tuple[set[str], list[list[int]]]:
    """The first lines of all files, and the values of all others."""
    heads, rows = set(), []
    for file in folder.rglob("*.csv"):
        with file.open() as lines:
            found = list(csv.reader(lines))
        if found and not found[0][0].isdigit():
            heads.add(",".join(found.pop(0)))
        rows += [[int(float(each)) for each in row] for row in found]
    return heads, sorted(rows)


def values(query: str) -> list[list[int]]:
    found = batch_result(query, *FIRST, *SECOND)
    return [[int(each) for each in row.values()] for row in found]


def failed(folder: Path, **keys: str) -> str:
    keys = {"source": SOURCE, "trigger": "available now", **KEYS, **keys}
    outcome = cepheid("pipeline", write_pipeline(folder, pipeline_text(**keys)))
    assert outcome.code in (1, 2), outcome.stderr
    assert "Traceback" not in outcome.stderr
    return outcome.stderr


def test_what_waits_is_named_and_finished(tmp_path):
    add_events(tmp_path, "1.json", FIRST)
    add_events(tmp_path, "2.json", SECOND)
    _, said = run(tmp_path, **KEYS)
    assert "all events are processed" in said
    waits = (
        "results are written up to the watermark, 1970-01-01 00:01:25; 3 events wait, the latest"
    )
    assert f"q: {waits} of 1970-01-01 00:01:35\n" in said
    assert "with 'finish: true' it comes now" in said
    heads, rows = written(tmp_path / "out")
    assert heads == {"a_ts,b_ts"}
    assert rows == [each for each in values(QUERY) if each[1] < 90]

    said = failed(tmp_path, queries=KEYS["queries"].replace("WITHIN 10", "WITHIN 12"))
    assert "error: 'q': the checkpoint belongs to another query (query: PATTERN SEQ(A" in said
    assert "WITHIN 10 RETURN a.ts, b.ts in the checkpoint" in said
    assert "\n  hint: start with a new checkpoint" in said

    _, said = run(tmp_path, **KEYS, finish="true")
    assert "finished: all events are processed, and all results are written" in said
    assert "wait" not in said
    assert written(tmp_path / "out") == ({"a_ts,b_ts"}, values(QUERY))

    _, said = run(tmp_path, **KEYS, finish="true")  # again, as a timer might start it
    assert written(tmp_path / "out") == ({"a_ts,b_ts"}, values(QUERY))
    add_events(tmp_path, "3.json", [(99, "B")])
    said = failed(tmp_path)
    assert "is finished: its input was declared complete" in said
    assert "hint: start with a new checkpoint and a new output folder" in said
    assert written(tmp_path / "out") == ({"a_ts,b_ts"}, values(QUERY))


def test_all_queries_as_one_stream(tmp_path):
    add_events(tmp_path, "1.json", FIRST)
    add_events(tmp_path, "2.json", SECOND)
    run(tmp_path, **BOTH, together="true", finish="true")
    assert written(tmp_path / "out") == ({"a_ts,b_ts"}, values(QUERY))
    assert written(tmp_path / "counts") == (set(), values(COUNTS))


def test_a_stream_that_was_not_begun_like_that(tmp_path):
    add_events(tmp_path, "1.json", FIRST)
    run(tmp_path, **KEYS)
    shutil.rmtree(tmp_path / "state" / "q" / "end_of_input")
    said = failed(tmp_path, finish="true")
    assert "cannot be finished: it was begun with another trigger" in said
