"""What an aggregate reports in one step of a stream."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.events.hidden_columns import INDEX
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.results import result_schema
from cepheid.engine.trends.trend_events import TrendEvents
from cepheid.program.lower import lower
from cepheid.program.program import Program
from cepheid.program.when_final import shares_windows_of_events
from tests.engine.oldest_needed import oldest_needed
from tests.engine.run_one import run_one
from tests.engine.streams import table_of

SLIDING = "WITHIN 10 SLIDE 5 RETURN COUNT(*) AS n"
WITHOUT_SLIDE = "WITHIN 10 RETURN COUNT(*) AS n"
METHODS = {
    "linear": "SEQ(A a, B b)",
    "adjacent": "SEQ(A+ a, B b) WHERE a.time + 1 < NEXT(a).time",
    "enumerated": "SEQ(A+ a, B b) WHERE SUM(a[].time) < 100",
    "paired": "(SEQ(A, B)) AND (SEQ(C, B))",
}
STREAM = "a1 b2 c3 a6 b8 c11 a12 b13 a17 b19 c22 b24"


def program_of(pattern: str, events: pa.Table) -> Program:
    roles = ColumnRoles("time", "type", (), None, "s")
    query = cepheid.query(f"PATTERN {pattern}")
    return lower(query.plan(event_schema(events.schema, roles)))


def run(pattern: str, stream: str | pa.Table, report: ReportRange) -> list[dict[str, Any]]:
    events = table_of(stream) if isinstance(stream, str) else stream
    found = run_one(program_of(pattern, events), events, report_range=report)
    assert isinstance(found, pa.Table)
    rows: list[dict[str, Any]] = found.to_pylist()
    return rows


@pytest.mark.parametrize("method", METHODS)
class TestEveryMethod:
    def test_windows_that_end_in_the_step(self, method: str) -> None:
        events = table_of(STREAM)
        pattern = f"{METHODS[method]} {SLIDING}"
        whole = run_one(program_of(pattern, events), events).to_pylist()
        expected = [row for row in whole if 10 < row["window_end"] <= 20]
        assert expected
        assert run(pattern, events, ReportRange(10, 20)) == expected

    def test_moments_of_the_step(self, method: str) -> None:
        events = table_of(STREAM)
        pattern = f"{METHODS[method]} {WITHOUT_SLIDE}"
        whole = run_one(program_of(pattern, events), events).to_pylist()
        expected = [row for row in whole if 13 <= row["time"] < 24]
        assert [row["time"] for row in expected] == [13, 19]
        assert run(pattern, events, ReportRange(13, 24)) == expected

    @pytest.mark.parametrize("window", [SLIDING, WITHOUT_SLIDE])
    def test_nothing_becomes_final(self, method: str, window: str) -> None:
        events = table_of(STREAM)
        program = program_of(f"{METHODS[method]} {window}", events)
        for report in (ReportRange(20, 20), ReportRange(None, -50), ReportRange(300, 400)):
            found = run_one(program, events, report_range=report)
            assert isinstance(found, pa.Table)
            assert found.num_rows == 0
            assert found.schema == result_schema(program, events.schema)

    def test_other_events_are_not_looked_at(self, method: str) -> None:
        times = np.arange(10_000)
        events = pa.table({"time": times, "type": np.array(["A", "B", "C"])[times % 3]})
        program = program_of(f"{METHODS[method]} {SLIDING}", events)
        columns = dict(zip(events.column_names, events.columns, strict=True))
        report = ReportRange(5000, 5010)
        part = TrendEvents(program, program.output, columns, 10_000, report=report)
        assert set(part.ordered.arrays.clock.tolist()) <= set(range(4995, 5010))


def test_events_that_are_not_settled_do_not_count() -> None:
    assert run("SEQ(A, B) WITHIN 10 RETURN COUNT(*) AS n", "a1 b5 b6", ReportRange(2, 6)) == [
        {"time": 5, "n": 1}
    ]


def test_a_step_that_ends_within_a_tick() -> None:
    """The second b5 may be followed by another one, but is settled."""
    report = ReportRange(5, 5, known_rows=2)
    found = run("SEQ(A, B) WITHIN 10 RETURN COUNT(*) AS n", "a1 b5 b5", report)
    assert found == [{"time": 5, "n": 2}]


class TestWindowsOfEvents:
    PATTERN = "A WITHIN 3 EVENTS SLIDE 2 EVENTS RETURN COUNT(*) AS n"

    def test_a_window_waits_for_the_event_after_it(self) -> None:
        """Windows of indexes are [-2, 1), [0, 3), [2, 5)."""
        assert run(self.PATTERN, "a1 a2 a3", ReportRange(None, 4)) == [
            {"window_start": -2, "window_end": 1, "n": 1}
        ]
        assert run(self.PATTERN, "a1 a2 a3 c9", ReportRange(4, 10)) == [
            {"window_start": 0, "window_end": 3, "n": 3}
        ]
        assert run(self.PATTERN, "a1 a2 a3 c9", ReportRange(10, 99)) == []

    def test_events_may_be_counted_already(self) -> None:
        events = table_of("a3 c9").append_column(INDEX, pa.array([2, 3], pa.int64()))
        pattern = "A WITHIN 2 EVENTS SLIDE 1 EVENTS RETURN COUNT(*) AS n"
        late = run(pattern, events, ReportRange(4, 10))
        assert late == [{"window_start": 1, "window_end": 3, "n": 1}]

    def test_rows_that_are_never_final(self) -> None:
        events = table_of("a1(k=1)")
        windows = "WITHIN 3 EVENTS SLIDE 2 EVENTS RETURN COUNT(*) AS n"
        assert shares_windows_of_events(program_of(f"A WHERE [k] {windows}", events))
        assert not shares_windows_of_events(program_of(f"A WHERE [k] {windows} GROUP BY k", events))
        recent = "A WHERE [k] WITHIN 3 EVENTS RETURN COUNT(*) AS n"
        assert not shares_windows_of_events(program_of(recent, events))


class TestOldestNeeded:
    def test_a_window_needs_its_events(self) -> None:
        program = program_of("A WITHIN 10 SLIDE 4 RETURN COUNT(*)", table_of("a1"))
        assert [oldest_needed(program, each) for each in (10, 13, 14)] == [4, 4, 8]

    def test_a_moment_needs_the_last_events(self) -> None:
        program = program_of("A WITHIN 10 RETURN COUNT(*)", table_of("a1"))
        assert oldest_needed(program, 30) == 20

    def test_a_negation_at_the_start_looks_back_from_the_last_event(self) -> None:
        """(a5, b10) is blocked by c1; it still is when c1 has left the window."""
        pattern = "SEQ(!C, A, B) WITHIN 10 RETURN COUNT(*) AS n"
        events = table_of("c1 a5 b10 b14")
        assert oldest_needed(program_of(pattern, events), 12) == -8
        assert run(pattern, events, ReportRange(12, 15)) == [{"time": 14, "n": 1}]
        assert run(pattern, events.slice(1), ReportRange(12, 15)) == [{"time": 14, "n": 2}]
