"""Streams go on from checkpoints that are kept as test data, one per version of the state."""

from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import cepheid
from cepheid.plan.run_options import RunOptions
from cepheid.runtime.event_schema import ColumnRoles, event_schema
from cepheid.runtime.spark.packed_events import PACKETS
from cepheid.runtime.spark.stream import run_stream
from cepheid.runtime.spark.stream.bucket_processor import BucketProcessor
from cepheid.runtime.spark.stream.bucket_store import VERSION, BucketStore
from cepheid.runtime.spark.stream.pack_events import pack_with_identity
from cepheid.runtime.stream_options import StreamOptions
from tests.properties.comparison import as_multiset
from tests.spark.stream.stored_checkpoints import FOLDER, ROLES, SCHEMA, go_on, in_batch
from tests.spark.stream.streams import few_partitions, read_stream, run_to_end, united, write_files

pytestmark = pytest.mark.spark
VERSIONS = sorted(each.name for each in FOLDER.iterdir())


def test_the_version_of_this_release_is_kept() -> None:
    assert f"version-{VERSION}" in VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_goes_on(spark: SparkSession, tmp_path: Path, version: str) -> None:
    for name, found in go_on(spark, FOLDER / version, tmp_path).items():
        expected = in_batch(name)
        assert expected, name
        assert as_multiset(found) == as_multiset(expected), name


def test_another_version_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    """Nothing is lost: the release that wrote it goes on."""
    query = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 40 RETURN a.time, b.time")
    row = {"type": "A", "time": 1000, "k": 1, "x": 0.0}
    write_files(tmp_path / "in", [[row]], SCHEMA)
    with few_partitions(spark):
        later = written_by(VERSION + 1, query, read_stream(spark, tmp_path / "in"))
        run_to_end(united({"rows": later}), tmp_path)
        before = commits(tmp_path)
        write_files(tmp_path / "in", [[{**row, "type": "B", "time": 1001}]], SCHEMA)
        now = query.run(read_stream(spark, tmp_path / "in"), **ROLES, ordered=True)
        versions = f"has version {VERSION + 1}, and this release reads {VERSION}"
        with pytest.raises(StreamingQueryException, match=rf"{versions}(.|\n)*release that wrote"):
            run_to_end(united({"rows": now}), tmp_path)
        assert commits(tmp_path) == before
        later = written_by(VERSION + 1, query, read_stream(spark, tmp_path / "in"))
        found = run_to_end(united({"rows": later}), tmp_path)
    assert found.of("rows") == [{"a_time": 1000, "b_time": 1001}]


def written_by(version: int, query: cepheid.Query, stream: DataFrame) -> DataFrame:
    """Return the results of a release whose state has another version."""

    class OtherStore(BucketStore):
        pass

    OtherStore.version = version

    class OtherProcessor(BucketProcessor):
        def init(self, handle: object) -> None:
            self.handle = handle
            self.store = OtherStore(handle, self.job.query)

    roles = ColumnRoles("time", "type", (), None, "s")
    given = run_stream.stream_input(stream, roles, StreamOptions(ordered=True))
    program = query.program(RunOptions(), event_schema(given.schema, roles))
    work = run_stream.bucketed(program, given)
    packets = work.frame.mapInArrow(pack_with_identity(work.events.names), PACKETS)
    reports = run_stream.step_through(packets, OtherProcessor(work.job))
    results: DataFrame = run_stream.results_of(work, reports).results
    return results


def commits(folder: Path) -> set[str]:
    return {each.name for each in (folder / "checkpoint" / "commits").iterdir()}
