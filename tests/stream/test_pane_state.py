"""The state of sliding windows: one matrix for every partition and pane."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.program.lower import lower
from cepheid.program.program import Program
from cepheid.stream.pane_state import close, fold, keeps_panes, merge, next_close
from tests.engine.run_one import run_one
from tests.engine.streams import in_any_order, table_of

SCHEMA = pa.schema(
    [
        ("time", pa.int64()),
        ("type", pa.string()),
        ("k", pa.int64()),
        ("x", pa.int64()),
        ("s", pa.string()),
    ]
)
SLIDING = "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 60 SLIDE 20 RETURN k, {} GROUP BY k"


def program_of(text: str, schema: pa.Schema = SCHEMA) -> Program:
    roles = ColumnRoles("time", "type", (), None, "s")
    return lower(cepheid.query(text).plan(event_schema(schema, roles)))


def stream(count: int, partitions: int) -> pa.Table:
    """One event a tick."""
    random = np.random.default_rng(3)
    table = pa.table(
        {
            "time": np.arange(count),
            "type": np.array(["A", "B", "C"])[random.integers(0, 3, count)],
            "k": random.integers(0, partitions, count),
            "x": random.integers(0, 9, count),
            "s": ["a"] * count,
        }
    )
    return table.cast(SCHEMA)


class TestWhatKeepsPanes:
    @pytest.mark.parametrize(
        "returned", ["COUNT(*)", "SUM(a.x)", "AVG(b.x)", "MIN(a.x)", "LOG2(COUNT(*))"]
    )
    def test_linear_aggregates(self, returned: str) -> None:
        assert keeps_panes(program_of(SLIDING.format(returned)), SCHEMA)

    @pytest.mark.parametrize(
        "text",
        [
            "PATTERN SEQ(A+ a, B b) SEMANTICS contiguous WITHIN 6 SLIDE 2 RETURN COUNT(*)",
            "PATTERN SEQ(A+ a, B b) SEMANTICS strict_contiguity WITHIN 6 SLIDE 2 RETURN COUNT(*)",
            "PATTERN SEQ(A a, !C, B b) WITHIN 6 SLIDE 2 RETURN COUNT(*)",
        ],
    )
    def test_strategies_and_negation(self, text: str) -> None:
        assert keeps_panes(program_of(text), SCHEMA)

    @pytest.mark.parametrize(
        "text",
        [
            SLIDING.format("EXACT COUNT(*)"),
            SLIDING.format("MAX(a.s)"),
            "PATTERN SEQ(A a, B b) WITHIN 6 EVENTS SLIDE 2 EVENTS RETURN COUNT(*)",
            "PATTERN SEQ(A a, B b) WITHIN 6 RETURN COUNT(*)",
            "PATTERN SEQ(A a, B b) RETURN COUNT(*)",
            "PATTERN SEQ(A a, B b) WITHIN 6",
            "PATTERN SEQ(A a, B b) WHERE a.x < b.x WITHIN 6 SLIDE 2 RETURN COUNT(*)",
            "PATTERN (SEQ(A, B)) AND (SEQ(A, C)) WITHIN 6 SLIDE 2 RETURN COUNT(*)",
            "PATTERN SEQ(A a, B b) SEMANTICS strict_contiguity WHERE [k] WITHIN 6 SLIDE 2 "
            "RETURN COUNT(*)",
        ],
    )
    def test_others_keep_events(self, text: str) -> None:
        assert not keeps_panes(program_of(text), SCHEMA)

    def test_encoded_numbers_have_keys(self) -> None:
        place = SCHEMA.get_field_index("x")
        encoded = SCHEMA.set(place, pa.field("x", pa.dictionary(pa.int8(), pa.int64())))
        assert keeps_panes(program_of(SLIDING.format("MIN(a.x)")), encoded)


class TestStep:
    def test_state_stays_the_same_however_long_the_stream_is(self) -> None:
        program, events = (
            program_of(SLIDING.format("COUNT(*), SUM(a.x), MIN(b.x)")),
            stream(3000, 4),
        )
        rows = merge(program, SCHEMA, [])
        horizon, results, sizes = None, [], []
        for until in range(30, 3101, 30):
            settled = events.filter(
                (pc.field("time") < until) & (pc.field("time") >= (horizon or 0))
            )
            rows = merge(program, SCHEMA, [rows, fold(program, settled)])
            result, rows = close(program, SCHEMA, rows, horizon, until)
            results.append(result)
            sizes.append((rows.num_rows, sum(map(len, rows.column("matrix").to_pylist()))))
            horizon = until
        whole = run_one(program, events)
        found = pa.concat_tables(results)
        assert in_any_order(found.to_pylist()) == in_any_order(whole.to_pylist())
        width = 3  # panes of 20 ticks in a window of 60
        matrix = 8 * program.slots.size**2 * (3 * 3 + 1)  # a count, a sum, values; a minimum
        assert max(count for count, _ in sizes) <= 4 * width
        assert all(size == count * matrix for count, size in sizes)
        assert rows.num_rows == 0

    def test_a_contiguous_trend_goes_on_in_the_next_step(self) -> None:
        program = program_of(
            "PATTERN SEQ(A a, B b) SEMANTICS contiguous WITHIN 10 SLIDE 10 RETURN COUNT(*) AS n"
        )
        for later, expected in (("b2", [1]), ("c2 b3", [])):
            parts = [table_of(each) for each in ("a1", later)]
            rows = merge(program, parts[0].schema, [fold(program, each) for each in parts])
            result, _ = close(program, parts[0].schema, rows, None, 10)
            assert result.column("n").to_pylist() == expected

    def test_an_open_window_is_not_reported(self) -> None:
        program = program_of("PATTERN A WITHIN 10 SLIDE 5 RETURN COUNT(*) AS n")
        events = table_of("a1 a6")
        rows = fold(program, events)
        result, rows = close(program, events.schema, rows, None, 9)
        assert result.to_pylist() == [{"window_start": -5, "window_end": 5, "n": 1}]
        assert next_close(program, rows, 9) == 10
        result, rows = close(program, events.schema, rows, 9, 10)
        assert result.to_pylist() == [{"window_start": 0, "window_end": 10, "n": 2}]
        assert rows.column("pane").to_pylist() == [1]
        assert next_close(program, rows, 10) == 15
        result, rows = close(program, events.schema, rows, 10, 20)
        assert result.to_pylist() == [{"window_start": 5, "window_end": 15, "n": 1}]
        assert next_close(program, rows, 20) is None

    def test_the_next_window_waits_for_its_events(self) -> None:
        program = program_of("PATTERN A WITHIN 10 SLIDE 5 RETURN COUNT(*) AS n")
        assert next_close(program, fold(program, table_of("a101")), 3) == 105

    def test_nothing_settled(self) -> None:
        program = program_of(SLIDING.format("COUNT(*)"))
        rows = merge(program, SCHEMA, [fold(program, SCHEMA.empty_table())])
        result, rows = close(program, SCHEMA, rows, None, 100, partially=True)
        assert (result.num_rows, rows.num_rows) == (0, 0)

    def test_a_minimum_at_the_limit(self) -> None:
        program = program_of(SLIDING.format("MIN(a.x)"))

        def events(value: int) -> pa.Table:
            row = {"time": 1, "type": "A", "k": 1, "x": value, "s": ""}
            return pa.Table.from_pylist([row], schema=SCHEMA)

        assert fold(program, events(2**63 - 1)).num_rows
        with pytest.raises(cepheid.DataError, match=r"2\^63 - 2"):
            fold(program, events(2**63 - 2))
