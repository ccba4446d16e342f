"""--dry-run shows what would run, and starts nothing."""

from cepheid.metrics.stream_metrics import StreamMetrics, advance
from cepheid.pipeline.describe_pipeline import describe
from cepheid.pipeline.progress_line import progress_line
from tests.cli.command import EXAMPLES, cepheid
from tests.metrics.progress import progress
from tests.pipeline.files import load, pipeline_text, write_pipeline


def test_a_dry_run_describes_the_pipeline(tmp_path):
    text = pipeline_text(
        queries='{q: "PATTERN SEQ(A a, B b) WITHIN 10 INTO Pair", '
        'r: "PATTERN Pair+ p WITHIN 9 SLIDE 3 RETURN COUNT(*)"}',
        sinks="{r: {files: {format: csv, path: out}}}",
        late="{files: {format: json, path: late}}",
        trigger="every 10 seconds",
        idle="1 minute",
        state="{buckets: 8, limit: 5 MB}",
        metrics="{port: 0}",
        spark="{spark.ui.enabled: false}",
    )
    outcome = cepheid("pipeline", write_pipeline(tmp_path, text), "--dry-run")
    assert outcome.code == 0, outcome.stderr
    words = " ".join(outcome.stdout.split())
    for expected in (
        "source json files of events",
        "events time ts, type kind, in any order",
        "watermark 10",
        "idle time goes on after 1 minute of silence",
        "late events to json files in late",
        "trigger every 10 seconds",
        "buckets 8",
        "state limit 5,000,000 bytes per bucket",
        "spark.ui.enabled False",
        "q the events matches INTO Pair none",
        "r the events, q aggregates csv files in out state/r",
        "WITHIN 9 SLIDE 3",
        "ok, nothing was started",
    ):
        assert expected in words
    assert sorted(each.name for each in tmp_path.iterdir()) == ["events", "pipeline.yaml"]


def test_queries_of_one_stream_have_one_checkpoint(tmp_path):
    pipeline = load(
        tmp_path,
        queries='{q: "PATTERN A a", r: "PATTERN B b"}',
        sinks="{q: {console: }, r: {console: }}",
        together="true",
    )
    assert [each.checkpoint for each in describe(pipeline).queries] == ["state/workload"] * 2


def test_the_example_is_correct(tmp_path):
    text = (EXAMPLES / "pipeline" / "rides.yaml").read_text("utf-8")
    (tmp_path / "pipeline" / "rides").mkdir(parents=True)
    (tmp_path / "pipeline" / "rides.yaml").write_text(text, "utf-8")
    query = EXAMPLES / "cancelled_rides.cep"
    (tmp_path / query.name).write_text(query.read_text("utf-8"), "utf-8")
    outcome = cepheid("pipeline", tmp_path / "pipeline" / "rides.yaml", "--dry-run")
    assert outcome.code == 0, outcome.stderr
    assert "cancelled: SEQ(Request r, Travel slow{3,}, Cancel c)" in outcome.stdout


def test_mistakes_are_printed_and_give_exit_code_1(tmp_path):
    path = write_pipeline(tmp_path, pipeline_text(watermark="ten"))
    outcome = cepheid("pipeline", path, "--dry-run")
    assert outcome.code == 1
    assert outcome.stdout == ""
    assert "error[bad-value]: watermark: 'ten' is not a duration" in outcome.stderr


def test_a_missing_file_is_a_mistake_of_usage(tmp_path):
    outcome = cepheid("pipeline", tmp_path / "missing.yaml")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert "cannot read the pipeline" in outcome.stderr


def test_a_huge_file_is_refused(tmp_path):
    path = write_pipeline(tmp_path, "#" * (1 << 20) + "\n" + pipeline_text())
    outcome = cepheid("pipeline", path, "--dry-run")
    assert outcome.code == 2
    assert "larger than a pipeline can be" in outcome.stderr


def test_a_table_is_known_only_when_the_stream_starts(tmp_path):
    pipeline = load(tmp_path, source="{table: {name: rides}}")
    assert pipeline.columns.arrow is None
    assert set(pipeline.queries.plans) == {"q"}


def test_types_by_condition_are_the_types_of_the_stream(tmp_path):
    pipeline = load(tmp_path, events="{time: ts, types: {A: v > 1, B: v <= 1}}")
    assert pipeline.columns.roles.type == "type"
    assert pipeline.columns.arrow.names == ["ts", "kind", "v", "type"]


def test_progress_in_one_line():
    metrics = advance(StreamMetrics("fires"), progress(4, fires={"results": 12, "late": 1}))
    assert progress_line(metrics) == (
        "fires  batch 4  100 events  50 events/s  state 2.0 kB  "
        "watermark 2026-01-01 09:59:30 (lag 34.5 s)  results 12  late 1"
    )


def test_the_work_of_a_micro_batch_in_the_line():
    work = {"replayed": 1200, "touched": 35, "bytes_read": 4100, "bytes_written": 52_000}
    work |= {"cache_hits": 9, "cache_misses": 1}
    metrics = advance(StreamMetrics("fires"), progress(4, fires={"results": 12, **work}))
    line = progress_line(metrics)
    assert line.endswith(
        "results 12  late 0  again 1,200 events  touched 35  read 4.1 kB  wrote 52.0 kB  "
        "cache 9 of 10"
    )
