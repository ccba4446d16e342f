"""Micro-batches add up, and what Spark leaves out does not break anything."""

from datetime import datetime

from cepheid.metrics.collector import Collector
from cepheid.metrics.stream_metrics import (
    END_FOLDER,
    HEARTBEATS,
    QueryMetrics,
    StreamMetrics,
    advance,
    metric_name,
    observed_counts,
)
from tests.metrics.progress import progress

SECONDS = datetime.fromisoformat("2026-01-01T10:00:00Z").timestamp()


def test_counts_add_up_over_batches():
    metrics = StreamMetrics("fires")
    for batch in range(3):
        counts = {"events": 90, "late": 2, "results": 5, "state_bytes": 4096}
        metrics = advance(metrics, progress(batch, fires=counts))
    assert metrics.query == QueryMetrics("fires", 90, 2, 0, 5, 270, 6, 0, 15, 4096)
    assert (metrics.batch, metrics.batches, metrics.rows_total) == (2, 3, 300)
    assert (metrics.rows_per_second, metrics.seconds_total) == (50.0, 6.0)
    assert (metrics.state_rows, metrics.state_bytes) == (6, 2000)
    assert (metrics.watermark, metrics.watermark_lag) == (SECONDS - 30, 32.5)


def test_the_query_of_the_stream_comes_last():
    metrics = advance(StreamMetrics("a"), progress(a={"events": 1}, z={"events": 2}))
    assert [each.name for each in metrics.queries] == ["z", "a"]
    assert metrics.query.name == "a"


def test_a_batch_without_news_keeps_what_was_known():
    before = advance(StreamMetrics("fires"), progress(fires={"events": 7, "state_bytes": 50}))
    idle = {"timestamp": "2026-01-01T10:01:00.000Z", "batchId": 1, "observedMetrics": {}}
    after = advance(before, idle)
    assert (after.query.events, after.query.events_total) == (0, 7)
    assert (after.query.active_state_bytes, after.watermark) == (50, before.watermark)
    assert after.rows_per_second == 0.0


def test_sums_of_no_rows_are_nothing():
    counts = {"events": None, "late": None, "results": None, "state_bytes": None}
    metrics = advance(StreamMetrics("fires"), progress(fires=counts))
    assert metrics.query == QueryMetrics("fires")


def test_operators_of_a_query_are_added_up():
    counts = {"events": 3, "late": None, "results": 2, "state_bytes": 40}
    observed = {metric_name("fires"): counts, metric_name("fires"): counts, "other": {"events": 9}}
    metrics = advance(StreamMetrics("fires"), {**progress(), "observedMetrics": observed})
    assert metrics.queries == (QueryMetrics("fires", 6, 0, 0, 4, 6, 0, 0, 4, 80),)


def test_a_query_may_have_any_name():
    for name in ("a#b", "#12345678", "", "a\nb"):
        assert observed_counts({metric_name(name): {"late": 1}}) == {name: {"late": 1}}


def test_the_state_is_all_that_is_kept():
    """Parts of it without work report nothing: Spark's own figure has them all."""
    metrics = advance(StreamMetrics("fires"), progress(fires={"state_bytes": 7}))
    assert (metrics.state_bytes, metrics.query.active_state_bytes) == (2000, 7)
    in_memory = {**progress(), "stateOperators": [{"memoryUsedBytes": 30}, {"numRowsTotal": 1}]}
    assert advance(StreamMetrics("fires"), in_memory).state_bytes == 30


def test_heartbeats_are_no_events():
    beats = {"description": f"{HEARTBEATS}", "numInputRows": 30}
    files = {"description": "FileStreamSource[file:/events]", "numInputRows": 70}
    both = advance(StreamMetrics("fires"), {**progress(), "sources": [files, beats]})
    assert (both.rows, both.rows_total, both.rows_per_second) == (70, 70, 35.0)
    alone = {**progress(rows=30), "sources": [beats]}
    assert advance(StreamMetrics("fires"), alone).rows == 30, "a source of somebody's own"


def test_the_file_that_tells_of_the_end_is_no_event():
    end = {"description": f"FileStreamSource[file:/state/q/{END_FOLDER}]", "numInputRows": 1}
    files = {"description": "FileStreamSource[file:/events]", "numInputRows": 99}
    assert advance(StreamMetrics("q"), {**progress(), "sources": [files, end]}).rows == 99


def test_what_waits_is_known_from_the_first_batch_on():
    first = advance(StreamMetrics("q"), progress(0, q={"waiting": 5}))
    second = advance(first, progress(1, q={"waiting": -2}))
    assert (second.query.waiting, second.is_whole) == (3, True)
    later = advance(StreamMetrics("q"), progress(7, q={"waiting": -2}))
    assert (later.query.waiting, later.is_whole) == (-2, False)


def test_the_latest_event_of_all_batches():
    times = ["2026-01-01T10:00:00.000Z", "2026-01-01T09:00:00.000Z", "55000-01-01T00:00:00.000Z"]
    metrics = StreamMetrics("q")
    for time in times:  # Python has no year 55000: such a time is left out
        metrics = advance(metrics, {**progress(), "eventTime": {"max": time, "watermark": time}})
    assert metrics.latest == SECONDS
    assert metrics.watermark == SECONDS - 3600


def test_1970_is_no_watermark():
    early = {**progress(), "eventTime": {"watermark": "1970-01-01T00:00:00.000Z"}}
    assert advance(StreamMetrics("fires"), early).watermark is None


def test_a_collector_knows_runs_by_the_name_of_their_stream():
    seen: list[StreamMetrics] = []
    collector = Collector(seen.append)
    collector.started("run-1", "fires")
    collector.progressed("run-1", progress(fires={"events": 3}))
    collector.ended("run-1")
    collector.started("run-2", "fires")
    collector.progressed("run-2", progress(1, fires={"events": 4}))
    (latest,) = collector.latest
    assert (latest.stream, latest.query.events_total, latest.is_running) == ("fires", 7, True)
    assert [each.query.events for each in seen] == [3, 4]


def test_a_stream_without_a_name_goes_by_its_run():
    collector = Collector()
    collector.progressed("run-1", {**progress(), "name": None})
    assert [each.stream for each in collector.latest] == ["run-1"]
